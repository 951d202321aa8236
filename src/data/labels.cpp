#include "data/labels.h"

#include <cmath>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"

namespace alder {

Label::Label(std::string_view written) : text(written), number(parse_number(written)) {
  if (number && !std::isfinite(*number)) number.reset();
}

bool Label::is_same(const Label& other) const {
  return number && other.number ? *number == *other.number : text == other.text;
}

bool Label::is_less(const Label& other) const {
  return number && other.number ? *number < *other.number : text < other.text;
}

Labels::Labels(const std::optional<Classes>& classes, bool optional) : optional_(optional) {
  if (optional && !classes) throw Error("optional labels without classes; expected the two classes of the model");
  if (!classes) return;
  negative_ = Label(trimmed(classes->negative));
  positive_ = Label(trimmed(classes->positive));
  if (negative_.is_same(positive_)) {
    throw Error(fmt::format("classes {} and {} are the same; expected two labels that differ",
                            in_quotes(negative_.text), in_quotes(positive_.text)));
  }
  decided_ = true;
}

void Labels::assume(std::uint64_t rows) {
  if (decided_ || first_.text.empty()) return;
  (first_.number && *first_.number == 1.0 ? positive_ : negative_) = first_;
  assumed_rows_ = rows;
  decided_ = true;
}

std::optional<Classes> Labels::classes() const {
  if (!decided_) return std::nullopt;
  return Classes{negative_.text, positive_.text};
}

double Labels::map_other(std::string_view text, const RowReader& reader) {
  if (text.empty()) {
    if (optional_) return kNoTarget;
    throw BadRow(Error::Kind::kTarget, fmt::format("{}: no label; expected {}", reader.where(), expected()));
  }
  const Label label(text);
  if (!decided_) {
    if (first_.text.empty()) first_ = label;
    if (label.is_same(first_)) return 1.0;
    negative_ = label.is_less(first_) ? label : first_;
    positive_ = label.is_less(first_) ? first_ : label;
    decided_ = true;
  }
  if (label.is_same(positive_)) return 1.0;
  if (label.is_same(negative_)) return 0.0;
  if (negative_.text.empty() || positive_.text.empty()) return map_to_unmet_class(label, reader);
  if (optional_) return kNoTarget;
  throw BadRow(Error::Kind::kTarget,
               fmt::format("{}: label {}; expected {}", reader.where(), in_quotes(text), expected()));
}

double Labels::map_to_unmet_class(const Label& label, const RowReader& reader) {
  const bool is_positive = positive_.text.empty();
  const Label& met = is_positive ? negative_ : positive_;
  if (is_positive ? met.is_less(label) : label.is_less(met)) {
    (is_positive ? positive_ : negative_) = label;
    return is_positive ? 1.0 : 0.0;
  }
  if (optional_) return kNoTarget;
  const std::string reason = assumed_rows_ ? fmt::format("the only label of the first {} rows", *assumed_rows_)
                                           : std::string("the only class that was given");
  throw Error(Error::Kind::kTarget,
              fmt::format("{}: label {}, but {}, {}, was taken for the {} class; expected a {} label, or both given by "
                          "--labels NEGATIVE,POSITIVE",
                          reader.where(), in_quotes(label.text), in_quotes(met.text), reason,
                          is_positive ? "negative" : "positive", is_positive ? "larger" : "smaller"));
}

std::string Labels::expected() const {
  // Names come from files: as in messages, but without quotes unless they need them.
  const auto plain = [](const Label& label) {
    const std::string name = in_quotes(label.text);
    return name == "'" + label.text + "'" ? label.text : name;
  };
  if (negative_.text.empty() || positive_.text.empty()) {
    const Label& met = !negative_.text.empty() ? negative_ : !positive_.text.empty() ? positive_ : first_;
    return met.text.empty() ? "one" : plain(met) + " or another";
  }
  return plain(negative_) + " or " + plain(positive_);
}

}  // namespace alder
