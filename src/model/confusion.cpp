#include "alder/confusion.h"

#include <algorithm>
#include <string>
#include <utility>

#include "archive/archive.h"
#include "model/targets.h"

namespace alder {
namespace {

constexpr std::size_t kMostLarge = 2 * Confusion::kMostListed;

bool is_larger(const Confusion::Entry& a, const Confusion::Entry& b) {
  if (a.rows != b.rows) return a.rows > b.rows;
  return a.actual != b.actual ? a.actual < b.actual : a.predicted < b.predicted;
}

std::uint64_t pair_key(std::uint32_t actual, std::uint32_t predicted) {
  return (std::uint64_t{actual} << 32U) | predicted;
}

Confusion::Entry entry_of(std::uint64_t key, std::uint64_t rows) {
  return {static_cast<std::uint32_t>(key >> 32U), static_cast<std::uint32_t>(key), rows};
}

}  // namespace

void Confusion::add_large(std::uint32_t actual, std::uint32_t predicted, std::uint64_t rows) {
  large_[pair_key(actual, predicted)] += rows;
  if (large_.size() <= kMostLarge) return;
  std::vector<Entry> entries;
  entries.reserve(large_.size());
  for (const auto& [key, count] : large_) entries.push_back(entry_of(key, count));
  std::sort(entries.begin(), entries.end(), is_larger);
  for (std::size_t i = kMostListed; i < entries.size(); ++i) {
    cut_ += entries[i].rows;
    large_.erase(pair_key(entries[i].actual, entries[i].predicted));
  }
}

std::vector<Confusion::Entry> Confusion::all() const {
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < small_.size(); ++i) {
    const std::uint32_t column = i % (kSmall + 1);
    if (small_[i] > 0) entries.push_back({i / (kSmall + 1), column == kSmall ? kNoClass : column, small_[i]});
  }
  for (const auto& [key, count] : large_) entries.push_back(entry_of(key, count));
  std::sort(entries.begin(), entries.end(), is_larger);
  return entries;
}

std::vector<Confusion::Entry> Confusion::entries() const {
  std::vector<Entry> entries = all();
  if (entries.size() > kMostListed) entries.resize(kMostListed);
  return entries;
}

std::uint64_t Confusion::other() const {
  std::uint64_t rows = cut_;
  const std::vector<Entry> entries = all();
  for (std::size_t i = kMostListed; i < entries.size(); ++i) rows += entries[i].rows;
  return rows;
}

std::uint64_t Confusion::rows() const {
  std::uint64_t rows = cut_;
  for (const Entry& entry : all()) rows += entry.rows;
  return rows;
}

void Confusion::merge(const Confusion& another) {
  for (const Entry& entry : another.all()) add(entry.actual, entry.predicted, entry.rows);
  cut_ += another.cut_;
}

void Confusion::renumber(std::span<const std::uint32_t> ids) {
  const auto renumbered = [ids](std::uint32_t id) { return id < ids.size() ? ids[id] : id; };
  Confusion other;
  for (const Entry& entry : all()) other.add(renumbered(entry.actual), renumbered(entry.predicted), entry.rows);
  other.cut_ += cut_;
  *this = std::move(other);
}

void Confusion::save(Archive& archive, const char* name) const {
  std::vector<std::uint64_t> numbers;
  for (const Entry& entry : all()) {
    numbers.insert(numbers.end(), {entry.actual, entry.predicted, entry.rows});
  }
  archive.put(name, numbers);
  archive.put(std::string(name) + ".other", std::vector<std::uint64_t>{cut_});
}

Confusion Confusion::load(const Archive& archive, const char* name) {
  const auto numbers = archive.get<std::uint64_t>(name);
  Confusion loaded;
  loaded.cut_ = archive.get<std::uint64_t>(std::string(name) + ".other", 1)[0];
  bool is_sound = numbers.size() % 3 == 0 && loaded.cut_ <= kMostCountedRows;
  Entry before;
  std::uint64_t rows = loaded.cut_;
  for (std::size_t i = 0; is_sound && i < numbers.size(); i += 3) {
    is_sound = numbers[i] < kMostClasses && (numbers[i + 1] < kMostClasses || numbers[i + 1] == kNoClass) &&
               numbers[i + 2] >= 1 && numbers[i + 2] <= kMostCountedRows;
    rows += is_sound ? numbers[i + 2] : 0;
    is_sound = is_sound && rows <= kMostCountedRows;
    if (!is_sound) break;
    const Entry entry = {static_cast<std::uint32_t>(numbers[i]), static_cast<std::uint32_t>(numbers[i + 1]),
                         numbers[i + 2]};
    is_sound = i == 0 || is_larger(before, entry);
    loaded.add(entry.actual, entry.predicted, entry.rows);
    before = entry;
  }
  // An entry that comes twice makes them fewer.
  if (!is_sound || 3 * loaded.all().size() != numbers.size()) {
    throw_bad_archive(std::string("the entries of ") + name + " contradict each other");
  }
  return loaded;
}

}  // namespace alder
