#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "alder/input.h"
#include "alder/learner.h"
#include "alder/scaling.h"

namespace alder {

/// A learner with what it takes to use it on files again.
struct Model {
  std::unique_ptr<Learner> learner;
  Classes classes;
  std::size_t features = 0;        ///< how many features the rows had so far; 0: unknown
  std::optional<Scaling> scaling;  ///< how rows were scaled before they were learned
};

/// Writes a model file (docs/model-format.md), replacing what was there: at any moment the old model or the new one is
/// there, whole. Throws Error, naming the path and the reason; the old model is then untouched.
void save_model(const Model& model, const std::string& path);

/// Reads what `save_model` wrote. Its learner goes on exactly where it stood. Throws Error for files that are damaged,
/// of a newer format or no models; no allocation is much larger than the file.
Model load_model(const std::string& path);

/// The bytes of a model file, and back: for those who keep models elsewhere. Both throw Error like the above, without a
/// path.
std::string encode_model(const Model& model);
Model decode_model(std::string_view bytes);

/// What is inside a model file, as JSON text: its settings, what its learner reports, and the sizes of its tensors.
std::string describe_model(const std::string& path);

}  // namespace alder
