#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alder/model.h"
#include "alder/registry.h"

#include "choices.h"
#include "class_weights.h"
#include "figures.h"
#include "names.h"
#include "output.h"
#include "summary.h"
#include "verbs.h"

namespace alder::cli {
namespace {

struct InfoOptions {
  std::string model;
  bool json = false;
};

// A model file has its classes in the order in which they are shown.
ClassNames names_of(const nlohmann::ordered_json& classes) {
  ClassNames found;
  for (const auto& one : classes) {
    found.shown.push_back(static_cast<std::uint32_t>(found.size()));
    found.names.push_back(one.at("name").get<std::string>());
  }
  return found;
}

ClassWeights weights_of(const nlohmann::ordered_json& weights) {
  ClassWeights found;
  if (weights.is_null()) return found;
  found.balanced = weights.at("balanced").get<bool>();
  found.factors = weights.at("factors").get<std::map<std::string, double>>();
  return found;
}

std::string described_columns(const nlohmann::ordered_json& columns) {
  constexpr std::size_t kNamed = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, columns.size()); ++i) {
    const auto kind = columns[i].at("kind").get<std::string>();
    const auto values = columns[i].at("values").get<std::uint64_t>();
    text +=
        fmt::format("{}{} {}{}", i == 0 ? "" : ", ", shown_name(columns[i].at("name").get<std::string>(), 30), kind,
                    kind == "category"              ? fmt::format(" ({})", values)
                    : kind == "text"                ? fmt::format(" ({} words)", values)
                    : columns[i].contains("reason") ? fmt::format("d ({})", columns[i].at("reason").get<std::string>())
                                                    : "");
  }
  return columns.size() > kNamed ? fmt::format("{}, and {} more", text, columns.size() - kNamed) : text;
}

std::string as_line(const char* name, const std::string& value) {
  return fmt::format("{:<14}{}\n", name, value);
}

// What is of classes alone.
std::string classes_of(const nlohmann::ordered_json& model) {
  ClassNames classes = names_of(model.at("classes"));
  classes.positive = model.at("positive").get<std::uint32_t>();
  std::string text = as_line("classes", in_words(classes));
  if (const ClassWeights weights = weights_of(model.at("class_weights")); weights.are_given()) {
    text += as_line("class weights", in_words(weights));
  }
  const auto& threshold = model.at("threshold");
  text += as_line("probabilities",
                  !model.at("probabilities").get<bool>() ? "not learned"
                  : threshold.is_null()
                      ? "learned"
                      : fmt::format("learned; the positive class is predicted from {} on", threshold.get<double>()));
  return text;
}

// Those of the figures that the rows define.
std::string figures_of(const nlohmann::ordered_json& model, std::initializer_list<const char*> names) {
  std::vector<std::string> texts;
  for (const char* name : names) {
    if (model.contains(name)) texts.push_back(in_words(name, model.at(name).get<double>()));
  }
  return texts.empty() ? "none yet" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string described(const nlohmann::ordered_json& model) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) { text += as_line(name, value); };
  const auto& options = model.at("options");
  line("model", fmt::format("{}, {} bytes, written by alder {}", model.at("path").get<std::string>(),
                            model.at("bytes").get<std::uint64_t>(), model.at("alder_version").get<std::string>()));
  line("checksum", fmt::format("{} (right)", model.at("checksum").get<std::string>()));
  line("learner", model.at("learner").get<std::string>());
  if (model.contains("hypothesis")) {
    const auto& origin = model.at("hypothesis");
    const auto first = origin.at("first_round").get<std::uint64_t>();
    const auto last = origin.at("last_round").get<std::uint64_t>();
    line("origin", fmt::format("{} of {}; a fixed function that learns no more",
                               first == last ? fmt::format("round {}", first)
                                             : fmt::format("the mean of rounds {} to {}", first, last),
                               origin.at("learner").get<std::string>()));
  }
  auto report = model;
  report["sigma"] = model.at("chosen_sigma");
  for (const auto& [name, words] : describe_choices(options, report)) line(name, words);
  std::string others;
  for (const auto& [name, value] : options.items()) {
    if (name == "kernel") continue;
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name,
                          value.is_string() ? value.get<std::string>() : value.dump());
  }
  line("options", others);
  const bool is_of_numbers = model.at("task") == "numbers";
  if (is_of_numbers) {
    line("task", "numbers");
  } else {
    text += classes_of(model);
  }
  if (options.value("recent_labels", false)) line("recent labels", kRecentLabels);
  if (!model.at("columns").empty()) line("columns", described_columns(model.at("columns")));
  if (model.contains("label_column") && !model.at("label_column").is_null()) {
    line("label", fmt::format("column {}", model.at("label_column").get<std::string>()));
  }
  line("features",
       fmt::format("{}{}", model.at("features").get<std::uint64_t>(),
                   model.at("scaling").is_null() ? "" : ", scaled: " + model.at("scaling").get<std::string>()));
  if (const std::string shares = describe_importances(model.at("importances")); !shares.empty()) {
    line("that matter", shares);
  }
  const auto rounds = model.at("rounds").get<std::uint64_t>();
  if (is_of_numbers) {
    line("rounds", fmt::format("{}", rounds));
    line("errors", figures_of(model, {"rmse", "mae", "nrmse", "r2"}));
    line("intervals", figures_of(model, {"coverage_80", "coverage_90", "coverage_95", "pinball"}));
  } else {
    line("rounds", fmt::format("{}, {} mistakes ({:.2f}%)", rounds, model.at("mistakes").get<std::uint64_t>(),
                               100.0 * model.at("mistake_rate").get<double>()));
  }
  line("support set", fmt::format("{} rows", model.at("support_vectors").get<std::uint64_t>()));
  const auto removals = model.at("removals").get<std::uint64_t>();
  const LearnerInfo* learner = find_learner(model.at("learner").get<std::string>());
  if (learner == nullptr || !learner->traits.has_phases) {
    if (removals > 0) line("removals", fmt::format("{}", removals));
  } else if (model.at("switch_round").is_null()) {
    line("to phase 2", "never");
  } else {
    line("to phase 2",
         fmt::format("at round {}, {} removals since", model.at("switch_round").get<std::uint64_t>(), removals));
  }
  line("in memory", fmt::format("{:.1f} KiB", model.at("model_bytes").get<double>() / 1024.0));
  return text;
}

int info(const InfoOptions& options) {
  const std::string json = describe_model(options.model);
  Output output("-");
  output.write(options.json ? json + "\n" : described(nlohmann::ordered_json::parse(json)));
  output.close();
  return 0;
}

}  // namespace

Action add_info(Flags& verb) {
  auto options = std::make_shared<InfoOptions>();
  verb.text("MODEL", options->model, "what `alder train -o` saved").required();
  verb.flag("--json", options->json, "print it as one JSON object");
  return [options] { return info(*options); };
}

}  // namespace alder::cli
