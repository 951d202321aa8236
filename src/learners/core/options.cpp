#include "learners/core/options.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "archive/kernel_settings.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void reject(const char* name, const Json& value, const std::string& expected) {
  throw Error(fmt::format("{} is {}; expected {}", name, value.dump(), expected));
}

// The parameter of a loss, if nothing is said; empty if it has none.
std::optional<double> usual_parameter(Loss::Kind kind) {
  switch (kind) {
    case Loss::Kind::kInsensitive:
      return 0.1;
    case Loss::Kind::kQuantile:
      return 0.5;
    case Loss::Kind::kHuber:
      return 1.345;  // 95 % as efficient as the squared loss where noise is normal
    default:
      return {};
  }
}

}  // namespace

void OptionVisitor::step(double& value) {
  number("step", value, {}, "step size: step/sqrt(T) if T is known, else step/sqrt(t)");
  worth_trying({1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3});
}
void OptionVisitor::step(std::optional<double>& value) {
  automatic_number("step", value, {}, "step size: step/sqrt(T) if T is known, else step/sqrt(t); auto: by the loss");
  worth_trying({1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3});
}
void OptionVisitor::loss(Loss& value) {
  using Kind = Loss::Kind;
  enum class Choice : std::uint8_t {};
  constexpr std::array kKinds = {Kind::kHinge,       Kind::kLogistic, Kind::kSquared, Kind::kAbsolute,
                                 Kind::kInsensitive, Kind::kQuantile, Kind::kHuber,   Kind::kPoisson};
  const auto* const found = std::find(kKinds.begin(), kKinds.end(), value.kind());
  if (found == kKinds.end()) throw Error(fmt::format("the loss is {}, which this learner does not have", value.name()));
  auto chosen = static_cast<Choice>(found - kKinds.begin());
  choice("loss", chosen,
         {"hinge", "logistic", "squared", "absolute", "epsilon_insensitive", "quantile", "huber", "poisson"},
         "what is minimised, the first two for classes, the others for numbers.\nOne of");
  const Kind kind = kKinds.at(static_cast<std::size_t>(chosen));
  const std::optional<double> fallback = usual_parameter(kind);
  std::optional<double> parameter;
  if (kind == value.kind() && fallback) parameter = value.parameter();
  automatic_number("loss_parameter", parameter, {0.0, 1e50},
                   "epsilon of epsilon_insensitive, tau of quantile, delta of huber; auto: 0.1, 0.5, 1.345");
  if (parameter && !fallback) {
    throw Error(fmt::format("loss_parameter is {}; expected none, since the loss {} has none", *parameter,
                            Loss::of(kind).name()));
  }
  value = Loss::of(kind, parameter ? *parameter : fallback.value_or(0.0));
}
void OptionVisitor::radius(double& value) {
  number("radius", value, {}, "U: the largest norm of the hypothesis");
}
void OptionVisitor::budget(std::size_t& value) {
  count("budget", value, 1, "B: the most rows that are stored");
}
void OptionVisitor::horizon(std::optional<std::uint64_t>& value) {
  automatic_count("horizon", value, 1, "T: rows to come; auto: counted if read whole, else unknown");
}
void OptionVisitor::seed(std::uint64_t& value) {
  count("seed", value, 0, "of the learner's random numbers");
}
void OptionVisitor::precision(Precision& value) {
  choice("precision", value, {"float", "double"}, "of stored rows and kernel values");
}

void OptionChecker::number(const char* name, double& value, Range range, const char* /*summary*/) {
  if (!(value >= range.low && value <= range.high)) {
    throw Error(fmt::format("{} is {}; expected a number from {} to {}", name, value, range.low, range.high));
  }
}

void OptionChecker::automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) {
  if (value) OptionChecker::number(name, *value, range, summary);
}

void OptionChecker::visit_count(const char* name, std::optional<std::uint64_t>& value, bool /*is_automatic*/,
                                CountRange range, const char* /*summary*/) {
  if (!value) return;
  if (*value < range.low) throw Error(fmt::format("{} is {}; expected at least {}", name, *value, range.low));
  if (*value > range.high) throw Error(fmt::format("{} is {}; expected at most {}", name, *value, range.high));
}

OptionWriter::OptionWriter() : json_(std::make_unique<Json>(Json::object())) {}
OptionWriter::~OptionWriter() = default;

void OptionWriter::kernel(Kernel& kernel) {
  save(kernel, (*json_)["kernel"]);
}

void OptionWriter::automatic_kernel(std::optional<Kernel>& kernel) {
  if (kernel) this->kernel(*kernel);
}

void OptionWriter::number(const char* name, double& value, Range /*range*/, const char* /*summary*/) {
  (*json_)[name] = value;
}

void OptionWriter::automatic_number(const char* name, std::optional<double>& value, Range /*range*/,
                                    const char* /*summary*/) {
  if (value) (*json_)[name] = *value;
}

void OptionWriter::visit_count(const char* name, std::optional<std::uint64_t>& value, bool /*is_automatic*/,
                               CountRange /*range*/, const char* /*summary*/) {
  if (value) (*json_)[name] = *value;
}

