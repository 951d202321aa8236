#include <algorithm>
#include <cmath>
#include <thread>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/theory.h"

#include "base/share.h"
#include "simd/simd.h"
#include "theory/kernel_block.h"
#include "theory/work.h"

namespace alder {
namespace {

// Rows at a time: their columns fit the second cache, and a thousand of such blocks are work for all cores.
constexpr std::size_t kBlock = 512;
constexpr std::size_t kLeastSample = 10;

void check_labels(const Dataset& dataset) {
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const double target = dataset[i].target;
    if (target != 0.0 && target != 1.0) {
      throw Error(Error::Kind::kTarget, fmt::format("the target of row {} is {}; expected class 0 or 1", i + 1, target),
                  i);
    }
  }
}

std::vector<Alignment> without_sums(const Dataset& dataset, std::span<const Kernel> kernels) {
  std::vector<Alignment> alignments;
  for (const Kernel& kernel : kernels) {
    const Selfs selfs = selfs_of(dataset, kernel);
    Alignment alignment;
    alignment.rows = dataset.size();
    alignment.trace = selfs.sum;
    alignment.largest_self = selfs.largest;
    alignment.smallest_self = selfs.smallest;
    alignments.push_back(alignment);
  }
  return alignments;
}

// y_j Σ_i y_i κ_k(x_i, x_j) for the rows j of a block, the sum being over the rows i from `first` on; those behind the
// block count twice with `twice`. One vector for each kernel.
std::vector<AlignedVector<double>> block_sums(const Dataset& dataset, std::span<const Kernel> kernels,
                                              std::size_t begin, std::size_t first, bool twice) {
  const std::size_t end = std::min(begin + kBlock, dataset.size());
  KernelBlock block(kernels);
  for (std::size_t j = begin; j < end; ++j) block.append(dataset[j].row);
  std::vector<AlignedVector<double>> sums(kernels.size(), AlignedVector<double>(padded(end - begin)));
  for (std::size_t i = first; i < dataset.size(); ++i) {
    const Example example = dataset[i];
    block.look_at(example.row);
    const double weight = (twice && i >= end ? 2.0 : 1.0) * sign_of(example.target);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      simd::add_scaled(weight, block.values(k), block.size(), sums[k].data());
    }
  }
  for (auto& numbers : sums) {
    numbers.resize(end - begin);
    for (std::size_t j = begin; j < end; ++j) numbers[j - begin] *= sign_of(dataset[j].target);
  }
  return sums;
}

std::size_t blocks_of(const Dataset& dataset) {
  return (dataset.size() + kBlock - 1) / kBlock;
}

}  // namespace

std::vector<Alignment> kernel_alignment(const Dataset& dataset, std::span<const Kernel> kernels, const Work& work) {
  check_labels(dataset);
  std::vector<Alignment> alignments = without_sums(dataset, kernels);
  if (dataset.size() == 0) return alignments;
  const std::size_t blocks = blocks_of(dataset);
  std::vector<std::vector<double>> sums(blocks, std::vector<double>(kernels.size()));
  // A block with all rows from its first one on: κ is symmetric, so rows behind it count twice. The first block is the
  // most work, and a share of (1 − b/blocks)² is left behind block b.
  const auto compute = [&](std::size_t b) {
    const auto of_rows = block_sums(dataset, kernels, b * kBlock, b * kBlock, true);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const double sum : of_rows[k]) sums[b][k] += sum;
    }
  };
  const auto done = [blocks](std::size_t b) {
    const double left = 1.0 - static_cast<double>(b) / static_cast<double>(blocks);
    return 1.0 - left * left;
  };
  if (!share(blocks, threads_of(work), compute, [&](std::size_t b) { return watched(work, done(b)); })) return {};
  const auto rounds = static_cast<double>(dataset.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    double polarization = 0.0;  // YᵀKY
    for (const auto& of_kernels : sums) polarization += of_kernels[k];
    alignments[k].alignment = std::max(0.0, alignments[k].trace - polarization / rounds);
  }
  return alignments;
}

std::vector<Alignment> sampled_alignment(const Dataset& dataset, std::span<const Kernel> kernels, std::size_t rows,
                                         std::uint64_t seed, const Work& work) {
  if (rows >= dataset.size()) return kernel_alignment(dataset, kernels, work);
  if (rows < kLeastSample) {
    throw Error(fmt::format("the sample has {} rows; expected at least {}", rows, kLeastSample));
  }
  check_labels(dataset);
  std::vector<Alignment> alignments = without_sums(dataset, kernels);
  std::vector<std::size_t> drawn = permutation(dataset.size(), seed);
  drawn.resize(rows);
  Dataset sample;
  for (const std::size_t i : drawn) sample.append(dataset[i]);

  // h_j = Σ_{i≠j} y_i y_j κ(x_i, x_j) for every row j of the sample.
  std::vector<std::vector<double>> h(kernels.size(), std::vector<double>(rows));
  const std::size_t blocks = blocks_of(sample);
  const auto compute = [&](std::size_t b) {
    const auto of_rows = block_sums(sample, kernels, b * kBlock, 0, false);
    PreparedRow<double> query;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (std::size_t j = b * kBlock; j < std::min(rows, (b + 1) * kBlock); ++j) {
        query.borrow(sample[j].row, kernels[k]);
        h[k][j] = of_rows[k][j - b * kBlock] - query.self();
      }
    }
  };
  const auto watch = [&](std::size_t b) { return watched(work, static_cast<double>(b) / static_cast<double>(blocks)); };
  if (!share(blocks, threads_of(work), compute, watch)) return {};

  // The mean of y_i y_j κ(x_i, x_j) over the pairs of the sample stands for that over all pairs. Its error by the
  // jackknife: from how it changes when one row is left out; less, the more of all rows are in the sample.
  const auto n = static_cast<double>(rows);
  const auto all = static_cast<double>(dataset.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    double sum = 0.0;
    for (const double number : h[k]) sum += number;
    const double mean = sum / (n * (n - 1.0));
    double squares = 0.0;
    for (const double number : h[k]) squares += std::pow((sum - 2.0 * number) / ((n - 1.0) * (n - 2.0)) - mean, 2);
    Alignment& alignment = alignments[k];
    alignment.alignment = std::max(0.0, alignment.trace * (1.0 - 1.0 / all) - (all - 1.0) * mean);
    alignment.error = (all - 1.0) * std::sqrt((n - 1.0) / n * squares * (1.0 - n / all));
    alignment.rows = rows;
  }
  return alignments;
}

}  // namespace alder
