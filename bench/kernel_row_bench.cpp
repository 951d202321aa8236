// How long one kernel row takes: dictionary size × non-zeros, in float and double.
#include <benchmark/benchmark.h>

#include "data/random.h"
#include "kernel/dictionary.h"

namespace alder {
namespace {

template <class T>
void kernel_row(benchmark::State& state, Accuracy accuracy) {
  const auto elements = static_cast<std::size_t>(state.range(0));
  const auto features = static_cast<std::size_t>(state.range(1));
  const Kernel kernel = Kernel::gaussian(2.0);
  Random random(1);
  std::vector<double> x(features);
  Dictionary<T> dictionary(kernel);
  Query<T> query;
  for (std::size_t i = 0; i <= elements; ++i) {
    for (double& value : x) value = random.normal();
    query.assign(Row::dense(x), kernel);
    if (i < elements) dictionary.append(query);
  }
  KernelRow row;
  for (auto _ : state) {
    dictionary.kernel_row(query, accuracy, row);
    benchmark::DoNotOptimize(row.kernel(0));
  }
  const auto products = static_cast<double>(elements * features) * static_cast<double>(state.iterations());
  state.counters["multiply_adds"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
}

void FloatFast(benchmark::State& state) {
  kernel_row<float>(state, Accuracy::kFast);
}
void FloatExact(benchmark::State& state) {
  kernel_row<float>(state, Accuracy::kExact);
}
void Double(benchmark::State& state) {
  kernel_row<double>(state, Accuracy::kFast);
}

BENCHMARK(FloatFast)->ArgsProduct({{50, 400, 1600}, {14, 64, 256}});
BENCHMARK(FloatExact)->ArgsProduct({{50, 400}, {14, 64, 256}});
BENCHMARK(Double)->ArgsProduct({{50, 400}, {14, 64, 256}});

}  // namespace
}  // namespace alder
