// Rounds per second of whole passes over made-up streams.
#include <benchmark/benchmark.h>

#include "alder/dataset.h"
#include "alder/evaluate.h"
#include "alder/pomdr.h"

namespace alder {
namespace {

void pomdr_pass(benchmark::State& state, const char* name, double sigma, Precision precision) {
  constexpr std::uint64_t kRows = 20000;
  const Dataset data = Dataset::read(*make_generated(name, kRows, 1));
  PomdrOptions options;
  options.kernel = Kernel::gaussian(sigma);
  options.horizon = kRows;
  options.precision = precision;
  for (auto _ : state) {
    const auto learner = make_pomdr(options);
    evaluate(*stream(data), *learner);
    benchmark::DoNotOptimize(learner->report().mistakes);
  }
  state.counters["rounds"] = benchmark::Counter(static_cast<double>(kRows) * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(pomdr_pass, rings_float, "rings", 0.5, Precision::kFloat)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pomdr_pass, blobs_float, "blobs", 1.0, Precision::kFloat)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pomdr_pass, blobs_double, "blobs", 1.0, Precision::kDouble)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace alder
