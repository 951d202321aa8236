#include "learners/core/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
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
  OptionInfo scale;
  scale.name = "scale";
  scale.type = OptionInfo::Type::kChoice;
  scale.summary = fmt::format("of the features; online: as suits the first {} rows", FirstRows::kForScaling);
  scale.fallback = "none";
  scale.choices = {"none", "online"};
  infos.push_back(scale);
  return infos;
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
  nlohmann::ordered_json json;
  try {
    json = parse_json(options);
  } catch (const Error& error) {
    throw Error(fmt::format("the options of {}: {}; expected {{\"name\": value, ...}}", name, error.what()));
  }
  return make_learner(*kind, json);
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
