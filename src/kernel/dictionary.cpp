#include "kernel/dictionary.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <type_traits>

#include "kernel/row_group.h"
#include "simd/simd.h"

namespace alder {
namespace {

// A float dot product is off by about 1e-7·‖x‖‖s‖, which moves the exponent of a Gaussian, γ‖x−s‖², by about
// 1e-7·γ(‖x‖²+‖s‖²). If γ‖x‖² and γ‖s‖² are below this limit, that is below 2e-4; beyond it (features far from the
// scale of σ) rows are computed in double.
constexpr double kFloatExponentLimit = 1000.0;
// Products and sums of such numbers stay far from what a float can hold.
constexpr double kFloatLimit = 1e30;
// Columns that nobody uses are looked for when there are so many more than stored values could fill.
constexpr std::size_t kSpareColumns = 64;
// Whole columns are given up when they take more than this, and this much more than pieces of them would.
constexpr std::size_t kLargeColumns = std::size_t{1} << 23U;  // bytes
constexpr std::size_t kMuchMore = 4;

constexpr double kNobody = std::numeric_limits<double>::infinity();

// The largest squared norm with which float arithmetic will do; negative: it never does.
template <class T>
double farthest(const Kernel& kernel) {
  // The square root of a Laplacian's distance magnifies the rounding of near duplicates: 1e-7 becomes 3e-4.
  if (std::is_same_v<T, double> || kernel.kind() == Kernel::Kind::kLaplacian || kernel.gamma() > kFloatLimit)
    return -1.0;
  return kernel.is_radial() ? std::min(kFloatLimit, kFloatExponentLimit / kernel.gamma()) : kFloatLimit;
}

}  // namespace

template <class T>
Dictionary<T>::Dictionary(const Kernel& kernel, std::size_t guests) : kernel_(kernel), farthest_(farthest<T>(kernel)) {
  reserve_guests(guests);
}

template <class T>
void Dictionary<T>::reserve_guests(std::size_t guests) {
  if (guests <= front_) return;
  std::vector<Query<T>> elements;
  for (std::size_t i = 0; i < size_; ++i) elements.push_back(query(i));
  truncate(0);
  front_ = padded(guests);
  make_room(std::max(front_, entries_.size()));
  for (const Query<T>& element : elements) append(element);
}

template <class T>
void Dictionary<T>::make_room(std::size_t slots) {
  const std::size_t room = padded(slots);
  if (!sparse_) columns_.widen(room);
  norms_.resize(room, kNobody);
  float_norms_.resize(room, std::numeric_limits<float>::infinity());
  entries_.resize(room);
  is_rounded_.resize(room);
}

template <class T>
void Dictionary<T>::append(const Query<T>& row) {
  const std::size_t slot = front_ + size_;
  if (slot == entries_.size()) make_room(slot + size_ + 1);
  fill(slot, row);
  ++size_;
}

template <class T>
void Dictionary<T>::replace(std::size_t element, const Query<T>& row) {
  assert(element < size_);
  clear(front_ + element);
  fill(front_ + element, row);
}

template <class T>
void Dictionary<T>::truncate(std::size_t count) {
  assert(count <= size_);
  while (size_ > count) clear(front_ + --size_);
}

template <class T>
void Dictionary<T>::fill(std::size_t slot, const Query<T>& row) {
  assert(norms_[slot] == kNobody);
  const std::size_t count = row.features().size();
  if (!sparse_ && columns_.count() + count > 2 * (values_ + count) + kSpareColumns) forget_unused_columns();
  find_or_make(row.features());
  // Two rows that have all columns have the same: then there is nothing to clear.
  std::vector<std::uint32_t>& entries = entries_[slot];
  if (sparse_ || count != columns_.count() || count != entries.size()) {
    clear(slot);
    entries.swap(found_);
    values_ += count;
  }
  const T* values = row.values().data();
  if (sparse_) {
    for (std::size_t j = 0; j < count; ++j) sparse_->put(entries[j], slot, values[j]);
  } else {
    T* numbers = columns_.data(0) + slot;
    const std::size_t stride = columns_.stride();
    for (std::size_t j = 0; j < count; ++j) numbers[entries[j] * stride] = values[j];
  }
  norms_[slot] = row.norm();
  float_norms_[slot] = row.float_norm();
  is_rounded_[slot] = !row.has_exact_dots();
  rounded_ += is_rounded_[slot] ? 1 : 0;
  if (is_far(row)) ++far_;
}

// Puts the columns of these features into found_.
template <class T>
void Dictionary<T>::find_or_make(std::span<const FeatureIndex> features) {
  const std::size_t count = features.size();
  if (found_.capacity() < count) found_.reserve(std::bit_ceil(count));
  found_.resize(count);
  if (find(features, found_.data())) return;
  if (!sparse_ && (columns_.count() + count) * columns_.stride() * sizeof(T) > kLargeColumns &&
      columns_.count() * columns_.stride() > kMuchMore * kLanes * values_) {
    become_sparse();
  }
  for (std::size_t j = 0; j < count; ++j) {
    found_[j] = sparse_ ? sparse_->make(features[j]) : columns_.make(features[j]);
  }
}

template <class T>
bool Dictionary<T>::find(std::span<const FeatureIndex> features, std::uint32_t* columns) const {
  return sparse_ ? sparse_->find(features.data(), features.size(), columns)
                 : columns_.find(features.data(), features.size(), columns);
}

// What a guest has left in the columns is next to nothing to look at: its norm says that it is not there. What is too
// far for float arithmetic could overflow in it.
template <class T>
void Dictionary<T>::drop_guest(std::size_t guest) {
  if (norms_[guest] > farthest_ || sparse_) {
    clear(guest);
  } else {
    leave(guest);
  }
}

// Nobody has the slot any more.
template <class T>
void Dictionary<T>::leave(std::size_t slot) {
  norms_[slot] = kNobody;
  float_norms_[slot] = std::numeric_limits<float>::infinity();
  rounded_ -= is_rounded_[slot] ? 1 : 0;
  is_rounded_[slot] = false;
}

template <class T>
void Dictionary<T>::clear(std::size_t slot) {
  if (sparse_) {
    for (const std::uint32_t column : entries_[slot]) sparse_->clear(column, slot);
  } else {
    T* numbers = columns_.data(0) + slot;
    const std::size_t stride = columns_.stride();
    for (const std::uint32_t column : entries_[slot]) numbers[column * stride] = T{0};
  }
  values_ -= entries_[slot].size();
  entries_[slot].clear();
  if (norms_[slot] != kNobody && norms_[slot] > farthest_) --far_;
  leave(slot);
}

template <class T>
void Dictionary<T>::forget_unused_columns() {
  used_.assign(columns_.numbers(), false);
  for (const auto& entries : entries_) {
    for (const std::uint32_t column : entries) used_[column] = true;
  }
  columns_.keep(used_);
}

template <class T>
void Dictionary<T>::become_sparse() {
  for (std::size_t slot = 0; slot < front_; ++slot) {
    if (norms_[slot] == kNobody) clear(slot);  // what a guest has left
  }
  SparseColumns<T> sparse;
  for (std::size_t slot = 0; slot < entries_.size(); ++slot) {
    for (std::uint32_t& column : entries_[slot]) {
      const T value = columns_.data(column)[slot];
      column = sparse.make(columns_.feature(column));
      sparse.put(column, slot, value);
    }
  }
  sparse_ = std::move(sparse);
  columns_ = Columns<T>();
}

// A row with the columns of those features that something stored has; until this thread looks at the next one.
template <class T>
typename Dictionary<T>::Task Dictionary<T>::known(const Query<T>& row, KernelRow* out) const {
  static thread_local std::vector<std::uint32_t> columns;
  static thread_local std::vector<T> values;
  const std::size_t count = row.features().size();
  columns.resize(count);
  if (find(row.features(), columns.data())) return {&row, columns.data(), row.values().data(), count, out};
  values.resize(count);
  std::size_t known = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (columns[j] == Columns<T>::kNone) continue;
    values[known] = row.values()[j];
    columns[known++] = columns[j];
  }
  return {&row, columns.data(), values.data(), known, out};
}

