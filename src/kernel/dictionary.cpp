#include "kernel/dictionary.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <type_traits>

#include "alder/error.h"

#include "simd/simd.h"

namespace alder {
namespace {

// A float dot product is off by about 1e-7·‖x‖‖s‖, which moves the exponent of a Gaussian, γ‖x−s‖², by about
// 1e-7·γ(‖x‖²+‖s‖²). If γ‖x‖² and γ‖s‖² are below this limit, that is below 2e-4; beyond it (features far from the
// scale of σ) rows are computed in double. Likewise |x|₁ and |s|₁, where those are the norms.
constexpr double kFloatExponentLimit = 1000.0;
// Products and sums of such numbers stay far from what a float can hold.
constexpr double kFloatLimit = 1e30;
// The largest norm with which float arithmetic will do; negative: it never does.
template <class T>
double farthest(const Kernel& kernel) {
  // The square root of a Laplacian's distance magnifies the rounding of near duplicates: 1e-7 becomes 3e-4.
  if (std::is_same_v<T, double> || kernel.kind() == Kernel::Kind::kLaplacian || kernel.gamma() > kFloatLimit)
    return -1.0;
  return kernel.is_radial() ? std::min(kFloatLimit, kFloatExponentLimit / kernel.gamma()) : kFloatLimit;
}

}  // namespace

template <class T>
Dictionary<T>::Dictionary(const Kernel& kernel, std::size_t scratch_rows)
    : kernel_(kernel), farthest_(farthest<T>(kernel)), store_(kernel.is_radial()) {
  reserve_scratch_rows(scratch_rows);
}

template <class T>
void Dictionary<T>::reserve_scratch_rows(std::size_t scratch_rows) {
  if (scratch_rows <= front_) return;
  std::vector<PreparedRow<T>> elements;
  for (std::size_t i = 0; i < size_; ++i) elements.push_back(query(i));
  truncate(0);
  front_ = padded(scratch_rows);
  make_room(std::max(front_, store_.slots()));
  for (const PreparedRow<T>& element : elements) append(element);
}

template <class T>
void Dictionary<T>::make_room(std::size_t slots) {
  const std::size_t room = padded(slots);
  store_.widen(room);
  norms_.resize(room, kFree);
  float_norms_.resize(room, std::numeric_limits<float>::infinity());
  is_rounded_.resize(room);
}

template <class T>
std::size_t Dictionary<T>::next_slot() {
  const std::size_t slot = front_ + size_;
  if (slot == store_.slots()) make_room(slot + size_ + 1);
  return slot;
}

template <class T>
void Dictionary<T>::append(const PreparedRow<T>& row) {
  fill(next_slot(), row);
  ++size_;
}

template <class T>
void Dictionary<T>::append_scratch(std::size_t scratch, const PreparedRow<T>& row) {
  const std::size_t slot = next_slot();
  store_.copy(scratch, slot);
  enter(slot, row);
  ++size_;
}

template <class T>
void Dictionary<T>::replace(std::size_t element, const PreparedRow<T>& row) {
  assert(element < size_);
  clear(front_ + element);
  fill(front_ + element, row);
}

template <class T>
void Dictionary<T>::truncate(std::size_t count) {
  assert(count <= size_);
  while (size_ > count) drop(front_ + --size_);
}

template <class T>
void Dictionary<T>::fill(std::size_t slot, const PreparedRow<T>& row) {
  assert(norms_[slot] == kFree);
  store_.put(slot, row);
  enter(slot, row);
}

template <class T>
void Dictionary<T>::enter(std::size_t slot, const PreparedRow<T>& row) {
  norms_[slot] = row.norm();
  float_norms_[slot] = row.float_norm();
  is_rounded_[slot] = row.has_exact_dots() ? 0 : 1;
  rounded_ += is_rounded_[slot];
  if (!is_far(row)) return;
  ++far_;
  if (slot < front_) ++far_scratch_rows_;
}

template <class T>
std::size_t Dictionary<T>::put_scratch_rows(std::size_t first, std::span<const Row> rows,
                                            PreparedRow<T>* const* queries, bool near, RowBlock<T>& block) {
  block.clear();
  std::size_t count = 0;
  try {
    if (rows.size() == RowBlock<T>::kRows && put_together(first, rows.data(), queries, near, block)) return rows.size();
    block.clear();
    for (; count < rows.size(); ++count) {
      PreparedRow<T>& query = *queries[count];
      query.borrow(rows[count], kernel_);
      if (near && !is_near(query)) break;
      fill(first + count, query);
    }
  } catch (const Error&) {  // a row is out of range
  }
  return count;
}

// All rows of a block, or none.
template <class T>
bool Dictionary<T>::put_together(std::size_t first, const Row* rows, PreparedRow<T>* const* queries, bool near,
                                 RowBlock<T>& block) {
  constexpr std::size_t kRows = RowBlock<T>::kRows;
  if (!store_.takes_blocks() || (near && far_ > 0)) return false;
  for (std::size_t r = 0; r < kRows; ++r) queries[r]->borrow_values(rows[r]);
  simd::SquaredNorms norms[kRows];
  store_.take(queries, block, norms, norm_of(kernel_));
  for (std::size_t r = 0; r < kRows; ++r) {
    if (!queries[r]->take_norms(norms[r], kernel_) || (near && is_far(*queries[r]))) return false;
  }
  if (!kernel_.is_radial()) block.clear();
  if (block.is_full()) store_.put_block(first, block);
  for (std::size_t r = 0; r < kRows; ++r) {
    if (!block.is_full()) store_.put(first + r, *queries[r]);
    enter(first + r, *queries[r]);
  }
  return true;
}

template <class T>
void Dictionary<T>::clear(std::size_t slot) {
  store_.clear(slot);
  if (norms_[slot] != kFree && norms_[slot] > farthest_) {
    --far_;
    if (slot < front_) --far_scratch_rows_;
  }
  leave(slot);
}

// A row with the columns of those features that something stored has; it borrows from the two vectors.
template <class T>
typename Dictionary<T>::KernelJob Dictionary<T>::known(const PreparedRow<T>& row, KernelValues* out,
                                                       std::vector<std::uint32_t>& columns,
                                                       std::vector<T>& values) const {
  const std::size_t count = row.features().size();
  if (columns.size() < count) columns.resize(count);
  if (store_.find(row.features(), columns.data())) return {&row, columns.data(), row.values().data(), count, out};
  if (values.size() < count) values.resize(count);
  std::size_t known = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (columns[j] == FeatureTable::kNone) continue;
    values[known] = row.values()[j];
    columns[known++] = columns[j];
  }
  return {&row, columns.data(), values.data(), known, out};
}

