// How long kernel rows take, by elements × features × values of a row, alone and in blocks of 8; and how near that is
// to what the machine can do: multiply-adds against a loop of nothing else, bytes of columns against reading an array
// as large as the dictionary. The exponentials are part of the time, but count as nothing.
#include <algorithm>
#include <deque>
#include <numeric>
#include <span>

#include <benchmark/benchmark.h>

#include "alder/version.h"

#include "base/random.h"
#include "bench/peak.h"
#include "kernel/dictionary.h"

namespace alder {
namespace {

constexpr std::size_t kBlock = 8;

// Rows with `values` features each, drawn at random.
class Rows {
 public:
  Rows(std::size_t features, std::size_t values) : features_(features), values_(values) {
    std::iota(features_.begin(), features_.end(), FeatureIndex{0});
  }

  /// Valid as long as this is.
  const Row& next() {
    std::vector<double>& values = storage_.emplace_back(values_).values;
    for (std::size_t j = 0; j < values_; ++j) {
      std::swap(features_[j], features_[j + random_.below(features_.size() - j)]);
      values[j] = random_.normal();
    }
    std::vector<FeatureIndex>& chosen = storage_.back().features;
    std::copy_n(features_.begin(), values_, chosen.begin());
    std::sort(chosen.begin(), chosen.end());
    return storage_.back().row = Row::sparse(chosen, values);
  }

 private:
  struct Stored {
    explicit Stored(std::size_t size) : features(size), values(size) {}
    std::vector<FeatureIndex> features;
    std::vector<double> values;
    Row row;
  };

  Random random_{1};
  std::vector<FeatureIndex> features_;
  std::size_t values_;
  std::deque<Stored> storage_;
};

template <class T>
PreparedRow<T> query_of(const Row& row, const Kernel& kernel) {
  PreparedRow<T> query;
  query.assign(row, kernel);
  return query;
}

template <class T>
void kernel_rows(benchmark::State& state, std::size_t block, Accuracy accuracy) {
  state.SetLabel(instruction_set());  // which obeys the environment
  const auto elements = static_cast<std::size_t>(state.range(0));
  const auto features = static_cast<std::size_t>(state.range(1));
  const auto values = static_cast<std::size_t>(state.range(2));
  const Kernel kernel = Kernel::gaussian(4.0);
  Rows rows(features, values);
  // More rows than one block, so that sparse ones do not find their columns in the nearest cache. Those of blocks are
  // scratch rows, whose values with each other are computed too.
  constexpr std::size_t kBlocks = 4;
  const std::size_t scratch_count = block > 1 ? kBlocks * kBlock : 0;
  Dictionary<T> dictionary(kernel, scratch_count);
  for (std::size_t i = 0; i < elements; ++i) dictionary.append(query_of<T>(rows.next(), kernel));
  std::vector<PreparedRow<T>> queries(kBlocks * kBlock);
  std::vector<RowBlock<T>> blocks(kBlocks);
  std::vector<Row> views;
  for (PreparedRow<T>& query : queries) query.assign(views.emplace_back(rows.next()), kernel);
  for (std::size_t first = 0; first < scratch_count; first += kBlock) {
    std::vector<PreparedRow<T>*> pointers;
    for (std::size_t r = 0; r < kBlock; ++r) pointers.push_back(&queries[first + r]);
    dictionary.put_scratch_rows(first, std::span(views).subspan(first, kBlock), pointers.data(), false,
                                blocks[first / kBlock]);
  }
  std::vector<KernelValues> out(block);
  std::vector<ScratchRow<T>> scratch_rows(block);

  std::size_t at = 0;
  for (auto _ : state) {
    if (block == 1) {
      dictionary.kernel_row(queries[at], accuracy, out[0]);
    } else {
      for (std::size_t r = 0; r < block; ++r) scratch_rows[r] = {at + r, &queries[at + r], &out[r]};
      dictionary.scratch_rows(scratch_rows, accuracy, &blocks[at / kBlock]);
    }
    benchmark::DoNotOptimize(out[0].kernel(0));
    at = (at + block) % queries.size();
  }
  const double rounds = static_cast<double>(state.iterations() * static_cast<std::int64_t>(block));
  const double products = static_cast<double>((elements + scratch_count) * values) * rounds;
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
