#include "learner_flags.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/kernel.h"
#include "alder/loss.h"

#include "suggest.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// These have flags of their own.
bool is_special(const OptionInfo& option) {
  return option.name == "kernel" || option.name == "seed" || option.name == "scale";
}

template <class Number>
std::optional<Number> parse(const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(static_cast<double>(number)))
    return {};
  return number;
}

[[noreturn]] void reject(const std::string& flag, const std::string& text, const std::string& expected) {
  throw UsageError(fmt::format("--{} is {}; expected {}", flag, text, expected));
}

// As it stands on the command line.
std::string flag_name(const std::string& option) {
  std::string name = option;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Json to_json(const OptionInfo& option, const std::string& text) {
  if (option.type == OptionInfo::Type::kFlag) return text == "true";
  if (option.is_automatic && text == "auto") return {};
  const char* const or_auto = option.is_automatic ? " or auto" : "";
  if (option.type == OptionInfo::Type::kCount) {
    const auto number = parse<std::uint64_t>(text);
    if (!number) reject(option.name, text, fmt::format("a whole number{}", or_auto));
    return *number;
  }
  if (option.type == OptionInfo::Type::kNumber) {
    const auto number = parse<double>(text);
    if (!number) reject(option.name, text, fmt::format("a number{}", or_auto));
    return *number;
  }
  if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end()) {
    reject(flag_name(option.name), text, alternatives(option.choices) + did_you_mean(text, option.choices));
  }
  return text;
}

// Which learners have an option, for the message that another has it not; nothing of one of the kernel.
std::string owners_of(const std::string& option) {
  std::vector<std::string> names;
  for (const LearnerInfo& info : learner_infos()) {
    if (info.find(option) != nullptr) names.push_back(info.name);
  }
  return names.empty() ? "" : fmt::format(", which is an option of {}", fmt::join(names, ", "));
}

// A default for people: 0.6667 instead of 0.6666666666666666.
std::string shown(const OptionInfo& option) {
  const auto number = parse<double>(option.fallback);
  return number && option.fallback.size() > 8 ? fmt::format("{:.4g}", *number) : option.fallback;
}

}  // namespace

LearnerFlags::LearnerFlags(std::string learner) : learner_(std::move(learner)), kernel_(default_kernel()) {
  for (const KernelInfo& info : kernel_infos()) {
    for (const KernelParameter& parameter : info.parameters) {
      const bool is_of_width = parameter.name == "sigma" || parameter.name == "gamma";
      const bool is_known = std::any_of(others_.begin(), others_.end(),
                                        [&parameter](const auto& other) { return other.first == parameter.name; });
      if (!is_of_width && !is_known)
        others_.emplace_back(parameter.name, fmt::format("{:g}", parameter.fallback.value_or(0.0)));
    }
  }
}

void LearnerFlags::add_to(Flags& verb) {
  name_ = verb.text(
      "--learner",
      [this](const std::string& name) {
        learner_ = name;
        show_options_of(name);
      },
      "the learner, see `alder learners`; with --help: its options");
  name_->one_of(learner_names()).shows_default(learner_);
  add_kernel(verb);
  for (const LearnerInfo& info : learner_infos()) {
    for (const OptionInfo& option : info.options) {
      if (is_special(option) || settings_.contains(option.name)) continue;
      const std::string name = "--" + flag_name(option.name);
      std::string& text = texts_[option.name];
      if (option.type == OptionInfo::Type::kFlag) {
        settings_.emplace(option.name, verb.flag(
                                           name, [&text] { text = "true"; }, option.summary));
      } else {
        settings_.emplace(option.name, verb.text(name, text, option.summary));
      }
    }
  }
  show_options_of(learner_);
}

void LearnerFlags::add_kernel(Flags& verb) {
  const auto add = [this, &verb](const std::string& name, std::string& value, const std::string& text,
                                 const char* type) {
    const Flag flag = verb.text(fmt::format("--{}", name), value, text).of(type);
    kernel_options_.emplace(name, flag);
    return flag;
  };
  std::vector<std::string> names;
  std::vector<std::string> radial;
  for (const KernelInfo& info : kernel_infos()) {
    names.emplace_back(info.name);
    if (info.is_radial) radial.push_back(fmt::format("{} {}", info.name, info.formula));
  }
  add("kernel", kernel_, kernel_names(), "").one_of(names).shows_default();
  std::vector<std::string> finders;
  for (const LearnerInfo& info : learner_infos()) {
    if (info.finds_width()) finders.push_back(info.name);
  }
  const Flag width =
      add("sigma", sigma_,
          fmt::format("kernel width; auto: found by {}, for others half the median distance of the first rows",
                      fmt::join(finders, ", ")),
          "X");
  width.shows_default();
  add("gamma", gamma_, fmt::format("instead: {}", fmt::join(radial, ", ")), "X").excludes(width);
  for (auto& [name, text] : others_) {
    std::vector<std::string> owners;
    bool is_whole = false;
    for (const KernelInfo& info : kernel_infos()) {
      const KernelParameter* parameter = info.find(name);
      if (parameter == nullptr) continue;
      owners.emplace_back(info.name);
      is_whole = parameter->is_whole;
    }
    add(name, text, fmt::format("of the {} kernel", fmt::join(owners, " and the ")), is_whole ? "N" : "X")
        .shows_default();
  }
}

