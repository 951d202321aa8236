#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "learners/core/kind.h"
#include "learners/core/target_units.h"

namespace alder {

/// What the options of a learner leave to its first rows.
struct LeftOpen {
  bool width = false;    ///< that of its kernel, which is radial
  bool scaling = false;  ///< of the rows: they are scaled as suits the first ones
  bool units = false;    ///< of numbers that are learned, or one of center and scale

  [[nodiscard]] bool any() const { return width || scaling || units; }
};

/// Whether options have no such one, or null.
bool is_missing(const nlohmann::ordered_json& options, const char* name);

/// The units of numbers that options ask for, which are then without; empty if there are none.
std::optional<AskedUnits> take_units(const LearnerKind& kind, nlohmann::ordered_json& options);

/// What options leave open, which then have neither "scale" nor a kernel that is found by the learner itself. The units
/// were taken before.
LeftOpen take_open(const LearnerKind& kind, nlohmann::ordered_json& options, const std::optional<AskedUnits>& units);

}  // namespace alder
