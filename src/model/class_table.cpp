#include "model/class_table.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "archive/archive.h"
#include "base/text.h"
#include "data/labels.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

bool is_id(double target) {
  return target >= 0.0 && target < kMostClasses && target == static_cast<double>(static_cast<std::uint32_t>(target));
}

}  // namespace

void ClassTable::set_names(std::vector<std::string> names, bool is_ordered) {
  names.resize(std::max(names.size(), names_.size()));
  std::vector<Label> labels;
  labels.reserve(names.size());
  for (const std::string& name : names) labels.emplace_back(name);
  for (std::size_t id = 0; id < names.size(); ++id) {
    const bool is_named = id < names_.size() && !names_[id].empty();
    if (is_named && names[id] != names_[id]) {
      throw Error(fmt::format("class {} is called {}; expected {}, as before", id, in_quotes(names[id]),
                              in_quotes(names_[id])));
    }
    if (is_named || names[id].empty()) continue;  // those that were there differ
    for (std::size_t other = 0; other < names.size(); ++other) {
      if (other != id && labels[id].is_same(labels[other]) && !names[other].empty()) {
        throw Error(fmt::format("two classes are called {}; expected names that differ", in_quotes(names[id])));
      }
    }
  }
  names_ = std::move(names);
  is_ordered_ = is_ordered_ || is_ordered;
  find_positive();
}

std::vector<std::uint32_t> ClassTable::shown() const {
  const bool all_are_named = std::none_of(names_.begin(), names_.end(), [](const auto& name) { return name.empty(); });
  if (!is_ordered_ && all_are_named) return shown_order(names_);
  std::vector<std::uint32_t> ids(names_.size());
  std::iota(ids.begin(), ids.end(), 0U);
  return ids;
}

void ClassTable::find_positive() {
  positive_ = 1;
  if (names_.size() == 2) positive_ = shown().back();
  // Whether the other class is smaller is not known yet; most often it will be -1 or 0.
  if (names_.size() == 1 && Label(names_[0]).number.value_or(0.0) > 0.0) positive_ = 0;
}

std::span<const double> ClassTable::numbers(const Examples& examples, std::vector<double>& out) const {
  if (is_identity_ && ids_.size() >= 2 &&
      std::all_of(examples.targets.begin(), examples.targets.end(),
                  [this](double target) { return target < static_cast<double>(ids_.size()); })) {
    return examples.targets;
  }
  out.assign(examples.targets.begin(), examples.targets.end());
  std::vector<std::uint32_t> fresh;  // ids that get the next numbers
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!is_id(out[i])) continue;
    const auto id = static_cast<std::uint32_t>(out[i]);
    if (id < numbers_.size() && numbers_[id]) {
      out[i] = *numbers_[id];
      continue;
    }
    const auto found = std::find(fresh.begin(), fresh.end(), id);
    out[i] = static_cast<double>(ids_.size()) + static_cast<double>(found - fresh.begin());
    if (found == fresh.end() && examples.weight(i) > 0.0) fresh.push_back(id);
  }
  return out;
}

void ClassTable::learn(const Examples& examples) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (examples.weight(i) == 0.0) continue;
    const auto id = static_cast<std::uint32_t>(examples.targets[i]);
    if (id >= numbers_.size()) numbers_.resize(id + 1);
    if (numbers_[id]) continue;
    numbers_[id] = static_cast<std::uint32_t>(ids_.size());
    is_identity_ = is_identity_ && *numbers_[id] == id;
    ids_.push_back(id);
    if (names_.size() <= id) names_.resize(id + 1);
  }
}

std::uint32_t ClassTable::predicted(std::span<const double> score) const {
  if (ids_.empty()) return kNoClass;
  const std::size_t number =
      score.size() == 1 ? (score[0] >= 0.0 ? 1 : 0)
                        : static_cast<std::size_t>(std::max_element(score.begin(), score.end()) - score.begin());
  return ids_[std::min(number, ids_.size() - 1)];
}

bool ClassTable::is_flipped() const {
  const auto number_of = [this](std::uint32_t id) { return id < numbers_.size() ? numbers_[id] : std::nullopt; };
  return number_of(positive_) == 0U || number_of(1 - std::min(positive_, 1U)) == 1U;
}

void ClassTable::spread(std::span<const double> score, std::span<double> out) const {
  if (ids_.empty()) {
    std::fill(out.begin(), out.end(), 0.0);
    return;
  }
  const double half = score.size() > 1 || ids_.size() < 2 ? 0.0 : is_flipped() ? -0.5 * score[0] : 0.5 * score[0];
  const double of_two[] = {-half, half};
  const std::span<const double> by_number =
      score.size() > 1 ? score : std::span(of_two, std::min(ids_.size(), std::size_t{2}));
  std::fill(out.begin(), out.end(), *std::min_element(by_number.begin(), by_number.end()) - 1.0);
  for (std::size_t number = 0; number < std::min(by_number.size(), ids_.size()); ++number) {
    out[ids_[number]] = by_number[number];
  }
}

void ClassTable::save(Archive& archive) const {
  Json list = Json::array();
  for (const std::uint32_t id : shown()) {
    list.push_back({{"name", names_[id]}, {"number", Json()}});
    if (id < numbers_.size() && numbers_[id]) list.back()["number"] = *numbers_[id];
  }
  archive.settings()["classes"] = std::move(list);
  archive.settings()["classes_are_ordered"] = is_ordered_;
}

ClassTable ClassTable::load(const Archive& archive) {
  const Json list = archive.settings().value("classes", Json());
  if (!list.is_array() || list.size() > kMostClasses) throw_bad_archive("its classes are no list");
  ClassTable table;
  std::vector<std::optional<std::uint32_t>> ids(list.size());  // by number
  for (std::size_t id = 0; id < list.size(); ++id) {
    table.names_.push_back(Archive::read<std::string>(list[id], "name"));
    table.numbers_.emplace_back();
    if (!list[id].contains("number") || list[id].at("number").is_null()) continue;
    const auto number = Archive::read<std::uint64_t>(list[id], "number");
    if (number >= ids.size() || ids[number]) throw_bad_archive("the numbers of its classes contradict each other");
    ids[number] = static_cast<std::uint32_t>(id);
    table.numbers_[id] = static_cast<std::uint32_t>(number);
    table.is_identity_ = table.is_identity_ && number == id;
  }
  for (const auto& id : ids) {
    if (id) table.ids_.push_back(*id);
  }
  if (!std::all_of(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(table.ids_.size()),
                   [](const auto& id) { return id.has_value(); })) {
    throw_bad_archive("a class has no number");
  }
  table.is_ordered_ = Archive::read<bool>(archive.settings(), "classes_are_ordered");
  table.find_positive();
  return table;
}

ClassTable ClassTable::of_two(const std::string& negative, const std::string& positive) {
  ClassTable table;
  table.names_ = {negative, positive};
  table.is_ordered_ = true;
  table.ids_ = {0, 1};
  table.numbers_ = {0, 1};
  table.find_positive();
  return table;
}

}  // namespace alder
