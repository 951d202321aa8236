#include "data/table_layout.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"

#include "base/text.h"
#include "data/cell.h"
#include "data/label_finder.h"

namespace alder {
namespace {

// What the column of the label is usually called.
bool names_label(const std::string& field) {
  std::string name = field;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name == "label" || name == "class" || name == "target" || name == "y";
}

// The number that a column is named by; empty: it has another name. Throws for 0.
std::optional<long> column_number(const std::string& name, const char* what) {
  const char* const begin = name.data() + (name.starts_with('+') ? 1 : 0);
  const char* const end = name.data() + name.size();
  long number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (name.empty() || error != std::errc() || stop != end) return std::nullopt;
  if (number == 0) {
    throw Error(fmt::format("{} column 0; expected a number from 1 or, counted from the last, from -1", what));
  }
  return number;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 10;
  return fmt::format(
      "{}{}",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, names.size())), ", "),
      names.size() > kNamed ? ", ..." : "");
}

// Whether it is one of features by name.
bool is_of_names(const Encoding& encoding) {
  return encoding.columns().size() == 1 && encoding.columns().front().kind == ColumnKind::kNames;
}

}  // namespace

TableLayout::TableLayout(const InputOptions& options)
    : label_column_(options.label_column),
      weight_column_(options.weight_column),
      given_(options.columns),
      labels_optional_(options.labels_optional),
      is_plain_(options.numbers_only),
      is_fixed_(options.is_encoding_fixed),
      features_(options.features) {
  column_number(label_column_, "label");
  column_number(weight_column_, "weight");
  if (label_column_ == "none" && !labels_optional_) throw Error("label column 'none'; expected a column to learn from");
  if (options.encoding != nullptr) encoding_ = std::make_unique<Encoding>(*options.encoding);
}

std::string TableLayout::column(std::size_t place, const std::vector<std::string>& names) {
  if (place >= names.size() || names[place].empty()) return fmt::format("column {}", place + 1);
  return fmt::format("column {} {}", place + 1, in_quotes(names[place]));
}

std::optional<bool> TableLayout::is_header(const std::vector<std::string>& fields) const {
  if (encoding_ == nullptr) return std::nullopt;
  if (!encoding_->has_names()) return std::nullopt;
  const auto known = [this](const std::string& name) { return !name.empty() && encoding_->find(name).has_value(); };
  const auto count = static_cast<std::size_t>(std::count_if(fields.begin(), fields.end(), known));
  // A record may have a word that is a name, too, but not most of them.
  return 2 * count >= std::min(fields.size(), encoding_->columns().size()) && count > 0;
}

bool TableLayout::names_label_column(const std::vector<std::string>& fields) const {
  return std::any_of(fields.begin(), fields.end(), [this](const std::string& field) {
    if (field.empty()) return false;
    const bool is_given = (field == label_column_ || field == weight_column_) && !parse_number(field);
    // No class is called so, but "y" may be one.
    return is_given || (names_label(field) && field.size() > 1);
  });
}

std::vector<CellRole> TableLayout::accept(const TableHead& head) {
  if (head.columns > Encoding::kMostColumns) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} columns; expected at most {}. Rows of very many features that are mostly 0 can be "
                            "written as LIBSVM text",
                            head.where, head.columns, Encoding::kMostColumns));
  }
  const bool is_first = encoding_ == nullptr;
  if (!is_first) expect_table(head);
  const Places places = find_places(head);
  if (is_first) establish(head, places);
  if (is_first && places.label) look_at_labels(head, *places.label);
  std::vector<CellRole> roles = match(head, places);
  if (file_.empty()) file_ = head.file;
  return roles;
}

void TableLayout::expect_table(const TableHead& head) const {
  if (is_of_names(*encoding_)) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: a table with columns; expected features by name, in Vowpal Wabbit's format, as in {}",
                            head.where, origin()));
  }
  if (head.is_open && !encoding_->has_names()) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: records whose columns have names; expected a table of {} columns without a header, as "
                            "in {}",
                            head.where, encoding_->columns().size(), origin()));
  }
}

void TableLayout::accept_names(const std::string& file, const std::string& where) {
  if (is_plain_) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: features by name; expected features by number, which are all that the model knows: "
                            "LIBSVM text or a table of numbers",
                            where));
  }
  if (encoding_ == nullptr) {
    Column column;
    column.kind = ColumnKind::kNames;
    encoding_ = std::make_unique<Encoding>(std::vector<Column>{std::move(column)});
  } else if (!is_of_names(*encoding_)) {
    throw Error(Error::Kind::kFormat, fmt::format("{}: features by name, without columns; expected a table with the "
                                                  "columns of {}",
                                                  where, origin()));
  }
  if (file_.empty()) file_ = file;
}

std::vector<std::string> TableLayout::given_names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const char* what) {
    if (!name.empty() && !column_number(name, what)) names.push_back(name);
  };
  for (const auto& [name, kind] : given_) add(name, "feature");
  if (label_column_ != "none") add(label_column_, "label");
  add(weight_column_, "weight");
  return names;
}