// The same until this thread looks at the next one.
template <class T>
typename Dictionary<T>::KernelJob Dictionary<T>::known(const PreparedRow<T>& row, KernelValues* out) const {
  static thread_local std::vector<std::uint32_t> columns;
  static thread_local std::vector<T> values;
  return known(row, out, columns, values);
}

template <class T>
void Dictionary<T>::kernel_row(const PreparedRow<T>& row, Accuracy accuracy, KernelValues& out) const {
  const KernelJob job = known(row, &out);
  compute(std::span(&job, 1), accuracy == Accuracy::kFast && is_near(row), nullptr);
}

template <class T>
void Dictionary<T>::kernel_rows(std::span<const Row> rows, Accuracy accuracy, ScoredRows<T>& out,
                                bool with_scratch_rows) const {
  const bool is_block = take_together(rows, out);
  std::array<KernelJob, ScoredRows<T>::kRows> jobs;
  std::size_t near = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    PreparedRow<T>& row = out.rows[r];
    if (!is_block) row.borrow(rows[r], kernel_);
    near += is_far(row) ? 0 : 1;
  }
  const bool may_be_fast = accuracy == Accuracy::kFast && far_ == (with_scratch_rows ? 0 : far_scratch_rows_);
  const bool is_mixed = may_be_fast && near > 0 && near < rows.size();
  const RowBlock<T>* const block = is_block && out.block.is_full() && !is_mixed ? &out.block : nullptr;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    jobs[r] = block != nullptr ? KernelJob{&out.rows[r], nullptr, nullptr, 0, &out.values[r]}
                               : known(out.rows[r], &out.values[r], out.columns[r], out.known[r]);
  }
  if (!is_mixed) {
    compute(std::span(jobs).first(rows.size()), may_be_fast && near > 0, block);
    return;
  }
  for (std::size_t r = 0; r < rows.size(); ++r) compute(std::span(&jobs[r], 1), !is_far(out.rows[r]), nullptr);
}

