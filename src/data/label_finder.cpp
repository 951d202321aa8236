#include "data/label_finder.h"

#include <cmath>

#include "base/text.h"
#include "data/cell.h"
#include "data/text_lines.h"

namespace alder {
namespace {

// Up to this many different numbers are still taken for classes, such as grades in halves, or ages.
constexpr std::size_t kMostClassesOfFractions = 10;
constexpr std::size_t kMostClassesOfWhole = 100;

}  // namespace

void LabelFinder::add(std::string_view text, std::optional<double> number) {
  if (is_missing(text)) return;
  ++rows_;
  if (!number || !std::isfinite(*number)) {
    are_numbers_ = false;
    if (texts_.size() < kMostDifferent) texts_.emplace(text);
    return;
  }
  are_whole_ = are_whole_ && *number == std::floor(*number);
  if (numbers_.size() < kMostDifferent) numbers_.insert(*number);
}

FirstLabels LabelFinder::found() const {
  FirstLabels labels;
  labels.rows = rows_;
  labels.different = numbers_.size() + texts_.size();
  labels.are_numbers = are_numbers_ && rows_ > 0;
  labels.are_whole = labels.are_numbers && are_whole_;
  const std::size_t most = are_whole_ ? kMostClassesOfWhole : kMostClassesOfFractions;
  if (labels.are_numbers && labels.different > most) labels.task = Task::kRegression;
  return labels;
}

FirstLabels look_at_labels(std::string_view text, Format format) {
  LabelFinder finder;
  std::string_view line;
  while (take_line(text, line, false)) {
    if (format == Format::kVw) line = line.substr(0, line.find('|'));
    const std::string_view word = take_word(line);
    // A row without a label begins with a feature, a query or a tag.
    if (word.empty() || word.front() == '#' || word.front() == '\'' || word.find(':') != std::string_view::npos)
      continue;
    finder.add(word, parse_number(word));
  }
  return finder.found();
}

}  // namespace alder
