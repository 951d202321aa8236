#pragma once

#include <cstdlib>

#include <fmt/format.h>

namespace alder {

/// A number with a given number of significant digits: enough for a picture or for people, in few characters.
inline double with_digits(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

}  // namespace alder