// Makes queries of a whole block of rows and a RowBlock of them, if it can be full. False: nothing is done.
template <class T>
bool Dictionary<T>::take_together(std::span<const Row> rows, ScoredRows<T>& out) const {
  constexpr std::size_t kRows = RowBlock<T>::kRows;
  out.block.clear();
  if (rows.size() != kRows || !store_.takes_blocks()) return false;
  std::array<PreparedRow<T>*, kRows> queries;
  simd::SquaredNorms norms[kRows];
  try {
    for (std::size_t r = 0; r < kRows; ++r) {
      queries[r] = &out.rows[r];
      queries[r]->borrow_values(rows[r]);
    }
  } catch (const Error&) {
    return false;  // thrown again when it is its turn
  }
  store_.take(queries.data(), out.block, norms, norm_of(kernel_));
  for (std::size_t r = 0; r < kRows; ++r) {
    if (!queries[r]->take_norms(norms[r], kernel_)) return false;
  }
  if (!kernel_.is_radial()) out.block.clear();
  if (out.block.is_full()) store_.list_block(out.block);
  return true;
}

template <class T>
void Dictionary<T>::dots(const PreparedRow<T>& row, AlignedVector<double>& out) const {
  dots_in(known(row, nullptr), out);
}

template <class T>
void Dictionary<T>::scratch_rows(std::span<const ScratchRow<T>> rows, Accuracy accuracy,
                                 const RowBlock<T>* block) const {
  if (rows.empty()) return;
  if (block != nullptr && !block->is_full()) block = nullptr;
  static thread_local std::vector<KernelJob> jobs;
  jobs.clear();
  for (const ScratchRow<T>& row : rows) {
    // Rows of a block have all columns, with zeros; which of them are theirs is known to the block.
    const auto columns = block == nullptr ? store_.columns(row.scratch) : std::span<const std::uint32_t>();
    assert(block != nullptr || columns.size() == row.row->values().size());
    jobs.push_back({row.row, columns.data(), row.row->values().data(), columns.size(), row.out});
  }
  compute(jobs, accuracy == Accuracy::kFast && is_near(*rows.front().row), block);
}

template <class T>
void Dictionary<T>::compute(std::span<const KernelJob> jobs, bool in_float, const RowBlock<T>* block) const {
  if constexpr (std::is_same_v<T, float>) {
    if (in_float) {
      compute_in(jobs, float_norms_, block);
      return;
    }
  }
  compute_in(jobs, norms_, block);
}

template <class T>
template <class A>
void Dictionary<T>::compute_in(std::span<const KernelJob> jobs, const AlignedVector<A>& norms,
                               const RowBlock<T>* block) const {
  if (!kernel_.is_radial()) {
    for (const KernelJob& job : jobs) compute_plain<A>(job);
    return;
  }
  static thread_local std::vector<simd::RadialRow<A>> rows;
  static thread_local std::vector<A> wide;  // values in the type of the arithmetic, if that is another one
  rows.clear();
  wide.clear();
  if constexpr (!std::is_same_v<T, A>) {
    for (const KernelJob& job : jobs) wide.insert(wide.end(), job.values, job.values + job.count);
  }
  std::size_t next = 0;
  auto values = rounded_ == 0 ? ColumnStore<T>::Values::kOnes : ColumnStore<T>::Values::kAny;
  for (const KernelJob& job : jobs) {
    auto& numbers = job.out->template prepare<A>(front_, size_, true);
    const A norm = std::is_same_v<A, float> ? job.row->float_norm() : static_cast<A>(job.row->norm());
    const A* row_values = nullptr;
    if constexpr (std::is_same_v<T, A>) {
      row_values = job.values;
    } else {
      row_values = wide.data() + next;
    }
    rows.push_back({job.columns, row_values, job.count, norm, numbers.exponents.data(), numbers.values.data()});
    next += job.count;
    if (!job.row->is_ones()) values = std::min(values, ColumnStore<T>::Values::kExact);
    if (!job.row->has_exact_dots()) values = ColumnStore<T>::Values::kAny;
  }
  const simd::RadialElements<A> elements = {norms.data(), padded(front_ + size_), static_cast<A>(binary_gamma(kernel_)),
                                            kernel_.kind() == Kernel::Kind::kLaplacian};
  if (norm_of(kernel_) == Norm::kAbsolute) {
    store_.template overlap_rows<A>(elements, rows, values, block);
  } else {
    store_.template radial_rows<A>(elements, rows, values, block);
  }
}

