// RoundRows per second of whole passes over made-up streams.
#include <string_view>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "alder/dataset.h"
#include "alder/evaluate.h"
#include "alder/registry.h"

namespace alder {
namespace {

constexpr std::uint64_t kRows = 20000;

void measure(benchmark::State& state, const Dataset& data, const std::string& learner, const std::string& options) {
  for (auto _ : state) {
    const auto fresh = make_learner(learner, options);
    evaluate(*stream(data), *fresh);
    benchmark::DoNotOptimize(fresh->report().support);
  }
  state.counters["rounds"] = benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate);
}

void pass(benchmark::State& state, const char* stream_name, double sigma, const char* precision) {
  const Dataset data = Dataset::read(*make_generated(stream_name, kRows, 1));
  measure(state, data, "pomdr",
          fmt::format(R"({{"kernel": {{"name": "gaussian", "sigma": {}}}, "horizon": {}, "precision": "{}"}})", sigma,
                      kRows, precision));
}

BENCHMARK_CAPTURE(pass, pomdr_rings_float, "rings", 0.5, "float")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pass, pomdr_blobs_float, "blobs", 1.0, "float")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pass, pomdr_blobs_double, "blobs", 1.0, "double")->Unit(benchmark::kMillisecond);

// How the cost of a round grows with the number of rows (or frequencies) that a learner holds.
void budget(benchmark::State& state, const char* learner, const char* size) {
  const Dataset data = Dataset::read(*make_generated("checkerboard", kRows, 1));
  // The first phase of POMDR has to end before the smallest budget does.
  const char* b0 = std::string_view(learner) == "pomdr" ? R"(, "b0": 24)" : "";
  measure(state, data, learner,
          fmt::format(R"({{"kernel": {{"name": "gaussian", "sigma": 0.1}}, "horizon": {}, "{}": {}{}}})", kRows, size,
                      state.range(0), b0));
}

#define ALDER_BUDGETS \
  Arg(50)->Arg(100)->Arg(200)->Arg(400)->Arg(800)->Arg(1600)->Arg(3200)->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(budget, pomdr, "pomdr", "budget")->ALDER_BUDGETS;
BENCHMARK_CAPTURE(budget, bogd, "bogd", "budget")->ALDER_BUDGETS;
BENCHMARK_CAPTURE(budget, fogd, "fogd", "frequencies")->ALDER_BUDGETS;
BENCHMARK_CAPTURE(budget, nogd, "nogd", "budget")
    ->Arg(200)
    ->Arg(400)
    ->Arg(800)
    ->Arg(1600)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(budget, skegd, "skegd", "budget")
    ->Arg(200)
    ->Arg(400)
    ->Arg(800)
    ->Arg(1600)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(budget, bao2ks, "bao2ks", "budget")->ALDER_BUDGETS;
#undef ALDER_BUDGETS

}  // namespace
}  // namespace alder
