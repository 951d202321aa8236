// Rows per second of scaling, in batches and one at a time, beside those of learning the scaled rows: what `--scale`
// costs.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "alder/dataset.h"
#include "alder/evaluate.h"
#include "alder/input.h"
#include "alder/registry.h"
#include "alder/row_buffer.h"
#include "alder/scaling.h"

namespace alder {
namespace {

constexpr std::size_t kMostRows = 20000;
constexpr std::size_t kBatch = 256;

// The first rows of a real data set; none, and the benchmark says so, if the set is not there.
Dataset real_rows(benchmark::State& state, const std::string& name) {
  const char* shared = std::getenv("ALDER_SHARED");
  const auto folder = std::filesystem::path(shared != nullptr ? shared : "../shared");
  const auto path = folder / "data" / (name + ".libsvm.xz");
  Dataset data;
  if (!std::filesystem::exists(path)) {
    state.SkipWithError("the data set is not there: it belongs into ../shared/data or $ALDER_SHARED/data");
    return data;
  }
  const auto input = open_input({path.string()});
  Example example;
  while (data.size() < kMostRows && input->next(example)) data.append(example);
  return data;
}

void count_rows(benchmark::State& state, std::size_t rows) {
  state.counters["per_row"] = benchmark::Counter(static_cast<double>(rows) * static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void scale_batches(benchmark::State& state, const char* name, Scaling::Kind kind) {
  const Dataset data = real_rows(state, name);
  const Scaling scaling = Scaling::fit(kind, data);
  std::vector<Row> rows;
  RowBuffer scaled;
  for (auto _ : state) {
    for (std::size_t first = 0; first < data.size(); first += kBatch) {
      scaling.apply(data.examples(first, kBatch, rows).rows, scaled);
      benchmark::DoNotOptimize(scaled.rows().data());
    }
  }
  count_rows(state, data.size());
}

void scale_rows(benchmark::State& state, const char* name, Scaling::Kind kind) {
  const Dataset data = real_rows(state, name);
  const Scaling scaling = Scaling::fit(kind, data);
  Scaling::Buffer buffer;
  for (auto _ : state) {
    for (std::size_t i = 0; i < data.size(); ++i) benchmark::DoNotOptimize(scaling.apply(data[i].row, buffer));
  }
  count_rows(state, data.size());
}

void learn_scaled(benchmark::State& state, const char* name, Scaling::Kind kind) {
  Dataset data = real_rows(state, name);
  data.scale(Scaling::fit(kind, data));
  for (auto _ : state) {
    const auto learner = make_learner("alder", "{}");
    evaluate(*stream(data), *learner);
    benchmark::DoNotOptimize(learner->report().support);
  }
  count_rows(state, data.size());
}

#define ALDER_SCALINGS(work)                                                                                 \
  BENCHMARK_CAPTURE(work, SUSY_minmax, "SUSY", Scaling::Kind::kMinmax)->Unit(benchmark::kMillisecond);       \
  BENCHMARK_CAPTURE(work, SUSY_standard, "SUSY", Scaling::Kind::kStandard)->Unit(benchmark::kMillisecond);   \
  BENCHMARK_CAPTURE(work, a9a_minmax, "a9a", Scaling::Kind::kMinmax)->Unit(benchmark::kMillisecond);         \
  BENCHMARK_CAPTURE(work, a9a_standard, "a9a", Scaling::Kind::kStandard)->Unit(benchmark::kMillisecond);     \
  BENCHMARK_CAPTURE(work, mnist12_minmax, "mnist12", Scaling::Kind::kMinmax)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(work, mnist12_standard, "mnist12", Scaling::Kind::kStandard)->Unit(benchmark::kMillisecond)
ALDER_SCALINGS(scale_batches);
ALDER_SCALINGS(scale_rows);
ALDER_SCALINGS(learn_scaled);
#undef ALDER_SCALINGS

}  // namespace
}  // namespace alder
