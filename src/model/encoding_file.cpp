#include "model/encoding_file.h"

#include <cmath>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "alder/error.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::size_t>& place) {
  return place ? Json(*place) : Json();
}

std::optional<std::size_t> place_of(const Json& json, const char* key) {
  const Json place = json.value(key, Json());
  if (place.is_null()) return std::nullopt;
  if (!place.is_number_unsigned() || place.get<std::uint64_t>() > Encoding::kMostColumns + 1)
    throw_bad_archive("the place of a column is out of range");
  return place.get<std::size_t>();
}

Column load_column(const Json& json) {
  Column column;
  column.name = Archive::read<std::string>(json, "name");
  const auto kind = Archive::read<std::string>(json, "kind");
  column.kind = kind == "names" ? ColumnKind::kNames : column_kind_named(kind);
  column.offset = Archive::read<double>(json, "offset");
  column.is_day_first = json.value("day_first", false);
  column.has_clock = json.value("clock", false);
  column.reason = json.value("reason", "");
  if (!std::isfinite(column.offset)) throw_bad_archive("the offset of a column is no number");
  return column;
}

}  // namespace

void save_encoding(const Encoding& encoding, std::size_t features, Archive& archive) {
  Json columns = Json::array();
  for (const Column& column : encoding.columns()) {
    columns.push_back({{"name", column.name}, {"kind", column_kind_name(column.kind)}, {"offset", column.offset}});
    if (column.is_day_first) columns.back()["day_first"] = true;
    if (column.has_clock) columns.back()["clock"] = true;
    if (!column.reason.empty()) columns.back()["reason"] = column.reason;
  }
  archive.settings()["columns"] = {{"features", columns},
                                   {"label", encoding.label_name},
                                   {"label_place", or_null(encoding.label_place)},
                                   {"weight", encoding.weight_name},
                                   {"weight_place", or_null(encoding.weight_place)}};
  Json values = Json::array();
  std::size_t feature = encoding.fixed_features();
  for (const Encoding::Value& value : encoding.values()) {
    if (feature++ >= features) break;
    values.push_back({value.column, value.text});
  }
  archive.settings()["values"] = values;
}

Encoding load_encoding(const Archive& archive) {
  const Json& json = archive.object("columns");
  const Json all = json.value("features", Json());
  const Json values = archive.settings().value("values", Json());
  if (!all.is_array() || !values.is_array()) throw_bad_archive("its columns are no list");
  std::vector<Column> columns;
  for (const Json& column : all) {
    if (!column.is_object()) throw_bad_archive("a column is no object");
    columns.push_back(load_column(column));
  }
  Encoding encoding(std::move(columns));
  encoding.label_name = json.value("label", "");
  encoding.weight_name = json.value("weight", "");
  encoding.label_place = place_of(json, "label_place");
  encoding.weight_place = place_of(json, "weight_place");
  for (const Json& value : values) {
    if (!value.is_array() || value.size() != 2 || !value[0].is_number_unsigned() || !value[1].is_string() ||
        value[0].get<std::uint64_t>() >= encoding.columns().size())
      throw_bad_archive("a value of a column is not sound");
    encoding.append({value[0].get<std::uint32_t>(), value[1].get<std::string>()});
  }
  return encoding;
}

}  // namespace alder
