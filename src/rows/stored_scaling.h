#pragma once

#include <string>

#include "alder/scaling.h"

namespace alder {

class Archive;

/// Writes a scaling that is a part of something: its name as the setting part.scaling, its numbers as the tensors
/// part.scaling.features, part.scaling.offsets and part.scaling.divisors.
void save_scaling(Archive& archive, const std::string& part, const Scaling& scaling);
/// The scaling that `save_scaling` wrote. Throws Error if there is none, or for numbers that it cannot have.
Scaling load_scaling(const Archive& archive, const std::string& part);

/// What its numbers take in memory.
std::size_t bytes(const Scaling& scaling);

}  // namespace alder
