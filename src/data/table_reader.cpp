#include "data/table_reader.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "data/cell.h"

namespace alder {

void TableReader::accept(TableHead head) {
  roles_ = layout_.accept(head);
  names_ = std::move(head.names);
  row_.emplace(layout_.make_row());
}

std::optional<double> TableReader::label_number(std::string_view label) const {
  return parse_cell_number(label, false);
}

void TableReader::begin(RawRow& raw) {
  row_->begin();
  raw.label = {};
  raw.weight.reset();
}

void TableReader::take(std::size_t place, std::string_view text, RawRow& raw) {
  const CellRole& role = roles_[place];
  switch (role.kind) {
    case CellRole::Kind::kLabel:
      raw.label = text;
      break;
    case CellRole::Kind::kWeight:
      if (text.empty()) {
        take_missing(place);
        break;
      }
      raw.weight = parse_weight(text);
      if (!raw.weight) fail(fmt::format("{} in {}", in_quotes(text), column(place)), kExpectedWeight);
      break;
    case CellRole::Kind::kNumber:
      take_number_text(place, text);
      break;
    case CellRole::Kind::kCell:
      row_->text(role.column, text);
      break;
    default:
      break;
  }
}

void TableReader::take_number_text(std::size_t place, std::string_view text) {
  const auto number = layout_.is_plain() ? parse_number(text) : parse_cell_number(text, false);
  if (number && std::isfinite(*number)) {
    take_number(place, *number, text);
  } else if (!layout_.is_plain()) {
    if (number) {
      row_->number(roles_[place].column, *number);
    } else {
      row_->text(roles_[place].column, text);
    }
  } else if (text.empty()) {
    take_missing(place);
  } else {
    fail(fmt::format("{} in {}", in_quotes(text), column(place)),
         number ? "expected a finite number" : "expected a number");
  }
}

void TableReader::take_number(std::size_t place, double value, std::string_view text) {
  if (std::fabs(value) > largest()) reject_large(fmt::format("{} in {}", in_quotes(text), column(place)));
  row_->append(roles_[place].feature, value - roles_[place].offset);
}

void TableReader::take_missing(std::size_t place) {
  const CellRole& role = roles_[place];
  switch (role.kind) {
    case CellRole::Kind::kWeight:
      // Rows to predict need no weights.
      if (!layout_.are_labels_optional()) fail(fmt::format("nothing in {}", column(place)), kExpectedWeight);
      break;
    case CellRole::Kind::kNumber:
    case CellRole::Kind::kCell:
      if (layout_.is_plain()) fail(fmt::format("nothing in {}", column(place)), "expected a number");
      row_->missing(role.column);
      break;
    default:
      break;
  }
}

}  // namespace alder
