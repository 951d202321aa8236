#include "data/json_record.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/text.h"

namespace alder {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr const char* kExpected = "expected one JSON object on each line";

// Whether a token is a number as JSON writes them.
bool is_json_number(std::string_view token) {
  const char* at = token.data();
  const char* const end = at + token.size();
  const auto take_digits = [&] {
    const char* const begin = at;
    at = std::find_if_not(at, end, is_digit);
    return at != begin;
  };
  if (at != end && *at == '-') ++at;
  const char* const whole = at;
  if (!take_digits() || (*whole == '0' && at - whole > 1)) return false;
  if (at != end && *at == '.') {
    ++at;
    if (!take_digits()) return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!take_digits()) return false;
  }
  return at == end;
}

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string fault_of(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "bytes that are not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string that is not closed";
    case simdjson::STRING_ERROR:
      return "a string with a wrong escape";
    case simdjson::UNESCAPED_CHARS:
      return "a control character in a string";
    default:
      return "no JSON: a comma, colon, bracket, quote or value is wrong";
  }
}

}  // namespace

struct JsonRecord::Parts {
  ondemand::parser parser;
  std::vector<char> padded;  // with the room behind it that the library may read
  ondemand::document document;
  std::string path;
  std::string element;
  std::vector<std::string_view> numbers;

  void enter(std::size_t depth) const {
    if (depth > kDeepest) {
      throw JsonFault(fmt::format("objects or arrays within each other, more than {}", kDeepest),
                      fmt::format("expected at most {}", kDeepest));
    }
  }

  void read_object(ondemand::object object, std::size_t depth, const Take& take) {
    enter(depth);
    const std::size_t outer = path.size();
    for (ondemand::field field : object) {
      std::string_view key = field.unescaped_key();
      if (key.empty()) key = "\"\"";
      if (outer + key.size() > kLongestName) {  // or many names would fill memory with the one around them
        throw JsonFault(
            fmt::format("the key {}, of more than {} bytes with the keys around it", in_quotes(key), kLongestName),
            "expected shorter keys");
      }
      if (depth > 1) {
        path.append(1, '.').append(key);
        // The path moves when it grows: inner objects put it back as it was.
        read_value(field.value(), depth, take, std::nullopt);
      } else {
        read_value(field.value(), depth, take, key);
      }
      path.resize(outer);
    }
  }

  // A value under a key, or under the path if that is empty.
  void read_value(ondemand::value value, std::size_t depth, const Take& take, std::optional<std::string_view> key) {
    const ondemand::json_type type = value.type();
    if (type == ondemand::json_type::string) {
      const std::string_view text = value.get_string();
      take(key ? *key : std::string_view(path), text);
      return;
    }
    if (type == ondemand::json_type::object || type == ondemand::json_type::array) {
      if (key) path.assign(*key);
      if (type == ondemand::json_type::object) {
        read_object(value.get_object(), depth + 1, take);
      } else {
        read_array(value, depth + 1, take);
      }
      return;
    }
    const std::optional<std::string_view> text = scalar(value);
    take(key ? *key : std::string_view(path), text);
  }

  // The text of a number or boolean; empty: null.
  static std::optional<std::string_view> scalar(ondemand::value value) {
    const std::string_view token = without_blanks_behind(value.raw_json_token());
    if (token == "null") return std::nullopt;
    if (token != "true" && token != "false" && !is_json_number(token)) {
      throw JsonFault(fmt::format("the value {}", in_quotes(token)),
                      "expected a JSON number, a string in double quotes, true, false or null");
    }
    return token;
  }

  void read_array(ondemand::value value, std::size_t depth, const Take& take) {
    const char* const begin = std::string_view(value.raw_json_token()).data();
    numbers.clear();
    if (check_array(value.get_array(), depth)) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        element.assign(path).append(fmt::format(".{}", i));
        take(element, numbers[i].empty() ? std::nullopt : std::optional(numbers[i]));
      }
      return;
    }
    // What follows is a comma or a bracket, since the array is in an object.
    const char* const end = document.current_location();
    take(path, without_blanks_behind({begin, static_cast<std::size_t>(end - begin)}));
  }

  // Whether an array is one of numbers and nulls, which are in `numbers` then; reads all of it.
  bool check_array(ondemand::array array, std::size_t depth) {
    enter(depth);
    bool is_of_numbers = true;
    for (ondemand::value value : array) {
      switch (static_cast<ondemand::json_type>(value.type())) {
        case ondemand::json_type::array:
          check_array(value.get_array(), depth + 1);
          is_of_numbers = false;
          break;
        case ondemand::json_type::object:
          check_object(value.get_object(), depth + 1);
          is_of_numbers = false;
          break;
        case ondemand::json_type::string:
          static_cast<void>(std::string_view(value.get_string()));
          is_of_numbers = false;
          break;
        default: {
          const std::optional<std::string_view> text = scalar(value);
          is_of_numbers = is_of_numbers && (!text || is_digit(text->back()));
          if (is_of_numbers && numbers.size() < kMostElements) numbers.push_back(text.value_or(std::string_view()));
        }
      }
    }
    return is_of_numbers;
  }

  void check_object(ondemand::object object, std::size_t depth) {
    enter(depth);
    for (ondemand::field field : object) {
      static_cast<void>(std::string_view(field.unescaped_key()));
      ondemand::value value = field.value();
      switch (static_cast<ondemand::json_type>(value.type())) {
        case ondemand::json_type::array:
          check_array(value.get_array(), depth + 1);
          break;
        case ondemand::json_type::object:
          check_object(value.get_object(), depth + 1);
          break;
        case ondemand::json_type::string:
          static_cast<void>(std::string_view(value.get_string()));
          break;
        default:
          scalar(value);
      }
    }
  }
};

JsonRecord::JsonRecord() : parts_(std::make_unique<Parts>()) {}
JsonRecord::~JsonRecord() = default;

void JsonRecord::read(std::string_view text, const Take& take) {
  if (text.size() > kLongest) {
    throw JsonFault(fmt::format("a record of {} bytes", text.size()), fmt::format("expected at most {}", kLongest));
  }
  Parts& parts = *parts_;
  const std::size_t room = text.size() + simdjson::SIMDJSON_PADDING;
  if (parts.padded.size() < room) parts.padded.resize(std::max(room, 2 * parts.padded.size()));
  std::copy(text.begin(), text.end(), parts.padded.begin());
  // So that a value cut off at the end does not go on in the record before.
  std::memset(parts.padded.data() + text.size(), ' ', simdjson::SIMDJSON_PADDING);
  parts.path.clear();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') {
    throw JsonFault(in_quotes(text), fmt::format("{}, which begins with '{{'", kExpected));
  }
  try {
    parts.document = parts.parser.iterate(parts.padded.data(), text.size(), parts.padded.size());
    parts.read_object(parts.document.get_object(), 1, take);
    if (parts.document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
      throw JsonFault("text behind the object", kExpected);
    }
  } catch (const simdjson::simdjson_error& error) {
    throw JsonFault(fault_of(error.error()), kExpected);
  }
}

}  // namespace alder
