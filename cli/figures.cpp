#include "figures.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace alder::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of how many classes the summary tells the recall, and how many confusions.
constexpr std::size_t kMostRecalls = 10;
constexpr std::size_t kMostConfusions = 3;

std::string name_of(const ClassNames& classes, std::uint32_t id) {
  return id < classes.size() ? classes.names[id] : fmt::format("class {}", id);
}

std::string recall_in_words(const Metrics& metrics, const ClassNames& classes) {
  if (classes.size() > kMostRecalls) return "";
  std::vector<std::string> texts;
  for (const std::uint32_t id : classes.shown) {
    const auto recall = metrics.recall(id);
    if (recall) texts.push_back(fmt::format("{} {:.2f}%", shown_name(classes.names[id]), 100.0 * *recall));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string confusions_in_words(const Metrics& metrics, const ClassNames& classes) {
  std::vector<std::string> texts;
  for (const Confusion::Entry& entry : metrics.confusion().entries()) {
    if (entry.actual == entry.predicted || entry.predicted == kNoClass) continue;
    texts.push_back(fmt::format("{} taken for {}: {} {}", shown_name(name_of(classes, entry.actual)),
                                shown_name(name_of(classes, entry.predicted)), entry.rows,
                                entry.rows == 1 ? "row" : "rows"));
    if (texts.size() == kMostConfusions) break;
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string listed(const Metrics& metrics, std::initializer_list<const char*> names) {
  std::vector<std::string> texts;
  for (const char* name : names) {
    if (const auto value = figure(metrics, name)) texts.push_back(in_words(name, *value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string interval_in_words(const Metrics& metrics, const std::string& percent) {
  const auto coverage = figure(metrics, "coverage_" + percent);
  const auto width = figure(metrics, "width_" + percent);
  if (!coverage) return "";
  return fmt::format("{}% hold {:.1f}%{}", percent, 100.0 * *coverage,
                     width ? fmt::format(", {} wide", shown_number(*width)) : "");
}

std::vector<std::pair<const char*, std::string>> number_figures_in_words(const Metrics& metrics) {
  std::vector<std::string> intervals;
  for (const char* percent : {"80", "90", "95"}) {
    const std::string text = interval_in_words(metrics, percent);
    if (!text.empty()) intervals.push_back(text);
  }
  std::vector<std::pair<const char*, std::string>> lines = {
      {"errors", listed(metrics, {"rmse", "mae"})},
      {"of the spread", listed(metrics, {"nrmse", "nmae", "r2"})},
      {"intervals", fmt::format("{}", fmt::join(intervals, "; "))},
      {"quantiles", listed(metrics, {"pinball"})},
  };
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  return lines;
}

std::string by_class(const Metrics& metrics) {
  return listed(metrics, {"balanced_error", "f1", "kappa"});
}

std::string of_probabilities(const Metrics& metrics) {
  return listed(metrics, {"log_loss", "brier", "calibration_error", "auc"});
}

}  // namespace

std::span<const char* const> figure_names(Task task) {
  if (task == Task::kRegression) return kNumberFigures;
  return kFigures;
}

std::optional<double> figure(const Metrics& metrics, std::string_view name) {
  if (name == "f1" && metrics.classes() > 2) name = "macro_f1";
  for (const auto& [known, value] : metrics.values()) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::optional<double> hinge_risk(const Metrics& metrics) {
  const MetricSums& sums = metrics.sums();
  if (sums.rows == 0 || sums.hinge_rows != sums.rows) return std::nullopt;
  return sums.hinge_loss / sums.weight;
}

std::string in_words(std::string_view name, double value) {
  if (name.starts_with("coverage_")) return fmt::format("coverage of {}% {:.1f}%", name.substr(9), 100.0 * value);
  if (name.starts_with("width_")) return fmt::format("width of {}% {}", name.substr(6), shown_number(value));
  if (name == "r2") return fmt::format("R² {:.4f}", value);
  if (name == "rmse" || name == "mae") return fmt::format("{} {}", name == "mae" ? "MAE" : "RMSE", shown_number(value));
  if (name == "nrmse" || name == "nmae") return fmt::format("{} {:.4f}", name == "nmae" ? "nMAE" : "nRMSE", value);
  if (name == "pinball") return fmt::format("pinball loss {}", shown_number(value));
  if (name == "balanced_error") return fmt::format("balanced error {:.2f}%", 100.0 * value);
  const char* const title = name == "log_loss"            ? "log loss"
                            : name == "brier"             ? "Brier score"
                            : name == "calibration_error" ? "calibration error"
                            : name == "auc"               ? "AUC"
                            : name == "f1"                ? "F1"
                                                          : "Cohen's kappa";
  return fmt::format("{} {:.4f}", title, value);
}

void add_figures(Json& json, const Metrics& metrics, const ClassNames& classes) {
  for (const char* name : figure_names(metrics.task())) {
    const auto value = figure(metrics, name);
    json[name] = value ? Json(*value) : Json();
  }
  if (metrics.task() == Task::kRegression) return;
  json["recall"] = Json::object();
  for (const std::uint32_t id : classes.shown) {
    const auto recall = metrics.recall(id);
    json["recall"][classes.names[id]] = recall ? Json(*recall) : Json();
  }
  json["confusion"] = Json::array();
  for (const Confusion::Entry& entry : metrics.confusion().entries()) {
    const Json predicted = entry.predicted == kNoClass ? Json() : Json(name_of(classes, entry.predicted));
    json["confusion"].push_back(
        {{"actual", name_of(classes, entry.actual)}, {"predicted", predicted}, {"rows", entry.rows}});
  }
}

std::vector<std::pair<const char*, std::string>> figures_in_words(const Metrics& metrics, const ClassNames& classes) {
  if (metrics.task() == Task::kRegression) return number_figures_in_words(metrics);
  std::vector<std::pair<const char*, std::string>> lines = {
      {"by class", by_class(metrics)},
      {"recall", recall_in_words(metrics, classes)},
      {"confusions", confusions_in_words(metrics, classes)},
      {"probabilities", of_probabilities(metrics)},
  };
  std::erase_if(lines, [](const auto& line) { return line.second.empty(); });
  return lines;
}

std::string figures_in_short(const Metrics& metrics) {
  if (metrics.task() == Task::kRegression) {
    return listed(metrics, {"mae", "r2", "coverage_80", "coverage_90", "coverage_95", "pinball"});
  }
  std::vector<std::string> texts = {by_class(metrics), of_probabilities(metrics)};
  std::erase(texts, "");
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace alder::cli
