#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "archive/archive.h"
#include "simd/aligned.h"

namespace alder {

/// Writes the first n of the numbers.
template <class T>
void save_numbers(Archive& archive, const std::string& name, const AlignedVector<T>& numbers, std::size_t n) {
  archive.put(name, std::span<const T>(numbers).first(n));
}

/// No coefficient, sum or rate of a run within the limits of options and rows comes near this.
inline constexpr double kLargestSum = 1e200;
/// The same for numbers that are stored as T. In float, products with such numbers must stay finite too.
template <class T>
inline constexpr double kLargestNumber = std::is_same_v<T, float> ? 1e30 : kLargestSum;

/// Reads n numbers into the beginning of an array that has room for them. An Error if one is below `least` or above
/// `most`.
template <class T>
void load_numbers(const Archive& archive, const std::string& name, AlignedVector<T>& numbers, std::size_t n,
                  double least, double most = kLargestNumber<T>) {
  const auto read = archive.get<T>(name, n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = static_cast<double>(read[i]);
    if (!(number >= least && number <= most)) throw_bad_archive("a number of " + name + " is out of range");
    numbers[i] = read[i];
  }
}

}  // namespace alder
