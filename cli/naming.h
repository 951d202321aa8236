#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "alder/input.h"
#include "alder/model.h"

namespace alder::cli {

/// Rows of an input on their way to a model, which is told what their classes are called before it learns them. All
/// must outlive this.
class Naming final : public Stream {
 public:
  /// `is_ordered` as for Model::set_classes.
  Naming(Stream& rows, const Input& input, Model& model, bool is_ordered);
  /// From now on a third class is an Error: what is kept is one function.
  void expect_two() { expects_two_ = true; }
  Examples read(std::size_t most) override;

 private:
  void name(std::size_t count);

  Stream& rows_;
  const Input& input_;
  Model& model_;
  bool is_ordered_;
  bool expects_two_ = false;
  std::size_t told_;     // how many names the model knows
  bool is_open_ = true;  // whether some of them may be missing
};

}  // namespace alder::cli
