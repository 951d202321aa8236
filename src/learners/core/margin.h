#pragma once

#include <cstddef>
#include <span>

#include "alder/examples.h"

namespace alder {

/// How clearly scores tell the class of a row. With one score, for two classes, y·score; else the score of the class
/// less the largest of the others.
struct Margin {
  double value = 0.0;
  bool is_mistake = false;  ///< whether another class is predicted
  std::size_t rival = 0;    ///< the class with the largest other score; with one score the other class
};

inline Margin margin_of(std::span<const double> scores, double target) {
  const auto y = static_cast<std::size_t>(target);
  if (scores.size() == 1) {
    const double label = sign_of(target);
    return {label * scores[0], is_mistake(scores[0], label), 1 - y};
  }
  std::size_t rival = y == 0 ? 1 : 0;
  for (std::size_t c = rival + 1; c < scores.size(); ++c) {
    if (c != y && scores[c] > scores[rival]) rival = c;
  }
  const double value = scores[y] - scores[rival];
  return {value, value < 0.0 || (value == 0.0 && rival < y), rival};
}

}  // namespace alder
