#include "learners/core/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "archive/json.h"
#include "learners/core/kind.h"

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

const LearnerKind* find_kind(const std::string& name) {
  for (const LearnerKind* kind : kLearners) {
    if (name == kind->name) return kind;
  }
  return nullptr;
}

[[noreturn]] void throw_unknown(const std::string& name) {
  throw Error(fmt::format("there is no learner \"{}\"; expected one of {}", name, fmt::join(learner_names(), ", ")));
}

}  // namespace

const OptionInfo* LearnerInfo::find(const std::string& option) const {
  for (const OptionInfo& info : options) {
    if (info.name == option) return &info;
  }
  return nullptr;
}

bool LearnerInfo::finds_width() const {
  const OptionInfo* kernel = find("kernel");
  return kernel != nullptr && kernel->is_automatic;
}

const std::vector<LearnerInfo>& learner_infos() {
  static const std::vector<LearnerInfo> infos = [] {
    std::vector<LearnerInfo> all;
    for (const LearnerKind* kind : kLearners) all.push_back({kind->name, kind->summary, kind->traits, kind->options()});
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
  nlohmann::ordered_json json;
  try {
    json = parse_json(options);
  } catch (const Error& error) {
    throw Error(fmt::format("the options of {}: {}; expected {{\"name\": value, ...}}", name, error.what()));
  }
  return kind->make(json);
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
  return kind_of(archive).restore(archive);
}

void upgrade_learner(Archive& archive) {
  const LearnerKind& kind = kind_of(archive);
  if (kind.upgrade != nullptr) kind.upgrade(archive);
}

}  // namespace alder