template <class T>
void Dictionary<T>::kernel_row(const Query<T>& row, Accuracy accuracy, KernelRow& out) const {
  const Task task = known(row, &out);
  compute(std::span(&task, 1), accuracy);
}

template <class T>
void Dictionary<T>::dots(const Query<T>& row, AlignedVector<double>& out) const {
  dots_in(known(row, nullptr), out);
}

template <class T>
void Dictionary<T>::guest_rows(std::span<const GuestRow<T>> rows, Accuracy accuracy) const {
  static thread_local std::vector<Task> tasks;
  tasks.clear();
  for (const GuestRow<T>& row : rows) {
    const auto& entries = entries_[row.guest];
    tasks.push_back({row.row, entries.data(), row.row->values().data(), entries.size(), row.out});
  }
  compute(tasks, accuracy);
}

template <class T>
void Dictionary<T>::compute(std::span<const Task> tasks, Accuracy accuracy) const {
  if (tasks.empty()) return;
  if constexpr (std::is_same_v<T, float>) {
    if (accuracy == Accuracy::kFast && is_near(*tasks[0].row)) {
      compute_in(tasks, float_norms_);
      return;
    }
  }
  compute_in(tasks, norms_);
}

template <class T>
template <class A>
void Dictionary<T>::compute_in(std::span<const Task> tasks, const AlignedVector<A>& norms) const {
  if (!kernel_.is_radial()) {
    for (const Task& task : tasks) compute_plain<A>(task);
    return;
  }
  static thread_local std::vector<simd::RadialRow<T, A>> rows;
  rows.clear();
  for (const Task& task : tasks) {
    auto& numbers = task.out->template prepare<A>(front_, size_, true);
    const A norm = std::is_same_v<A, float> ? task.row->float_norm() : static_cast<A>(task.row->norm());
    rows.push_back({task.columns, task.values, task.count, norm, numbers.exponents.data(), numbers.values.data()});
  }
  const simd::RadialElements<A> elements = {norms.data(), padded(front_ + size_), static_cast<A>(kernel_.gamma()),
                                            kernel_.kind() == Kernel::Kind::kLaplacian};
  if (sparse_) {
    compute_sparse<A>(rows, elements);
  } else {
    static thread_local RowGroup<T, A> group;
    const bool exact_dots = rounded_ == 0 && std::all_of(tasks.begin(), tasks.end(),
                                                         [](const Task& task) { return task.row->has_exact_dots(); });
    group.compute(elements, columns_, rows, exact_dots);
  }
}