std::vector<std::string> TableLayout::known_names() const {
  const Encoding& known = *encoding_;
  std::vector<std::string> names;
  for (const Column& column : known.columns()) names.push_back(column.name);
  // The one that stood first is put back first, so that both are where they were.
  const auto put_back = [&](const std::string& name, std::optional<std::size_t> place) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(std::min(place.value_or(names.size()), names.size())),
                 name);
  };
  if (known.weight_place && known.label_place && *known.weight_place < *known.label_place) {
    put_back(known.weight_name, known.weight_place);
  }
  put_back(known.label_name, known.label_place);
  put_back(known.weight_name, known.weight_place);
  for (const std::string& name : given_names()) put_back(name, std::nullopt);
  return names;
}

std::optional<std::size_t> TableLayout::find_given(const std::string& given, const char* what, const TableHead& head,
                                                   bool is_optional) const {
  // A name that is a number, too, is a name.
  const auto named = std::find(head.names.begin(), head.names.end(), given);
  if (named != head.names.end()) return static_cast<std::size_t>(named - head.names.begin());
  if (const auto number = column_number(given, what)) {
    const long last = static_cast<long>(head.columns);
    if (*number > last || *number < -last) {
      if (is_optional) return std::nullopt;
      throw Error(Error::Kind::kFormat,
                  fmt::format("{}: {} columns; expected a {} in column {}", head.where, last, what, *number));
    }
    return static_cast<std::size_t>(*number > 0 ? *number - 1 : last + *number);
  }
  if (is_optional) return std::nullopt;
  if (head.names.empty())
    throw Error(fmt::format("{}: no header; expected one with a column {}", head.where, in_quotes(given)));
  throw Error(fmt::format("{}: no column {} in {}; expected it beside {}", head.where, in_quotes(given),
                          head.is_open ? "the first records" : "the header", listed(head.names)));
}

TableLayout::Places TableLayout::find_places(const TableHead& head) {
  Places places;
  // Rows to predict need no weights.
  if (!weight_column_.empty()) {
    places.weight = find_given(weight_column_, "weight", head, labels_optional_);
  } else if (encoding_ != nullptr && !encoding_->weight_name.empty()) {
    places.weight = find_given(encoding_->weight_name, "weight", head, true);
  }
  places.label = find_label(head, places.weight);
  if (places.label && places.label == places.weight) {
    throw Error(
        fmt::format("{}: column {} has both labels and weights; expected two columns", head.where, *places.label + 1));
  }
  const std::size_t others = (places.label ? 1 : 0) + (places.weight ? 1 : 0);
  if (head.columns <= others) {
    throw Error(
        Error::Kind::kFormat,
        fmt::format("{}: {} expected a label and at least one feature", head.where,
                    head.columns == 1 ? "one column;" : fmt::format("{} columns, all but features;", head.columns)));
  }
  return places;
}

std::optional<std::size_t> TableLayout::find_label(const TableHead& head, std::optional<std::size_t> weight) {
  const auto found = [&](std::size_t place, std::string_view how) {
    label_ = LabelColumn{place < head.names.size() ? head.names[place] : "", place, how};
    return place;
  };
  if (label_column_ == "none") return std::nullopt;
  if (!label_column_.empty()) {
    if (encoding_ != nullptr && encoding_->find(label_column_)) {
      throw Error(Error::Kind::kFormat, fmt::format("{}: {} is a feature of {}; expected another column of labels",
                                                    head.where, in_quotes(label_column_), origin()));
    }
    // Rows to predict need no labels, but what is mistyped should not pass for that.
    const bool is_optional = labels_optional_ && (encoding_ == nullptr || encoding_->label_name == label_column_);
    const auto place = find_given(label_column_, "label", head, is_optional);
    return place ? std::optional(found(*place, "given")) : std::nullopt;
  }
  if (encoding_ != nullptr) {  // as in the model, or in the file before
    const Encoding& known = *encoding_;
    const std::string_view how = file_.empty() ? "model" : label_ ? label_->how : "model";
    if (!head.names.empty() && !known.label_name.empty()) {
      const auto named = std::find(head.names.begin(), head.names.end(), known.label_name);
      if (named != head.names.end()) return found(static_cast<std::size_t>(named - head.names.begin()), how);
      if (labels_optional_) return std::nullopt;
      throw Error(Error::Kind::kFormat, fmt::format("{}: no column {}, which has the labels; expected it beside {}",
                                                    head.where, in_quotes(known.label_name), listed(head.names)));
    }
    const std::size_t features = known.columns().size();
    if (!known.label_place || (labels_optional_ && head.columns == features)) return std::nullopt;
    const bool has_weight = head.columns == features + 2;
    const bool is_behind = known.weight_place && *known.weight_place < *known.label_place;
    const std::size_t place = *known.label_place - (is_behind && !has_weight ? 1 : 0);
    return found(std::min(place, head.columns - 1), how);
  }
  const auto usual = std::find_if(head.names.begin(), head.names.end(), names_label);
  if (usual != head.names.end() && std::find_if(usual + 1, head.names.end(), names_label) == head.names.end()) {
    return found(static_cast<std::size_t>(usual - head.names.begin()), "name");
  }
  if (labels_optional_ && head.columns - (weight ? 1 : 0) == features_) return std::nullopt;
  const bool is_weight_last = weight && *weight + 1 == head.columns && head.columns > 1;
  return found(head.columns - (is_weight_last ? 2 : 1), "last");
}

