#include "archive/json.h"

#include <fmt/format.h>

#include "alder/error.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json parse_json(std::string_view text) {
  static constexpr int kMostLevels = 64;
  const auto check_depth = [](int level, Json::parse_event_t, Json&) {
    if (level > kMostLevels)
      throw Error(Error::Kind::kFormat, fmt::format("it is JSON of more than {} levels; expected fewer", kMostLevels));
    return true;
  };
  try {
    return Json::parse(text, check_depth);
  } catch (const Json::exception& error) {  // also a number that is out of range
    throw Error(Error::Kind::kFormat, fmt::format("it is no JSON: {}", error.what()));
  }
}

}  // namespace alder
