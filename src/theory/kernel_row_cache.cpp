#include "theory/kernel_row_cache.h"

#include <algorithm>

#include "base/share.h"

namespace alder {
namespace {

// So few rows are computed together at least, whatever the memory.
constexpr std::size_t kLeastRoom = 64;

}  // namespace

void share_out(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  if (threads > 1 && count > 1) {
    share(count, threads, work, [](std::size_t) { return true; });
  } else {
    for (std::size_t i = 0; i < count; ++i) work(i);
  }
}

KernelRowCache::KernelRowCache(const Kernel& kernel, std::size_t bytes, unsigned threads)
    : bytes_(bytes), threads_(threads), rows_(kernel) {}

void KernelRowCache::append(const Row& row) {
  row.check();
  PreparedRow<double> x;
  x.assign(row, rows_.kernel());
  rows_.append(x);
  selfs_.push_back(x.self());
  if (!there_.empty()) kept_.clear();
  there_.clear();
}

std::size_t KernelRowCache::room() const {
  return std::max(kLeastRoom, bytes_ / (sizeof(double) * std::max<std::size_t>(1, size())));
}

void KernelRowCache::want(std::span<const std::size_t> numbers) {
  kept_.resize(size());
  used_.resize(size());
  ++now_;
  std::vector<std::size_t> missing;
  for (const std::size_t i : numbers) {
    used_[i] = now_;
    if (kept_[i].empty()) missing.push_back(i);
  }
  make_room(missing.size());
  share_out(missing.size(), threads_, [&](std::size_t m) {
    static thread_local KernelValues values;
    rows_.kernel_row(rows_.query(missing[m]), Accuracy::kExact, values);
    std::vector<double>& row = kept_[missing[m]];
    row.resize(size());
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = values.kernel(j);
  });
  there_.insert(there_.end(), missing.begin(), missing.end());
}

// Those go that were not wanted for the longest time.
void KernelRowCache::make_room(std::size_t rows) {
  if (there_.size() + rows <= room()) return;
  const std::size_t gone = std::min(there_.size(), there_.size() + rows - room());
  std::nth_element(there_.begin(), there_.begin() + static_cast<std::ptrdiff_t>(gone), there_.end(),
                   [this](std::size_t i, std::size_t j) { return used_[i] < used_[j]; });
  for (std::size_t g = 0; g < gone; ++g) kept_[there_[g]] = {};
  there_.erase(there_.begin(), there_.begin() + static_cast<std::ptrdiff_t>(gone));
}

std::vector<double> KernelRowCache::sums(std::size_t first, const AlignedVector<double>& weights) const {
  std::vector<double> sums(size() - first);
  share_out(sums.size(), threads_, [&](std::size_t i) {
    static thread_local KernelValues values;
    rows_.kernel_row(rows_.query(first + i), Accuracy::kExact, values);
    sums[i] = values.weighted_sum(weights).value();
  });
  return sums;
}

}  // namespace alder
