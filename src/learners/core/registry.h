#pragma once

#include <memory>
#include <string>
#include <vector>

#include "alder/learner.h"

namespace alder {

struct LearnerKind;

/// The kind of that name, of those that can be made; null if there is none.
const LearnerKind* find_kind(const std::string& name);

/// A learner as it was when it was saved, of the kind that the archive names. Throws Error for an unknown kind and for
/// content that contradicts itself.
std::unique_ptr<Learner> restore_learner(const Archive& archive);

/// Makes what a learner wrote into a file of version 1 what it writes today.
void upgrade_learner(Archive& archive);

}  // namespace alder
