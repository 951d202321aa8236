#include "choices.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/kernel.h"

#include "names.h"

namespace alder::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 8;

std::string describe_metric(const Json& metric) {
  const auto transform = metric.at("transform").get<std::string>();
  std::string text = transform == "raw"         ? "features as they are"
                     : transform == "range"     ? "features divided by their ranges"
                     : transform == "deviation" ? "features divided by their standard deviations"
                     : transform == "normal"    ? "normal quantiles of the features"
                                                : transform;
  if (metric.at("is_scaled").get<bool>()) text += ", each with a learned scale";
  return text + "; chosen by itself";
}

std::string describe_race(const Json& race, std::uint64_t tried, std::uint64_t reopened) {
  std::uint64_t rounds = 0;
  std::size_t in = 0;
  for (const Json& runner : race) {
    rounds = std::max(rounds, runner.at("rounds").get<std::uint64_t>());
    in += runner.at("is_out").get<bool>() ? 0 : 1;
  }
  std::string text = fmt::format("{} {} tried; ", tried, tried == 1 ? "candidate" : "candidates");
  if (in > 1) {
    text += fmt::format("{} are in the race after {} rows of it", in, rounds);
  } else {
    text += fmt::format("the last race took {} rows", rounds);
  }
  if (reopened > 0) {
    text +=
        fmt::format("; opened again {} {}, since the stream had changed", reopened, reopened == 1 ? "time" : "times");
  }
  return text;
}

std::string describe_forgetting(double rate) {
  if (rate == 0.0) return "nothing; the stream seems to stay as it is";
  return fmt::format("{:g} of the variance in an update; the stream seems to {}", rate,
                     rate < 1e-4 ? "move slowly" : "move");
}

}  // namespace

std::string describe_kernel(const Json& options) {
  if (!options.contains("kernel")) return options.contains("race") ? "not chosen yet" : "none";
  const Json& kernel = options.at("kernel");
  auto name = kernel.at("name").get<std::string>();
  const KernelInfo* info = find_kernel(name);
  if (info == nullptr) return name;
  if (info->is_radial) {
    if (!kernel.contains("sigma")) return name + ", its width not chosen yet";
    return fmt::format("{}, sigma {:g} (gamma {:g})", name, kernel.at("sigma").get<double>(),
                       kernel.at("gamma").get<double>());
  }
  for (const KernelParameter& parameter : info->parameters) {
    name += fmt::format(", {} {:g}", parameter.name, kernel.at(std::string(parameter.name)).get<double>());
  }
  return name;
}

std::vector<std::pair<const char*, std::string>> describe_choices(const Json& options, const Json& report) {
  const Json metric = report.value("metric", Json());
  if (metric.is_null()) return {{"kernel", describe_kernel(options)}};
  std::vector<std::pair<const char*, std::string>> lines;
  lines.emplace_back("kernel", fmt::format("{}, sigma {:.4g}, chosen by itself", metric.at("kernel").get<std::string>(),
                                           report.at("sigma").get<double>()));
  lines.emplace_back("metric", describe_metric(metric));
  lines.emplace_back("race", describe_race(report.at("race"), report.value("tried", std::uint64_t{0}),
                                           report.value("reopened", std::uint64_t{0})));
  if (report.contains("forgets")) lines.emplace_back("forgets", describe_forgetting(report["forgets"].get<double>()));
  return lines;
}

std::string describe_importances(const Json& importances) {
  std::vector<std::pair<double, std::string>> shares;
  for (const Json& one : importances) {
    shares.emplace_back(one.at("share"), one.contains("name")
                                             ? shown_name(one.at("name").get<std::string>(), 30)
                                             : fmt::format("feature {}", one.at("feature").get<std::uint64_t>()));
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(shares.size(), kMostShown); ++i) {
    text += fmt::format("{}{} {:.1f}%", i == 0 ? "" : ", ", shares[i].second, 100.0 * shares[i].first);
  }
  if (shares.size() > kMostShown) text += fmt::format(", and {} more", shares.size() - kMostShown);
  return text;
}

}  // namespace alder::cli
