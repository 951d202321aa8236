#pragma once

#include <cstddef>
#include <vector>

namespace alder {

/// Rotations of neighbouring coordinates, one after the other: number t turns the coordinates i = first + t and i + 1,
///   (a, b) → (c·a − s·b, s·a + c·b).
struct Turns {
  struct Turn {
    double c;
    double s;
  };
  std::size_t first = 0;
  std::vector<Turn> turns;

  /// Calls what(i, c, s) for each.
  template <class What>
  void for_each(const What& what) const {
    for (std::size_t t = 0; t < turns.size(); ++t) what(first + t, turns[t].c, turns[t].s);
  }
  /// Turns a vector.
  template <class T>
  void apply(T* vector) const {
    for_each([vector](std::size_t i, double c, double s) {
      const auto a = static_cast<double>(vector[i]);
      const auto b = static_cast<double>(vector[i + 1]);
      vector[i] = static_cast<T>(c * a - s * b);
      vector[i + 1] = static_cast<T>(s * a + c * b);
    });
  }
  /// What becomes of sums of squares of coordinates, if nothing is known of their products.
  template <class T>
  void apply_to_squares(T* squares) const {
    for_each([squares](std::size_t i, double c, double s) {
      const auto a = static_cast<double>(squares[i]);
      const auto b = static_cast<double>(squares[i + 1]);
      squares[i] = static_cast<T>(c * c * a + s * s * b);
      squares[i + 1] = static_cast<T>(s * s * a + c * c * b);
    });
  }
};

}  // namespace alder
