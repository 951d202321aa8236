#pragma once

namespace alder::simd {

/// Lets the primitives use the instruction set that the environment variable ALDER_INSTRUCTION_SET names, if it is set
/// and not empty. Looks at it once. Throws Error, now and at every later call, for one that this machine or this build
/// does not have.
void obey_environment();

}  // namespace alder::simd
