#include "data/labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder {
namespace {

// Ways to write numbers that are remembered beside one for each class.
constexpr std::size_t kMostSpellings = 1024;
// Classes that a message names.
constexpr std::size_t kNamed = 5;

// A name from a file, in quotes only if it needs them.
std::string plain(const std::string& name) {
  const std::string quoted = in_quotes(name);
  return quoted == "'" + name + "'" ? name : quoted;
}

}  // namespace

Label::Label(std::string_view written) : text(written), number(parse_number(written)) {
  if (number && !std::isfinite(*number)) number.reset();
}

bool Label::is_same(const Label& other) const {
  return number && other.number ? *number == *other.number : text == other.text;
}

Labels::Labels(const InputOptions& options)
    : only_(options.only_classes), optional_(options.labels_optional), names_(options.classes) {
  if (names_.size() > kMostClasses) {
    throw Error(fmt::format("{} classes are given; expected at most {}", names_.size(), kMostClasses));
  }
  if (only_ && names_.empty()) throw Error("no labels but those of given classes are wanted, and none is given");
  for (std::uint32_t id = 0; id < names_.size(); ++id) {
    if (names_[id].empty()) {
      open_.insert(open_.begin(), id);
      continue;
    }
    const Label label(names_[id]);
    if (const auto other = find(label)) {
      throw Error(fmt::format("classes {} and {} are the same; expected labels that differ", in_quotes(names_[*other]),
                              in_quotes(names_[id])));
    }
    enter(label, id);
  }
}

double Labels::map_other(std::string_view text, const RowReader& reader) {
  if (text.empty()) {
    if (optional_) return kNoTarget;
    throw BadRow(Error::Kind::kTarget, fmt::format("{}: no label; expected {}", reader.where(), expected()));
  }
  std::optional<std::uint32_t> id;
  if (const auto met = ids_.find(text); met != ids_.end()) {
    id = met->second;
  } else {
    const Label label(text);
    id = find(label);
    if (id && ids_.size() < names_.size() + kMostSpellings) ids_.emplace(text, *id);
    if (!id && optional_) return kNoTarget;
    if (!id && only_) {
      throw BadRow(Error::Kind::kTarget,
                   fmt::format("{}: label {}; expected {}", reader.where(), in_quotes(text), expected()));
    }
    if (!id) id = add(label, reader);
  }
  std::swap(last_, before_);
  last_.text = text;
  last_.target = static_cast<double>(*id);
  return last_.target;
}

std::optional<std::uint32_t> Labels::find(const Label& label) const {
  if (label.number) {
    const auto found = ids_of_numbers_.find(*label.number);
    return found == ids_of_numbers_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto found = ids_.find(label.text);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t Labels::add(const Label& label, const RowReader& reader) {
  auto id = static_cast<std::uint32_t>(names_.size());
  if (!open_.empty()) {
    id = open_.back();
    open_.pop_back();
    names_[id] = label.text;
  } else if (names_.size() == kMostClasses) {
    throw Error(Error::Kind::kTarget,
                fmt::format("{}: label {} is one class more than the {} that there can be; expected "
                            "labels that name classes",
                            reader.where(), in_quotes(label.text), kMostClasses));
  } else {
    names_.push_back(label.text);
  }
  enter(label, id);
  new_.push_back(id);
  return id;
}

void Labels::enter(const Label& label, std::uint32_t id) {
  ids_.emplace(label.text, id);
  if (label.number) ids_of_numbers_.emplace(*label.number, id);
}

std::string Labels::expected() const {
  std::vector<std::string> known;
  for (const std::string& name : names_) {
    if (!name.empty() && known.size() <= kNamed) known.push_back(plain(name));
  }
  if (known.empty()) return "one";
  if (!only_) return known.size() > kNamed ? "one" : fmt::format("{} or another", fmt::join(known, ", "));
  if (known.size() > kNamed) {
    known.pop_back();
    return fmt::format("{} or another of the {} classes", fmt::join(known, ", "), names_.size());
  }
  const std::string last = known.back();
  known.pop_back();
  return known.empty() ? last : fmt::format("{} or {}", fmt::join(known, ", "), last);
}

std::vector<std::uint32_t> shown_order(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> order(names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<Label> labels(names.begin(), names.end());
  const bool are_numbers = std::all_of(labels.begin(), labels.end(), [](const Label& label) { return label.number; });
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return are_numbers ? *labels[a].number < *labels[b].number : labels[a].text < labels[b].text;
  });
  return order;
}

std::vector<std::string> sort_classes(Dataset& rows, std::vector<std::string> names) {
  double largest = -1.0;
  for (const double target : rows.targets()) largest = std::max(largest, target);
  names.resize(std::min(names.size(), static_cast<std::size_t>(largest + 1.0)));
  if (names.size() == 1) {
    const Label only(names[0]);
    if (!only.number || !(*only.number > 0.0)) return names;
    for (std::size_t i = 0; i < rows.size(); ++i) rows.set_target(i, 1.0);
    return {"", names[0]};
  }
  const std::vector<std::uint32_t> order = shown_order(names);
  std::vector<std::string> sorted(names.size());
  std::vector<double> ids(names.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    sorted[place] = std::move(names[order[place]]);
    ids[order[place]] = static_cast<double>(place);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double target = rows.targets()[i];
    if (target >= 0.0) rows.set_target(i, ids[static_cast<std::size_t>(target)]);
  }
  return sorted;
}

}  // namespace alder
