#pragma once

#include <cstddef>

/// What this machine can do at most, measured here and now with the instruction set in use. Each is measured once, on
/// first use, for some milliseconds.
namespace alder::bench {

/// Multiply-adds of floats per second, from registers.
double multiply_adds_per_second();

/// Bytes per second read one after the other from an array of this size, again and again: from whatever cache it fits.
double bytes_read_per_second(std::size_t bytes);

}  // namespace alder::bench
