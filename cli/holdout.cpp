#include "holdout.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "alder/error.h"

#include "learner_flags.h"
#include "table_words.h"
#include "verbs.h"

namespace alder::cli {

Holdout::Holdout(const std::string& text) {
  if (text.empty()) return;
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    path_ = text;
    if (text == "-") throw UsageError("--holdout is -; expected a file, or a part of the rows between 0 and 1");
    if (::access(path_.c_str(), R_OK) != 0)
      throw Error(Error::Kind::kFile, fmt::format("{}: {}", path_, std::strerror(errno)));
    return;
  }
  if (!(number > 0.0 && number < 1.0)) {
    throw UsageError(fmt::format("--holdout is {}; expected a part of the rows between 0 and 1, or a file", text));
  }
  part_ = number;
}

std::size_t Holdout::learned(std::size_t rows) const {
  if (!is_part()) return rows;
  const auto held_out = static_cast<std::size_t>(std::llround(part_ * static_cast<double>(rows)));
  if (held_out == 0 || held_out >= rows) {
    throw Error(fmt::format("of {} rows {} would be held out; expected at least one to learn and one to hold out", rows,
                            held_out));
  }
  return rows - held_out;
}

NamedRows Holdout::read(const InputFlags& flags, const Model& model, const std::vector<std::string>& classes) const {
  InputOptions options = flags.input_options();
  options.classes = classes;
  options.features = model.features();
  options.precision = precision_of(model);
  options.columns.clear();
  match_model(options, model, true);
  options.weights_file.clear();  // those of the rows that are learned
  const auto input = open_input({path_}, options);
  NamedRows read = {Dataset::read(*input), {}};
  report_reading(*input);
  if (read.rows.size() == 0) {
    throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", path_));
  }
  read.classes = input->classes();
  return read;
}

Heldout measure(const Model& model, Stream& rows, const std::vector<std::string>& classes) {
  constexpr std::size_t kAtOnce = 256;
  const auto start = std::chrono::steady_clock::now();
  Heldout result(model.task());
  Predictions made;
  Wanted wanted;
  wanted.probabilities = model.has_probabilities();
  if (model.task() == Task::kRegression) wanted.quantiles.assign(kLevels.begin(), kLevels.end());
  for (Examples examples = rows.read(kAtOnce); !examples.empty(); examples = rows.read(kAtOnce)) {
    model.predict(examples.rows, made, wanted);
    result.metrics.add(made, examples.targets, examples.weights);
  }
  if (result.metrics.rows() == 0) throw Error("all rows that are held out have the weight 0; expected one that counts");
  result.classes = class_names(model);
  for (std::size_t id = result.classes.size(); id < std::min(classes.size(), result.metrics.classes()); ++id) {
    result.classes.names.push_back(classes[id]);
    result.classes.shown.push_back(static_cast<std::uint32_t>(id));
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace alder::cli