template <class T>
template <class A>
void Dictionary<T>::dots_in(const KernelJob& job, AlignedVector<A>& out) const {
  const std::size_t slots = front_ + size_;
  if (out.size() < padded(slots)) out.resize(padded(slots));
  store_.dots(std::span(job.columns, job.count), job.values, slots, out.data());
}

// A kernel of the dot product: values in double, whatever the arithmetic.
template <class T>
template <class A>
void Dictionary<T>::compute_plain(const KernelJob& job) const {
  static thread_local AlignedVector<A> dots;
  dots_in(job, dots);
  const std::size_t slots = front_ + size_;
  auto& values = job.out->template prepare<double>(front_, size_, false).values;
  for (std::size_t i = 0; i < slots; ++i) {
    values[i] = norms_[i] == kFree ? 0.0 : kernel_.value(static_cast<double>(dots[i]), job.row->norm(), norms_[i]);
  }
}

template <class T>
std::vector<double> Dictionary<T>::selfs() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < size_; ++i) all.push_back(self(i));
  return all;
}

template <class T>
PreparedRow<T> Dictionary<T>::query_of(std::size_t slot, const Kernel& kernel) const {
  std::vector<FeatureIndex> features;
  std::vector<double> values;
  for (const auto& [feature, value] : store_.row(slot)) {
    features.push_back(feature);
    values.push_back(static_cast<double>(value));
  }
  PreparedRow<T> query;
  query.assign(Row::sparse(features, values), kernel);
  return query;
}

template <class T>
Dictionary<T> Dictionary<T>::rebuilt(const Kernel& kernel, std::span<const std::size_t> elements) const {
  Dictionary built(kernel, front_);
  for (std::size_t scratch = 0; scratch < front_; ++scratch) {
    if (norms_[scratch] != kFree) built.put_scratch(scratch, query_of(scratch, kernel));
  }
  for (const std::size_t i : elements) built.append(query_of(front_ + i, kernel));
  return built;
}

template <class T>
void Dictionary<T>::save(Archive& archive, const std::string& name) const {
  std::vector<StoredRow<T>> rows;
  for (std::size_t i = 0; i < size_; ++i) rows.push_back(element(i));
  save_rows(archive, name, rows);
}

template <class T>
void Dictionary<T>::save_scratch_rows(Archive& archive, const std::string& name,
                                      std::span<const std::size_t> scratch_rows) const {
  std::vector<StoredRow<T>> rows;
  for (const std::size_t scratch : scratch_rows) rows.push_back(store_.row(scratch));
  save_rows(archive, name, rows);
}

template <class T>
void Dictionary<T>::load(const Archive& archive, const std::string& name) {
  assert(size_ == 0);
  for (const PreparedRow<T>& query : load_rows<T>(archive, name, kernel_)) append(query);
}

template <class T>
std::size_t Dictionary<T>::bytes() const {
  return store_.bytes() + norms_.capacity() * sizeof(double) + float_norms_.capacity() * sizeof(float) +
         is_rounded_.capacity();
}

template class Dictionary<float>;
template class Dictionary<double>;

}  // namespace alder
