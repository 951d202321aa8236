#include "warnings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace alder::cli {
namespace {

// Whether the kernel is a function of the distance of two rows. A learner that chooses its kernel looks after the
// scales of the features by itself.
bool sees_distances(const nlohmann::ordered_json& options) {
  if (!options.contains("kernel")) return false;
  const auto name = options.at("kernel").at("name").get<std::string>();
  return name == "gaussian" || name == "laplacian";
}

}  // namespace

std::string task_in_words(Task task, const std::optional<FirstLabels>& first) {
  if (task == Task::kClassification) return "";
  if (!first) return "numbers, as told";
  return fmt::format("numbers: {} different labels in the first {} rows; --task classes takes them as classes",
                     first->different, first->rows);
}

std::string many_classes_warning(const std::optional<FirstLabels>& first) {
  constexpr std::size_t kMany = 20;
  if (!first || first->task != Task::kClassification || !first->are_whole || first->different <= kMany) return "";
  return fmt::format(
      "the first {} rows have {} different labels, all whole numbers, and each is learned as a class of its own. If "
      "they "
      "are quantities, --task numbers predicts numbers",
      first->rows, first->different);
}

void StreamChecks::count_class(double target) {
  classes_.insert(target);
  if (++rows_ == kRowsOfLabels && has_numbers()) tell_(numbers_warning());
}

bool StreamChecks::has_numbers() const {
  return rows_ == kRowsOfLabels && 2 * classes_.size() > rows_;
}

std::string StreamChecks::numbers_warning() const {
  return fmt::format(
      "the first {} rows have {} different labels, which look like numbers to predict; every label is learned as a "
      "class of its own. --task numbers predicts numbers, with a learner that learns them; --label takes another "
      "column",
      rows_, classes_.size());
}

std::vector<std::string> StreamChecks::warnings(const Input& input, const Model& model, bool goes_on) const {
  std::vector<std::string> found;
  if (has_numbers()) found.push_back(numbers_warning());
  if (const std::string many = many_classes_warning(input.first_labels()); !many.empty() && !has_numbers()) {
    found.push_back(many);
  }
  if (const auto labels = labels_.warning()) {
    found.push_back(*labels + (labels_.changes() == 0
                                   ? ". There was nothing to tell apart, so the mistakes above say nothing"
                                   : ". The mistakes above flatter the learner. Learn in random order with --shuffle, "
                                     "unless the order is that of time; or measure on other rows with --holdout FILE"));
  }
  const auto options = nlohmann::ordered_json::parse(model.learner().options());
  const bool is_scaled = model.scaling() || options.value("scale", "none") != "none";
  if (!is_scaled && !goes_on && sees_distances(options)) {
    const auto name = [&input](FeatureIndex feature) { return input.feature_name(feature); };
    if (const auto scales = spans_.warning(name)) found.push_back(*scales + ". Try --scale online");
  }
  return found;
}

}  // namespace alder::cli
