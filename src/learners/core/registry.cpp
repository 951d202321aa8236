#include "learners/core/registry.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/loss.h"
#include "alder/registry.h"

#include "archive/json.h"
#include "learners/core/first_rows.h"
#include "learners/core/kind.h"
#include "learners/core/one_vs_rest.h"

namespace alder {

// Each is defined in the file of its learner. A new learner is named here and in the list below, and nowhere else.
extern const LearnerKind kAlder, kPomdr, kOgd, kBogd, kFogd, kNogd, kSkegd, kBao2ks, kProjectron, kProjectronPlusPlus,
    kPegasos, kPerceptron, kLinear;
// What a learner left behind: can be restored, but not made.
extern const LearnerKind kHypothesis;

namespace {

// In the order in which they are shown; the first is the default.
constexpr const LearnerKind* kLearners[] = {
    &kAlder,   &kPomdr,      &kOgd,    &kBogd, &kFogd, &kNogd, &kSkegd, &kBao2ks, &kProjectron, &kProjectronPlusPlus,
    &kPegasos, &kPerceptron, &kLinear,
};

// Those of its own, and what FirstRows adds.
std::vector<OptionInfo> all_options(const LearnerKind& kind) {
  std::vector<OptionInfo> infos = kind.options();
  for (OptionInfo& info : infos) {
    if (info.type == OptionInfo::Type::kKernel) info.is_automatic = true;
  }
  if (kind.traits.learns_numbers && !kind.traits.finds_units) {
    const auto add = [&infos](const char* name, const char* summary, double low, double high) {
      OptionInfo info;
      info.name = name;
      info.summary = summary;
      info.fallback = "auto";
      info.is_automatic = true;
      info.low = low;
      info.high = high;
      infos.push_back(info);
    };
    add("target_center", "of numbers: (target - center)/scale is learned; auto: the mean of the first ones",
        -TargetUnits::kLargestCenter, TargetUnits::kLargestCenter);
    add("target_scale", "of numbers; auto: the standard deviation of the first ones", TargetUnits::kSmallestScale,
        TargetUnits::kLargestScale);
  }
  OptionInfo scale;
  scale.name = "scale";
  scale.type = OptionInfo::Type::kChoice;
  scale.summary = fmt::format("of the features; online: as suits the first {} rows", FirstRows::kForScaling);
  scale.fallback = "none";
  scale.choices = {"none", "online"};
  infos.push_back(scale);
  return infos;
}

// From the text.
nlohmann::ordered_json parsed_options(const std::string& name, const std::string& options) {
  try {
    return parse_json(options);
  } catch (const Error& error) {
    throw Error(fmt::format("the options of {}: {}; expected {{\"name\": value, ...}}", name, error.what()));
  }
}

// Throws for an option that the learner does not have.
void check_names(const LearnerInfo& info, const nlohmann::ordered_json& options) {
  for (const auto& [name, value] : options.items()) {
    if (info.find(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const OptionInfo& option : info.options) names.push_back(option.name);
    throw Error(fmt::format("there is no option \"{}\"; expected one of {}", name, fmt::join(names, ", ")));
  }
}

bool is_of_regression(std::string_view loss) {
  const auto names = Loss::names();
  const auto found = std::find(names.begin(), names.end(), loss);
  if (found == names.end()) return false;
  const auto kind = static_cast<Loss::Kind>(found - names.begin());
  return kind != Loss::Kind::kHinge && kind != Loss::Kind::kSquaredHinge && kind != Loss::Kind::kLogistic;
}

[[noreturn]] void throw_unknown(const std::string& name) {
  throw Error(fmt::format("there is no learner \"{}\"; expected one of {}", name, fmt::join(learner_names(), ", ")));
}

}  // namespace

const LearnerKind* find_kind(const std::string& name) {
  for (const LearnerKind* kind : kLearners) {
    if (name == kind->name) return kind;
  }
  return nullptr;
}

const OptionInfo* LearnerInfo::find(const std::string& option) const {
  for (const OptionInfo& info : options) {
    if (info.name == option) return &info;
  }
  return nullptr;
}

const std::vector<LearnerInfo>& learner_infos() {
  static const std::vector<LearnerInfo> infos = [] {
    std::vector<LearnerInfo> all;
    for (const LearnerKind* kind : kLearners)
      all.push_back({kind->name, kind->summary, kind->traits, all_options(*kind)});
    return all;
  }();
  return infos;
}

const LearnerInfo* find_learner(const std::string& name) {
  for (const LearnerInfo& info : learner_infos()) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

const LearnerInfo& learner_info(const std::string& name) {
  if (const LearnerInfo* found = find_learner(name)) return *found;
  throw_unknown(name);
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const LearnerKind* kind : kLearners) names.emplace_back(kind->name);
  return names;
}

std::vector<std::string> learners_with(bool LearnerTraits::*trait) {
  std::vector<std::string> names;
  for (const LearnerKind* kind : kLearners) {
    if (kind->traits.*trait) names.emplace_back(kind->name);
  }
  return names;
}

std::string default_learner() {
  return kLearners[0]->name;
}

std::unique_ptr<Learner> make_learner(const std::string& name, const std::string& options) {
  const LearnerKind* kind = find_kind(name);
  if (kind == nullptr) throw_unknown(name);
  const nlohmann::ordered_json json = parsed_options(name, options);
  if (json.is_object()) check_names(learner_info(name), json);
  return make_learner(*kind, json);
}

std::string options_for(const std::string& name, const std::string& options, Task task) {
  const LearnerInfo& info = learner_info(name);
  nlohmann::ordered_json json = parsed_options(name, options);
  if (!json.is_object()) throw Error("the options are no JSON object; expected {\"name\": value, ...}");
  const bool is_of_numbers = task == Task::kRegression;
  if (is_of_numbers && !info.traits.learns_numbers) {
    throw Error(Error::Kind::kUnsupported, fmt::format("{} learns classes and no numbers; expected one of {}", name,
                                                       fmt::join(learners_with(&LearnerTraits::learns_numbers), ", ")));
  }
  const auto given = json.find("loss");
  if (given == json.end() || given->is_null()) {
    if (is_of_numbers) json["loss"] = "squared";
    return json.dump();
  }
  // What is no loss, or none of this learner, is said by make_learner.
  const OptionInfo* const losses = info.find("loss");
  const auto text = given->is_string() ? given->get<std::string>() : std::string();
  const bool is_known = losses != nullptr && std::count(losses->choices.begin(), losses->choices.end(), text) > 0;
  if (!is_known || is_of_regression(text) == is_of_numbers) return json.dump();
  std::vector<std::string> fitting;
  std::copy_if(losses->choices.begin(), losses->choices.end(), std::back_inserter(fitting),
               [&](const std::string& loss) { return is_of_regression(loss) == is_of_numbers; });
  throw Error(Error::Kind::kUnsupported,
              fmt::format("the loss {} is of {}, and the targets are {}; expected {}", text,
                          is_of_numbers ? "classes" : "numbers", is_of_numbers ? "numbers" : "classes",
                          fmt::join(fitting, " or ")));
}

namespace {

const LearnerKind& kind_of(const Archive& archive) {
  const auto name = Archive::read<std::string>(archive.settings(), "learner");
  const LearnerKind* kind = name == kHypothesis.name ? &kHypothesis : find_kind(name);
  if (kind == nullptr) throw_bad_archive("its learner \"" + name + "\" is unknown");
  return *kind;
}

}  // namespace

std::unique_ptr<Learner> restore_learner(const Archive& archive) {
  const LearnerKind& kind = kind_of(archive);
  if (&kind == &kHypothesis) return kind.restore(archive.object("options"), archive);
  if (archive.has_part("first_rows")) return restore_first_rows(kind, archive);
  return restore_of_kind(kind, archive.object("options"), archive);
}

void upgrade_learner(Archive& archive) {
  const LearnerKind& kind = kind_of(archive);
  if (kind.upgrade != nullptr) kind.upgrade(archive);
}

}  // namespace alder
