#include "data/vw.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace alder {
namespace {

class VwReader final : public RowReader {
 public:
  VwReader(Lines lines, TableLayout& layout) : RowReader(std::move(lines)), layout_(layout) {}

  bool next(RawRow& raw) override {
    std::string_view line;
    if (!next_filled_line(line)) return false;
    if (!row_) {
      layout_.accept_names(name(), where());
      row_.emplace(layout_.make_row());
    }
    raw.text = line;
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) {
      fail(fmt::format("no '|' in {}", in_quotes(line)), "expected 'label |namespace name:value ...'");
    }
    take_head(line.substr(0, bar), raw);
    row_->begin();
    std::string_view rest = line.substr(bar + 1);
    while (true) {
      const std::size_t end = std::min(rest.size(), rest.find('|'));
      take_namespace(rest.substr(0, end));
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
    raw.row = row_->finish();
    for (std::size_t i = 0; i < raw.row.size(); ++i) {
      if (!(std::fabs(raw.row.value(i)) <= largest())) reject_large("features that come again and add up to too much");
    }
    return true;
  }

  [[nodiscard]] std::size_t features() const override {
    return layout_.is_known() ? layout_.encoding().fixed_features() : 0;
  }

 private:
  // What is before the first bar.
  void take_head(std::string_view head, RawRow& raw) const {
    raw.label = {};
    raw.weight.reset();
    const bool touches = !head.empty() && !is_blank(head.back());
    std::string_view tag;
    std::size_t words = 0;
    for (std::string_view word = take_word(head); !word.empty(); word = take_word(head)) {
      const bool is_last = head.find_first_not_of(" \t") == std::string_view::npos;
      if (is_last && (touches || word.starts_with('\''))) {
        tag = word;
        break;
      }
      take_head_word(word, words++, raw);
    }
    if (words == 0 && !layout_.are_labels_optional()) {
      if (tag.empty() || tag.starts_with('\'')) fail("no label", "expected one before the '|'");
      fail(fmt::format("{} touches the '|', so it is a tag and no label", in_quotes(tag)),
           "expected a label and a space before the '|'");
    }
  }

  void take_head_word(std::string_view word, std::size_t place, RawRow& raw) const {
    if (word.find_first_of(":,") != std::string_view::npos) {
      fail(fmt::format("the label {}, which has costs or several classes", in_quotes(word)),
           "expected one class, as in '1 |namespace name:value ...'");
    }
    if (place == 0) {
      if (word == "shared") fail("a line of an example on several lines", "expected one example on each line");
      raw.label = word;
    } else if (place == 1) {
      raw.weight = parse_weight(word);
      if (!raw.weight) fail(in_quotes(word), kExpectedWeight);
    } else if (place > 2 || !parse_number(word)) {
      fail(fmt::format("{} before the '|'", in_quotes(word)),
           "expected a label, an importance, a base and a tag that begins with a single quote, at most");
    }
  }

  // What is between two bars.
  void take_namespace(std::string_view text) {
    double scale = 1.0;
    name_.clear();
    if (!text.empty() && !is_blank(text.front())) {
      const std::string_view word = take_word(text);
      const std::size_t colon = word.find(':');
      name_ = word.substr(0, colon);
      if (colon != std::string_view::npos) scale = number(word.substr(colon + 1), "the scale", word);
      if (!name_.empty()) name_ += '^';
    }
    const std::size_t prefix = name_.size();
    std::size_t nameless = 0;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      const std::size_t colon = word.find(':');
      double value = 1.0;
      if (colon != std::string_view::npos) value = number(word.substr(colon + 1), "the value", word);
      value *= scale;
      if (!(std::fabs(value) <= largest())) reject_large(fmt::format("the feature {}, scaled", in_quotes(word)));
      name_.resize(prefix);
      if (colon == 0) {
        name_ += std::to_string(nameless++);
      } else {
        name_ += word.substr(0, colon);
      }
      row_->named(0, name_, value);
    }
  }

  [[nodiscard]] double number(std::string_view text, const char* what, std::string_view word) const {
    const std::optional<double> found = parse_number(text);
    if (!found) fail(fmt::format("{} of {} is no number", what, in_quotes(word)), "expected a number behind the ':'");
    if (!std::isfinite(*found)) fail(fmt::format("{} of {} is not finite", what, in_quotes(word)), "expected a number");
    if (std::fabs(*found) > largest()) reject_large(fmt::format("{} of {}", what, in_quotes(word)));
    return *found;
  }

  TableLayout& layout_;
  std::optional<RecordRow> row_;
  std::string name_;
};

}  // namespace

std::unique_ptr<RowReader> read_vw(Lines lines, TableLayout& layout) {
  return std::make_unique<VwReader>(std::move(lines), layout);
}

}  // namespace alder
