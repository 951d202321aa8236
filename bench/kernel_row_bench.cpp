// How long kernel rows take, by elements × features × values of a row, alone and in blocks of 8; and how near that is
// to what the machine can do: multiply-adds against a loop of nothing else, bytes of columns against reading an array
// as large as the dictionary. The exponentials are part of the time, but count as nothing.
#include <algorithm>
#include <numeric>

#include <benchmark/benchmark.h>

#include "alder/version.h"

#include "bench/peak.h"
#include "data/random.h"
#include "kernel/dictionary.h"

namespace alder {
namespace {

constexpr std::size_t kBlock = 8;

// Rows of `values` features out of so many, at random.
class Rows {
 public:
  Rows(std::size_t features, std::size_t values) : features_(features), values_(values) {
    std::iota(features_.begin(), features_.end(), FeatureIndex{0});
  }

  template <class T>
  Query<T> next(const Kernel& kernel) {
    for (std::size_t j = 0; j < values_.size(); ++j) {
      std::swap(features_[j], features_[j + random_.below(features_.size() - j)]);
      values_[j] = random_.normal();
    }
    std::vector<FeatureIndex> chosen(features_.begin(),
                                     features_.begin() + static_cast<std::ptrdiff_t>(values_.size()));
    std::sort(chosen.begin(), chosen.end());
    Query<T> query;
    query.assign(Row::sparse(chosen, values_), kernel);
    return query;
  }

 private:
  Random random_{1};
  std::vector<FeatureIndex> features_;
  std::vector<double> values_;
};

template <class T>
void kernel_rows(benchmark::State& state, std::size_t block, Accuracy accuracy) {
  state.SetLabel(instruction_set());  // which obeys the environment
  const auto elements = static_cast<std::size_t>(state.range(0));
  const auto features = static_cast<std::size_t>(state.range(1));
  const auto values = static_cast<std::size_t>(state.range(2));
  const Kernel kernel = Kernel::gaussian(4.0);
  Rows rows(features, values);
  // More rows than one block, so that sparse ones do not find their columns in the nearest cache. Those of blocks are
  // guests, whose values with each other are computed too.
  std::vector<Query<T>> queries;
  for (std::size_t i = 0; i < 4 * kBlock; ++i) queries.push_back(rows.next<T>(kernel));
  const std::size_t guest_count = block > 1 ? queries.size() : 0;
  Dictionary<T> dictionary(kernel, guest_count);
  for (std::size_t g = 0; g < guest_count; ++g) dictionary.put_guest(g, queries[g]);
  for (std::size_t i = 0; i < elements; ++i) dictionary.append(rows.next<T>(kernel));
  std::vector<KernelRow> out(block);
  std::vector<GuestRow<T>> guests(block);

  std::size_t at = 0;
  for (auto _ : state) {
    if (block == 1) {
      dictionary.kernel_row(queries[at], accuracy, out[0]);
    } else {
      for (std::size_t r = 0; r < block; ++r) guests[r] = {at + r, &queries[at + r], &out[r]};
      dictionary.guest_rows(guests, accuracy);
    }
    benchmark::DoNotOptimize(out[0].kernel(0));
    at = (at + block) % queries.size();
  }
  const double rounds = static_cast<double>(state.iterations() * static_cast<std::int64_t>(block));
  const double products = static_cast<double>((elements + guest_count) * values) * rounds;
  const double peak = bench::multiply_adds_per_second();
  const double reading = bench::bytes_read_per_second(elements * features * sizeof(T));
  state.counters["rows"] = benchmark::Counter(rounds, benchmark::Counter::kIsRate);
  state.counters["multiply_adds"] = benchmark::Counter(products, benchmark::Counter::kIsRate);
  state.counters["of_peak"] = benchmark::Counter(products / peak, benchmark::Counter::kIsRate);
  state.counters["bytes"] =
      benchmark::Counter(products * sizeof(T), benchmark::Counter::kIsRate, benchmark::Counter::kIs1024);
  state.counters["of_reading"] = benchmark::Counter(products * sizeof(T) / reading, benchmark::Counter::kIsRate);
}

void Row(benchmark::State& state) {
  kernel_rows<float>(state, 1, Accuracy::kFast);
}
void Block(benchmark::State& state) {
  kernel_rows<float>(state, kBlock, Accuracy::kFast);
}
void RowInDouble(benchmark::State& state) {
  kernel_rows<double>(state, 1, Accuracy::kFast);
}
void RowOfFloatsExactly(benchmark::State& state) {
  kernel_rows<float>(state, 1, Accuracy::kExact);
}

#define ALDER_SHAPES           \
  ArgNames({"S", "d", "nnz"})  \
      ->Args({400, 18, 18})    \
      ->Args({400, 64, 64})    \
      ->Args({400, 256, 256})  \
      ->Args({400, 784, 784})  \
      ->Args({50, 256, 256})   \
      ->Args({1600, 256, 256}) \
      ->Args({3200, 64, 64})   \
      ->Args({400, 123, 14})   \
      ->Args({400, 300, 12})   \
      ->Args({400, 784, 125})
BENCHMARK(Row)->ALDER_SHAPES;
BENCHMARK(Block)->ALDER_SHAPES;
BENCHMARK(RowInDouble)->ArgNames({"S", "d", "nnz"})->Args({400, 64, 64})->Args({400, 123, 14});
BENCHMARK(RowOfFloatsExactly)->ArgNames({"S", "d", "nnz"})->Args({400, 64, 64})->Args({400, 123, 14});
#undef ALDER_SHAPES

}  // namespace
}  // namespace alder
