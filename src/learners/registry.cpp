#include "learners/registry.h"

#include "learners/pomdr.h"
#include "model/archive.h"

namespace alder {
namespace {

struct LearnerKind {
  const char* name;
  std::unique_ptr<Learner> (*restore)(const Archive&);
};

constexpr LearnerKind kLearners[] = {
    {"pomdr", restore_pomdr},
};

}  // namespace

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const LearnerKind& kind : kLearners) names.emplace_back(kind.name);
  return names;
}

std::unique_ptr<Learner> restore_learner(const Archive& archive) {
  const auto name = Archive::read<std::string>(archive.settings, "learner");
  for (const LearnerKind& kind : kLearners) {
    if (name == kind.name) return kind.restore(archive);
  }
  throw_bad_archive("its learner \"" + name + "\" is unknown");
}

}  // namespace alder
