#include "appender.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace alder::cli {
namespace {

// As a field of CSV, in quotes where it needs them.
std::string as_field(const std::string& text, char separator) {
  if (separator == '\t') return in_one_field(text);
  if (text.find_first_of(std::string("\"\n\r") + separator) == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + '"';
}

}  // namespace

std::string in_one_field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
  return text;
}

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number_in_json(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

std::string Appender::head(const Input& input) {
  separator_ = input.separator();
  if (input.header_text().empty()) return "";
  std::string text = input.header_text();
  while (text.find(columns_.front()) != std::string::npos) columns_.front() += "_";  // rows predicted before
  for (const std::string& column : columns_) text += separator_ + as_field(column, separator_);
  return text + '\n';
}

void Appender::append(std::string& text, std::string_view line, const std::string& prediction,
                      const std::string& prediction_in_json, std::span<const double> numbers) const {
  const std::string_view object = trimmed(line);
  if (object.starts_with('{') && object.ends_with('}')) {
    text += trimmed(object.substr(0, object.size() - 1));
    text += text.ends_with('{') ? "" : ", ";
    text += in_json(columns_[0]) + ": " + prediction_in_json;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      text += ", " + in_json(columns_[k + 1]) + ": " + number_in_json(numbers[k]);
    }
    text += '}';
  } else {
    text += line;
    text += separator_ + as_field(prediction, separator_);
    for (const double number : numbers) fmt::format_to(std::back_inserter(text), "{}{}", separator_, number);
  }
  text += '\n';
}

}  // namespace alder::cli
