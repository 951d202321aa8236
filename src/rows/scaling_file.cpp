// Scalings as JSON files: {"scaling": "minmax", "features": [...], "offsets": [...], "divisors": [...]}, features
// counted from 0 as in Row.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "alder/error.h"
#include "alder/scaling.h"

#include "archive/json.h"
#include "io/whole_file.h"

namespace alder {
namespace {

// The library that reads JSON would round a number to fit.
std::vector<FeatureIndex> features_of(const nlohmann::ordered_json& json) {
  std::vector<FeatureIndex> features;
  for (const nlohmann::ordered_json& feature : json) {
    constexpr std::uint64_t kHighest = std::numeric_limits<FeatureIndex>::max();
    if (!feature.is_number_unsigned() || feature.get<std::uint64_t>() > kHighest) {
      throw Error(Error::Kind::kFormat, fmt::format("a scaling with feature {}; expected whole numbers from 0 to {}",
                                                    feature.dump(), kHighest));
    }
    features.push_back(feature.get<FeatureIndex>());
  }
  return features;
}

}  // namespace

void Scaling::save(const std::string& path) const {
  const nlohmann::ordered_json json = {
      {"scaling", name()}, {"features", features_}, {"offsets", offsets_}, {"divisors", divisors_}};
  replace_file(path, json.dump() + '\n');
}

Scaling Scaling::load(const std::string& path) {
  const std::string text = read_file(path);
  const auto no_scaling = [&path](const std::exception& error) {
    return Error(Error::Kind::kFormat,
                 fmt::format("{}: no scaling ({}); expected a file that Scaling::save wrote", path, error.what()));
  };
  nlohmann::ordered_json json;
  try {
    json = parse_json(text);
  } catch (const Error& error) {
    throw no_scaling(error);
  }
  try {
    return {kind_named(json.at("scaling").get<std::string>()), features_of(json.at("features")),
            json.at("offsets").get<std::vector<double>>(), json.at("divisors").get<std::vector<double>>()};
  } catch (const nlohmann::json::exception& error) {
    throw no_scaling(error);
  } catch (const Error& error) {
    throw Error(Error::Kind::kFormat, fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace alder
