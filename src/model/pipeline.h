#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "alder/model.h"
#include "alder/row_buffer.h"

#include "model/class_table.h"

namespace alder {

/// What a model consists of.
class Model::Pipeline {
 public:
  explicit Pipeline(std::unique_ptr<Learner> its_learner) : learner(std::move(its_learner)), metrics(learner->task()) {}

  std::optional<Scaling> scaling;
  std::unique_ptr<Learner> learner;
  ClassTable classes;
  Metrics metrics;
  Counts earlier;  ///< of rows before `metrics` began: those that a file of version 1 knew of
  std::size_t features = 0;

  // Of the examples in hand:
  RowBuffer scaled;
  std::vector<double> numbers;
  Predictions made;
};

}  // namespace alder