// The help has these, with their defaults, and not those of other learners.
void LearnerFlags::show_options_of(const std::string& learner) {
  const LearnerInfo& info = learner_info(learner);
  for (const auto& [name, flag] : kernel_options_) flag.shown(info.find("kernel") != nullptr);
  for (const auto& [name, flag] : settings_) {
    const OptionInfo* own = info.find(name);
    flag.shown(own != nullptr);
    if (own == nullptr || own->type == OptionInfo::Type::kFlag) continue;
    const bool is_choice = own->type == OptionInfo::Type::kChoice;
    flag.of(is_choice ? "" : own->type == OptionInfo::Type::kCount ? "N" : "X");
    flag.describe(is_choice ? fmt::format("{}: {}", own->summary, alternatives(own->choices)) : own->summary);
    flag.shows_default(shown(*own));
  }
}

bool LearnerFlags::is_given(const std::string& name) const {
  const auto found = settings_.find(name);
  return found != settings_.end() && found->second.is_given();
}

std::vector<std::string> LearnerFlags::given() const {
  std::vector<std::string> names;
  if (name_->is_given()) names.emplace_back("learner");
  for (const auto* flags : {&kernel_options_, &settings_}) {
    for (const auto& [name, flag] : *flags) {
      if (flag.is_given()) names.push_back(name);
    }
  }
  return names;
}

bool LearnerFlags::needs_width() const {
  return sigma_ == "auto" && gamma_.empty() && has_width(kernel_) && !finds_width(learner_, kernel_) &&
         learner_info(learner_).find("kernel") != nullptr;
}

bool LearnerFlags::chooses_width() const {
  return sigma_ == "auto" && gamma_.empty() && finds_width(learner_, kernel_);
}

template <class Parse>
Json LearnerFlags::settings(const Parse& parse) const {
  const LearnerInfo& info = learner_info(learner_);
  for (const std::string& name : given()) {
    if (name != "learner" && info.find(kernel_options_.contains(name) ? "kernel" : name) == nullptr) {
      throw UsageError(fmt::format("{} has no --{}{}; `alder help train --learner {}` lists what it has", learner_,
                                   flag_name(name), owners_of(name), learner_));
    }
  }
  Json json = Json::object();
  for (const OptionInfo& option : info.options) {
    if (is_given(option.name)) json[option.name] = parse(option, texts_.at(option.name));
  }
  if (info.find("kernel") == nullptr) return json;

  json["kernel"] = kernel_;
  const auto add = [&json, &parse](const std::string& name, OptionInfo::Type type, const std::string& text) {
    OptionInfo option;
    option.name = name;
    option.type = type;
    option.is_automatic = option.name == "sigma";
    json[name] = parse(option, text);
  };
  if (!has_width(kernel_) && sigma_ != "auto") throw UsageError(fmt::format("the {} kernel has no --sigma", kernel_));
  const KernelInfo& kernel = *find_kernel(kernel_);
  if (!gamma_.empty() && kernel.find("gamma") == nullptr) {
    throw UsageError(fmt::format("the {} kernel has no --gamma", kernel_));
  }
  if (!gamma_.empty()) add("gamma", OptionInfo::Type::kNumber, gamma_);
  if (has_width(kernel_) && gamma_.empty() && sigma_ != "auto") add("sigma", OptionInfo::Type::kNumber, sigma_);
  for (const auto& [name, text] : others_) {
    const KernelParameter* parameter = kernel.find(name);
    if (parameter == nullptr) continue;
    add(name, parameter->is_whole ? OptionInfo::Type::kCount : OptionInfo::Type::kNumber, text);
  }
  return json;
}

std::string LearnerFlags::options(bool scales_online, std::optional<std::uint64_t> rows, std::uint64_t seed,
                                  Task task) const {
  Json chosen = settings(to_json);
  if (scales_online) chosen["scale"] = "online";
  return options_for(learner_, learner_options(learner_, chosen, rows, seed), task);
}

std::optional<Task> LearnerFlags::only_task() const {
  if (!learner_info(learner_).traits.learns_numbers) return Task::kClassification;
  if (!is_given("loss")) return std::nullopt;
  const auto names = Loss::names();
  const auto found = std::find(names.begin(), names.end(), texts_.at("loss"));
  // A learner may have losses of its own, of classes.
  const bool is_of_numbers =
      found != names.end() && found - names.begin() >= static_cast<std::ptrdiff_t>(Loss::Kind::kSquared);
  return is_of_numbers ? Task::kRegression : Task::kClassification;
}

std::string LearnerFlags::options_with_width(double width, std::optional<std::uint64_t> rows,
                                             std::uint64_t seed) const {
  Json chosen = settings(to_json);
  if (needs_width()) chosen["sigma"] = width;
  return learner_options(learner_, chosen, rows, seed);
}

Json LearnerFlags::grid() const {
  Json grid = settings([](const OptionInfo& option, const std::string& text) {
    Json values = Json::array();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.size(), text.find(',', begin));
      values.push_back(to_json(option, text.substr(begin, end - begin)));
      if (values.back().is_null() && option.name == "sigma") reject(option.name, text, "numbers, or auto alone");
      begin = end + 1;
    }
    return values;
  });
  // The usual kernel goes without saying.
  if (grid.value("kernel", "") == default_kernel()) grid.erase("kernel");
  return grid;
}

Precision precision_of(const Model& model) {
  const Json options = Json::parse(model.learner().options());
  const bool is_scaled = model.scaling() || options.value("scale", "none") != "none";
  return !is_scaled && options.value("precision", "") == "float" ? Precision::kFloat : Precision::kDouble;
}

}  // namespace alder::cli