void OptionWriter::visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                                const char* /*summary*/) {
  (*json_)[name] = names[index];
}

void OptionWriter::flag(const char* name, bool& value, const char* /*summary*/) {
  (*json_)[name] = value;
}

OptionReader::OptionReader(const Json& json) : json_(json) {
  if (!json.is_object()) throw Error("the options are no JSON object; expected {\"name\": value, ...}");
}

const Json* OptionReader::find(const char* name) {
  known_.emplace_back(name);
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

void OptionReader::kernel(Kernel& kernel) {
  const Json* json = find("kernel");
  if (json == nullptr) return;
  if (!json->is_object()) reject("kernel", *json, "an object with its name and parameters");
  kernel = load_kernel(*json);
}

void OptionReader::automatic_kernel(std::optional<Kernel>& kernel) {
  if (find("kernel") == nullptr) return;
  Kernel given = Kernel::linear();
  this->kernel(given);
  kernel = given;
}

void OptionReader::number(const char* name, double& value, Range range, const char* summary) {
  const Json* json = find(name);
  if (json == nullptr) return;
  if (!json->is_number()) reject(name, *json, "a number");
  value = json->get<double>();
  OptionChecker::number(name, value, range, summary);
}

void OptionReader::automatic_number(const char* name, std::optional<double>& value, Range range, const char* summary) {
  const Json* json = find(name);
  if (json == nullptr) return;
  if (!json->is_number()) reject(name, *json, "a number");
  value = json->get<double>();
  OptionChecker::automatic_number(name, value, range, summary);
}

void OptionReader::visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic,
                               CountRange range, const char* summary) {
  const Json* json = find(name);
  if (json == nullptr) return;
  if (!json->is_number_integer() || (!json->is_number_unsigned() && json->get<std::int64_t>() < 0)) {
    reject(name, *json, fmt::format("a whole number from {} on", range.low));
  }
  value = json->get<std::uint64_t>();
  OptionChecker::visit_count(name, value, is_automatic, range, summary);
}

void OptionReader::visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                                const char* /*summary*/) {
  const Json* json = find(name);
  if (json == nullptr) return;
  const auto found = std::find_if(names.begin(), names.end(), [json](const char* choice) { return *json == choice; });
  if (found == names.end()) reject(name, *json, fmt::format("{}", fmt::join(names, " or ")));
  index = static_cast<std::size_t>(found - names.begin());
}

void OptionReader::flag(const char* name, bool& value, const char* /*summary*/) {
  const Json* json = find(name);
  if (json == nullptr) return;
  if (!json->is_boolean()) reject(name, *json, "true or false");
  value = json->get<bool>();
}

void OptionReader::finish() const {
  for (const auto& [name, value] : json_.items()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      // All learners have "scale", which is taken out before (learners/core/first_rows.h).
      throw Error(fmt::format("there is no option \"{}\"; expected one of {}, scale", name, fmt::join(known_, ", ")));
    }
  }
}

void OptionDescriber::kernel(Kernel& kernel) {
  OptionInfo info;
  info.name = "kernel";
  info.type = OptionInfo::Type::kKernel;
  info.summary = kernel_names() + ", with its parameters";
  info.fallback = kernel.name();
  infos.push_back(info);
}

void OptionDescriber::automatic_kernel(std::optional<Kernel>& /*kernel*/) {
  Kernel usual = Kernel::gaussian(1.0);
  kernel(usual);
  infos.back().is_automatic = true;
}

void OptionDescriber::number(const char* name, double& value, Range range, const char* summary) {
  OptionInfo info;
  info.name = name;
  info.summary = summary;
  info.fallback = fmt::format("{}", value);
  info.low = range.low;
  info.high = range.high;
  infos.push_back(info);
}

void OptionDescriber::automatic_number(const char* name, std::optional<double>& value, Range range,
                                       const char* summary) {
  double number = value.value_or(0.0);
  this->number(name, number, range, summary);
  infos.back().is_automatic = true;
  if (!value) infos.back().fallback = "auto";
}

void OptionDescriber::visit_count(const char* name, std::optional<std::uint64_t>& value, bool is_automatic,
                                  CountRange range, const char* summary) {
  OptionInfo info;
  info.name = name;
  info.type = OptionInfo::Type::kCount;
  info.summary = summary;
  info.fallback = value ? fmt::format("{}", *value) : "auto";
  info.is_automatic = is_automatic;
  info.low = static_cast<double>(range.low);
  info.high = static_cast<double>(range.high);
  infos.push_back(info);
}

void OptionDescriber::flag(const char* name, bool& value, const char* summary) {
  OptionInfo info;
  info.name = name;
  info.type = OptionInfo::Type::kFlag;
  info.summary = summary;
  info.fallback = value ? "true" : "false";
  infos.push_back(info);
}

void OptionDescriber::visit_choice(const char* name, std::size_t& index, std::span<const char* const> names,
                                   const char* summary) {
  OptionInfo info;
  info.name = name;
  info.type = OptionInfo::Type::kChoice;
  info.summary = summary;
  info.fallback = names[index];
  info.choices.assign(names.begin(), names.end());
  infos.push_back(info);
}

}  // namespace alder
