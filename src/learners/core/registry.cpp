#include "learners/core/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/registry.h"

#include "archive/json.h"
#include "learners/core/kind.h"

namespace alder {
namespace {

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

const std::vector<LearnerInfo>& learner_infos() {
  static const std::vector<LearnerInfo> infos = [] {
    std::vector<LearnerInfo> all;
    for (const LearnerKind* kind : kLearners) all.push_back({kind->name, kind->summary, kind->options()});
    return all;
  }();
  return infos;
}

const LearnerInfo& learner_info(const std::string& name) {
  for (const LearnerInfo& info : learner_infos()) {
    if (info.name == name) return info;
  }
  throw_unknown(name);
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const LearnerKind* kind : kLearners) names.emplace_back(kind->name);
  return names;
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
