#pragma once

#include <cstdint>
#include <limits>

namespace alder {

/// What is predicted: one of several classes, or a number.
enum class Task : std::uint8_t { kClassification, kRegression };

/// The target of a row that has none. Only streams and metrics know it; learners refuse it.
inline constexpr double kNoTarget = std::numeric_limits<double>::quiet_NaN();

/// The class that is predicted before anything was learned.
inline constexpr std::uint32_t kNoClass = ~std::uint32_t{0};

/// Class ids are 0 … kMostClasses − 1: what is counted for each class is an array, which a wrong id must not make huge.
inline constexpr std::uint32_t kMostClasses = std::uint32_t{1} << 20U;

}  // namespace alder