// The kinds of columns by place that were given by the user or by the format.
std::vector<std::optional<ColumnKind>> TableLayout::given_kinds(const TableHead& head) const {
  std::vector<std::optional<ColumnKind>> kinds = head.kinds;
  kinds.resize(head.columns);
  for (const auto& [name, kind] : given_) {
    kinds[*find_given(name, "feature", head, false)] = kind;
  }
  return kinds;
}

void TableLayout::establish(const TableHead& head, const Places& places) {
  const auto kinds = given_kinds(head);
  std::vector<Column> columns;
  std::set<std::string> names;
  for (std::size_t place = 0; place < head.columns; ++place) {
    if (place == places.label || place == places.weight) continue;
    std::string name = place < head.names.size() ? head.names[place] : "";
    // Spreadsheets have columns without a name, and sometimes two of one name.
    if (!head.names.empty() && (name.empty() || names.count(name) > 0)) name = fmt::format("{}#{}", name, place + 1);
    names.insert(name);
    if (is_plain_) {
      Column column;
      column.name = std::move(name);
      columns.push_back(std::move(column));
    } else if (kinds[place]) {
      columns.push_back(describe_column(*kinds[place], head.sample, place, name, head.has_decimal_comma));
    } else {
      columns.push_back(find_column(head.sample, place, name, head.has_decimal_comma));
    }
  }
  encoding_ = std::make_unique<Encoding>(std::move(columns));
  encoding_->label_place = places.label;
  encoding_->weight_place = places.weight;
  if (places.label && !head.names.empty()) encoding_->label_name = head.names[*places.label];
  if (places.weight && !head.names.empty()) encoding_->weight_name = head.names[*places.weight];
}

void TableLayout::look_at_labels(const TableHead& head, std::size_t place) {
  LabelFinder finder;
  for (const std::vector<std::string>& record : head.sample) {
    if (place >= record.size()) continue;
    finder.add(record[place], parse_cell_number(record[place], head.has_decimal_comma));
  }
  first_labels_ = finder.found();
  // A format that says that labels are words or truth values says what they are.
  if (place < head.kinds.size() && head.kinds[place] && *head.kinds[place] != ColumnKind::kNumber) {
    first_labels_->task = Task::kClassification;
  }
}

// Of a file whose columns are matched by number.
void TableLayout::expect_columns(const TableHead& head, std::size_t features) const {
  const std::size_t expected = encoding_->columns().size();
  if (features == expected) return;
  std::string names;
  if (encoding_->has_names() && head.names.empty()) {
    std::vector<std::string> all;
    for (const Column& column : encoding_->columns()) all.push_back(column.name);
    names = fmt::format(", or a header that names {}", listed(all));
  }
  throw Error(Error::Kind::kFormat, fmt::format("{}: {} columns; expected {} as in {}{}", head.where, head.columns,
                                                expected + (head.columns - features), origin(), names));
}

std::vector<CellRole> TableLayout::match(const TableHead& head, const Places& places) const {
  const Encoding& known = *encoding_;
  std::vector<CellRole> roles(head.columns);
  const bool by_name = known.has_names() && !head.names.empty();
  std::vector<bool> is_met(known.columns().size(), false);
  std::size_t next = 0;
  for (std::size_t place = 0; place < head.columns; ++place) {
    CellRole& role = roles[place];
    if (place == places.label) {
      role.kind = CellRole::Kind::kLabel;
      continue;
    }
    if (place == places.weight) {
      role.kind = CellRole::Kind::kWeight;
      continue;
    }
    std::optional<std::size_t> column = next++;
    if (by_name) {
      const std::string& name = head.names[place];
      column = known.find(name);
      if (!column || is_met[*column]) column = known.find(fmt::format("{}#{}", name, place + 1));
      if (!column) continue;
    } else if (*column >= is_met.size()) {
      continue;
    }
    is_met[*column] = true;
    const Column& about = known.columns()[*column];
    role.column = *column;
    role.feature = known.first_feature(*column);
    role.offset = about.offset;
    role.kind = about.kind == ColumnKind::kNumber    ? CellRole::Kind::kNumber
                : about.kind == ColumnKind::kIgnored ? CellRole::Kind::kSkipped
                                                     : CellRole::Kind::kCell;
  }
  if (!by_name) {
    expect_columns(head, next);
    return roles;
  }
  for (std::size_t i = 0; i < is_met.size() && !head.is_open; ++i) {
    if (is_met[i] || known.columns()[i].kind == ColumnKind::kIgnored) continue;
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: no column {}; expected all columns of {}, of which this is one. The header has {}",
                            head.where, in_quotes(known.columns()[i].name), origin(), listed(head.names)));
  }
  return roles;
}

}  // namespace alder
