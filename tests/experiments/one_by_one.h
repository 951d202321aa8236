#pragma once

#include <span>

#include "alder/model.h"

namespace alder::testing {

/// Has a model learn one example, alone in its call.
inline void learn_one(Model& model, const Example& example) {
  model.learn({std::span(&example.row, 1), std::span(&example.target, 1)});
}

}  // namespace alder::testing
