#include "model/version1.h"

#include <nlohmann/json.hpp>

#include "alder/metrics.h"

#include "archive/archive.h"
#include "learners/core/registry.h"
#include "model/class_table.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void upgrade_version1(Archive& archive) {
  const auto classes = Archive::read<Json>(archive.settings(), "classes");
  ClassTable::of_two(Archive::read<std::string>(classes, "negative"), Archive::read<std::string>(classes, "positive"))
      .save(archive);
  const auto counters = Archive::read<Json>(archive.settings(), "counters");
  const auto rounds = Archive::read<std::uint64_t>(counters, "rounds");
  archive.set("state", "rounds", rounds);
  archive.set("earlier", "rows", rounds);
  archive.set("earlier", "mistakes", Archive::read<std::uint64_t>(counters, "mistakes"));
  archive.set("earlier", "hinge_loss", Archive::read<double>(counters, "hinge_loss"));
  archive.settings().erase("counters");
  Metrics(Task::kClassification).save(archive);
  upgrade_learner(archive);
}

}  // namespace alder