template <class T>
template <class A>
void Dictionary<T>::compute_sparse(std::span<const simd::RadialRow<T, A>> rows,
                                   const simd::RadialElements<A>& elements) const {
  static thread_local std::vector<simd::Piece<T, A>> pieces;
  for (const simd::RadialRow<T, A>& row : rows) {
    sparse_->dots(std::span(row.columns, row.count), row.values, elements.n, pieces, row.exponents);
    simd::radial_of_dots(elements, row);
  }
}

template <class T>
template <class A>
void Dictionary<T>::dots_in(const Task& task, AlignedVector<A>& out) const {
  const std::size_t slots = front_ + size_;
  if (out.size() < padded(slots)) out.resize(padded(slots));
  if (sparse_) {
    static thread_local std::vector<simd::Piece<T, A>> pieces;
    sparse_->dots(std::span(task.columns, task.count), task.values, padded(slots), pieces, out.data());
    return;
  }
  static thread_local std::vector<const T*> pointers;
  pointers.clear();
  for (std::size_t j = 0; j < task.count; ++j) pointers.push_back(columns_.data(task.columns[j]));
  simd::dots(pointers.data(), task.values, task.count, slots, out.data());
}

// A kernel of the dot product: values in double, whatever the arithmetic.
template <class T>
template <class A>
void Dictionary<T>::compute_plain(const Task& task) const {
  static thread_local AlignedVector<A> dots;
  dots_in(task, dots);
  const std::size_t slots = front_ + size_;
  auto& values = task.out->template prepare<double>(front_, size_, false).values;
  for (std::size_t i = 0; i < slots; ++i) {
    values[i] = norms_[i] == kNobody ? 0.0 : kernel_.value(static_cast<double>(dots[i]), task.row->norm(), norms_[i]);
  }
}

template <class T>
StoredRow<T> Dictionary<T>::stored(std::size_t slot) const {
  StoredRow<T> numbers;
  for (const std::uint32_t column : entries_[slot]) {
    if (sparse_) {
      numbers.emplace_back(sparse_->feature(column), sparse_->value(column, slot));
    } else {
      numbers.emplace_back(columns_.feature(column), columns_.data(column)[slot]);
    }
  }
  return numbers;
}

template <class T>
std::vector<double> Dictionary<T>::selfs() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < size_; ++i) all.push_back(self(i));
  return all;
}

template <class T>
Query<T> Dictionary<T>::query_of(std::size_t slot, const Kernel& kernel) const {
  std::vector<FeatureIndex> features;
  std::vector<double> values;
  for (const auto& [feature, value] : stored(slot)) {
    features.push_back(feature);
    values.push_back(static_cast<double>(value));
  }
  Query<T> query;
  query.assign(Row::sparse(features, values), kernel);
  return query;
}

template <class T>
Dictionary<T> Dictionary<T>::rebuilt(const Kernel& kernel, std::span<const std::size_t> elements) const {
  Dictionary built(kernel, front_);
  for (std::size_t guest = 0; guest < front_; ++guest) {
    if (norms_[guest] != kNobody) built.put_guest(guest, query_of(guest, kernel));
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
void Dictionary<T>::save_guests(Archive& archive, const std::string& name, std::span<const std::size_t> guests) const {
  std::vector<StoredRow<T>> rows;
  for (const std::size_t guest : guests) rows.push_back(stored(guest));
  save_rows(archive, name, rows);
}

template <class T>
void Dictionary<T>::load(const Archive& archive, const std::string& name) {
  assert(size_ == 0);
  for (const Query<T>& query : load_rows<T>(archive, name, kernel_)) append(query);
}

template <class T>
std::size_t Dictionary<T>::bytes() const {
  std::size_t total = (sparse_ ? sparse_->bytes() : columns_.bytes()) + norms_.capacity() * sizeof(double) +
                      float_norms_.capacity() * sizeof(float) + entries_.capacity() * sizeof(entries_[0]) +
                      is_rounded_.capacity() / 8;
  for (const auto& entries : entries_) total += entries.capacity() * sizeof(std::uint32_t);
  return total;
}

template class Dictionary<float>;
template class Dictionary<double>;

}  // namespace alder
