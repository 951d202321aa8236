#include "data/arff_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace alder {
namespace {

char unescaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return c;
  }
}

ArffField quoted_field(const char* at, const char* end, std::string& scratch) {
  const char quote = *at++;
  const char* const begin = at;
  bool has_escapes = false;
  while (at != end && *at != quote) {
    if (*at == '\\' && at + 1 != end) {
      has_escapes = true;
      ++at;
    }
    ++at;
  }
  ArffField field;
  field.is_quoted = true;
  field.is_open = at == end;
  field.text = {begin, at};
  if (has_escapes) {
    scratch.clear();
    for (const char* c = begin; c != at; ++c) {
      if (*c == '\\' && c + 1 != at) {
        scratch += unescaped(*++c);
      } else {
        scratch += *c;
      }
    }
    field.text = scratch;
  }
  field.stop = at == end ? end : at + 1;
  return field;
}

// "{a, 'b c', d}"
std::vector<std::string> nominal_values(std::string_view text) {
  std::vector<std::string> values;
  std::string scratch;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size();
  while (true) {
    const ArffField field = arff_field(at, end, ",}", scratch);
    if (field.is_open) throw ArffFault("a quote that is not closed; expected its end in the line");
    if (field.stop == end) throw ArffFault("values without a '}' behind them; expected it in the line");
    const bool is_empty = field.text.empty() && !field.is_quoted;
    if (!is_empty) values.emplace_back(field.text);
    if (*field.stop == '}') return values;
    if (*field.stop != ',') {
      throw ArffFault(fmt::format("{} behind a value; expected a comma or '}}'", in_quotes({field.stop, 1})));
    }
    at = field.stop + 1;
  }
}

}  // namespace

ArffField arff_field(const char* at, const char* end, std::string_view stops, std::string& scratch) {
  const auto is_stop = [stops](char c) { return stops.find(c) != std::string_view::npos; };
  while (at != end && is_blank(*at) && !is_stop(*at)) ++at;
  ArffField field;
  if (at != end && (*at == '\'' || *at == '"')) {
    field = quoted_field(at, end, scratch);
    while (field.stop != end && is_blank(*field.stop) && !is_stop(*field.stop)) ++field.stop;
    if (field.stop != end && *field.stop == '%') field.stop = end;
    return field;
  }
  const char* stop = at;
  while (stop != end && !is_stop(*stop) && !(*stop == '%' && stop != at && is_blank(stop[-1]))) ++stop;
  field.text = trimmed({at, stop});
  field.stop = stop != end && *stop == '%' ? end : stop;
  return field;
}

std::string arff_keyword(std::string_view line, std::string_view& rest) {
  line = trimmed(line);
  if (!line.starts_with('@')) return {};
  const std::size_t size = std::min(line.size(), line.find_first_of(" \t"));
  rest = trimmed(line.substr(size));
  return lower(line.substr(0, size));
}

ArffAttribute arff_attribute(std::string_view text) {
  std::string scratch;
  const char* const end = text.data() + text.size();
  const ArffField name = arff_field(text.data(), end, " \t{", scratch);
  if (name.is_open) throw ArffFault("a quote that is not closed; expected its end in the line");
  if (name.text.empty()) throw ArffFault("an attribute without a name; expected '@attribute name type'");
  ArffAttribute attribute;
  attribute.name = name.text;
  const std::string_view rest = trimmed({name.stop, end});
  if (rest.starts_with('{')) {
    attribute.type = ArffAttribute::Type::kNominal;
    attribute.values = nominal_values(rest);
    if (attribute.values.empty()) throw ArffFault("an attribute without values; expected some between '{' and '}'");
    return attribute;
  }
  const std::string type = lower(rest.substr(0, rest.find_first_of(" \t")));
  if (type == "numeric" || type == "real" || type == "integer") return attribute;
  if (type == "string") {
    attribute.type = ArffAttribute::Type::kString;
  } else if (type == "date") {
    attribute.type = ArffAttribute::Type::kDate;
  } else {
    throw ArffFault(
        fmt::format("an attribute of type {}; expected numeric, real, integer, string, date, or values in "
                    "'{{' and '}}'",
                    in_quotes(type)));
  }
  return attribute;
}

std::optional<ColumnKind> kind_of(ArffAttribute::Type type) {
  switch (type) {
    case ArffAttribute::Type::kNumber:
      return ColumnKind::kNumber;
    case ArffAttribute::Type::kNominal:
      return ColumnKind::kCategory;
    case ArffAttribute::Type::kDate:
      return ColumnKind::kTime;
    default:
      return std::nullopt;
  }
}

}  // namespace alder
