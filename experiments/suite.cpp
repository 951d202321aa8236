#include "experiments/suite.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/kernel.h"
#include "alder/registry.h"
#include "alder/scaling.h"
#include "alder/stream.h"

#include "archive/json.h"
#include "io/whole_file.h"

namespace alder {
namespace {

// An object of the suite while it is read; knows where it is, for messages.
class Fields {
 public:
  Fields(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) fail("", json, "an object");
  }

  void expect_only(std::initializer_list<const char*> names) const {
    for (const auto& [name, value] : json_.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw Error(fmt::format("{}: unknown {}; expected one of {}", place_, name, fmt::join(names, ", ")));
      }
    }
  }

  [[nodiscard]] std::string text(const char* name, const std::string& fallback) const {
    if (!json_.contains(name)) return fallback;
    if (!json_[name].is_string()) fail(name, json_[name], "text");
    return json_[name].get<std::string>();
  }

  [[nodiscard]] std::uint64_t count(const char* name, std::uint64_t fallback, std::uint64_t least) const {
    if (!json_.contains(name)) return fallback;
    if (!json_[name].is_number_unsigned() || json_[name].get<std::uint64_t>() < least) {
      fail(name, json_[name], fmt::format("a whole number from {} on", least));
    }
    return json_[name].get<std::uint64_t>();
  }

  [[nodiscard]] bool flag(const char* name) const {
    if (!json_.contains(name)) return false;
    if (!json_[name].is_boolean()) fail(name, json_[name], "true or false");
    return json_[name].get<bool>();
  }

  [[nodiscard]] Json object(const char* name) const {
    if (!json_.contains(name)) return Json::object();
    if (!json_[name].is_object()) fail(name, json_[name], "an object");
    return json_[name];
  }

  [[nodiscard]] std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> list;
    if (!json_.contains(name)) return list;
    if (!json_[name].is_array()) fail(name, json_[name], "a list of names");
    for (const Json& entry : json_[name]) {
      if (!entry.is_string()) fail(name, json_[name], "a list of names");
      list.push_back(entry.get<std::string>());
    }
    return list;
  }

  [[nodiscard]] bool has(const char* name) const { return json_.contains(name); }
  [[nodiscard]] const std::string& place() const { return place_; }

  [[noreturn]] void fail(const std::string& name, const Json& found, const std::string& expected) const {
    throw Error(fmt::format("{}: {}{}; expected {}", place_, name.empty() ? "it is " : name + " is ",
                            found.dump().substr(0, 60), expected));
  }

 private:
  const Json& json_;
  std::string place_;
};

// The name is part of that of the results file.
std::string parse_name(const Fields& fields) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  std::string name = fields.text("name", "");
  if (name.empty()) throw Error("suite: it has no name");
  if (name.front() == '.' || name.find_first_not_of(kAllowed) != std::string::npos) {
    fields.fail("name", name,
                "letters, digits, '-', '_' and '.', which must not be first: results are written to "
                "NAME-results.jsonl");
  }
  return name;
}

DataSpec parse_data(const std::string& name, const Json& json) {
  const Fields fields(json, "data set " + name);
  fields.expect_only({"file", "generate", "rows", "scale", "source", "settings"});
  DataSpec data;
  data.name = name;
  data.file = fields.text("file", "");
  data.generate = fields.text("generate", "");
  if (data.file.empty() == data.generate.empty()) {
    throw Error(fmt::format("{}: expected either a file or the stream to generate", fields.place()));
  }
  data.rows = fields.count("rows", 10000, 1);
  data.scale = fields.text("scale", "none");
  try {
    if (!data.generate.empty()) (void)make_generated(data.generate, data.rows, 1);
    if (data.scale != "none") (void)Scaling::kind_named(data.scale);
  } catch (const Error& error) {
    throw error.with_message(fmt::format("{}: {}", fields.place(), error.what()));
  }
  data.source = fields.text("source", "");
  data.settings = fields.object("settings");
  const std::vector<std::string> learners = learner_names();
  for (const auto& entry : data.settings.items()) {
    const auto has = [&entry](const std::string& learner) { return has_setting(learner, entry.key()); };
    if (std::none_of(learners.begin(), learners.end(), has)) {
      throw Error(fmt::format("{}: no learner has an option {}", fields.place(), entry.key()));
    }
  }
  return data;
}

Experiment parse_experiment(const Fields& fields, const Suite& suite, std::uint64_t permutations) {
  fields.expect_only({"data", "learners", "options", "permutations", "tune", "curve"});
  Experiment experiment;
  experiment.data = fields.texts("data");
  for (const std::string& name : experiment.data) {
    if (std::none_of(suite.data.begin(), suite.data.end(), [&name](const auto& data) { return data.name == name; })) {
      throw Error(fmt::format("{}: there is no data set {} in the suite", fields.place(), name));
    }
  }
  if (fields.has("data") && experiment.data.empty()) throw Error(fmt::format("{}: it has no data", fields.place()));
  if (!fields.has("data")) {
    for (const DataSpec& data : suite.data) experiment.data.push_back(data.name);
  }
  experiment.learners = fields.texts("learners");
  if (experiment.learners.empty()) throw Error(fmt::format("{}: it has no learners", fields.place()));
  experiment.options = fields.object("options");
  experiment.permutations = fields.count("permutations", permutations, 1);
  experiment.tune = std::min(experiment.permutations, fields.count("tune", experiment.permutations, 1));
  experiment.curve = fields.flag("curve");
  return experiment;
}

SpectrumSpec parse_spectrum(const Json& json) {
  const Fields fields(json, "spectrum");
  fields.expect_only({"rows", "sigma"});
  SpectrumSpec spectrum;
  spectrum.rows = fields.count("rows", 1000, 1);
  for (const Json& sigma : json.value("sigma", Json::array())) {
    if (!sigma.is_number()) fields.fail("sigma", json["sigma"], "a list of numbers");
    try {
      (void)Kernel::gaussian(sigma.get<double>());
    } catch (const Error& error) {
      throw error.with_message(fmt::format("{}: {}", fields.place(), error.what()));
    }
    spectrum.sigmas.push_back(sigma.get<double>());
  }
  return spectrum;
}

// Whether settings leave room for a width: their kernel has one, it is not told by gamma, and the learner does not find
// one itself.
bool wants_width(const std::string& learner, const Json& settings) {
  const Json kernel = settings.value("kernel", Json(default_kernel()));
  return has_setting(learner, "sigma") && has_width(kernel) && !finds_width(learner, kernel) &&
         !settings.contains("sigma") && !settings.contains("gamma");
}

// What an experiment tries with a learner on a data set, whose own settings count where the experiment has none.
std::vector<Json> candidates_of(const Experiment& experiment, const DataSpec& data, const std::string& learner) {
  std::vector<Json> candidates;
  for (Json grid : combinations(learner, experiment.options)) {
    for (const auto& [name, value] : data.settings.items()) {
      if (name == "sigma" ? wants_width(learner, grid) : !grid.contains(name) && has_setting(learner, name)) {
        grid[name] = value;
      }
    }
    for (Json& settings : combinations(learner, grid)) candidates.push_back(std::move(settings));
  }
  for (const Json& settings : candidates) {
    if (wants_width(learner, settings)) {
      throw Error("it has no sigma; expected one among the options, or in the settings of the data set");
    }
    // Of a file the number of rows is not known yet: what depends on it is not checked.
    const std::uint64_t rows = data.file.empty() ? data.rows : 1;
    (void)make_learner(learner, learner_options(learner, settings, rows, 1));
  }
  return candidates;
}

}  // namespace

Suite parse_suite(const std::string& text) {
  Suite suite;
  suite.json = parse_json(text);
  const Fields fields(suite.json, "suite");
  fields.expect_only({"name", "seed", "permutations", "data", "experiments", "spectrum", "probabilities"});
  suite.name = parse_name(fields);
  suite.seed = fields.count("seed", 1, 0);
  const std::uint64_t permutations = fields.count("permutations", 10, 1);
  suite.probabilities = fields.flag("probabilities");
  const Json data_sets = fields.object("data");
  for (const auto& [name, data] : data_sets.items()) suite.data.push_back(parse_data(name, data));
  if (suite.data.empty()) throw Error("suite: it has no data");
  const Json experiments = suite.json.value("experiments", Json::array());
  if (!experiments.is_array() || experiments.empty()) fields.fail("experiments", experiments, "a list of experiments");
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Fields experiment(experiments[i], fmt::format("experiment {}", i + 1));
    suite.experiments.push_back(parse_experiment(experiment, suite, permutations));
  }
  for (const Experiment& experiment : suite.experiments) {
    constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 53U;
    if (experiment.permutations > kMostSeed || suite.seed > kMostSeed - experiment.permutations) {
      throw Error(fmt::format("suite: seed is {}; expected at most 2^53 with all permutations", suite.seed));
    }
  }
  if (fields.has("spectrum")) suite.spectrum = parse_spectrum(suite.json["spectrum"]);
  (void)groups_of(suite);
  return suite;
}

std::string suite_text(const std::string& name) {
  if (auto text = builtin_suite(name)) return *text;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name, ignored)) {
    throw Error(
        fmt::format("{}: no such suite; expected a file, or one of {}", name, fmt::join(builtin_suite_names(), ", ")));
  }
  return read_file(name);
}

std::vector<Group> groups_of(const Suite& suite) {
  std::vector<Group> groups;
  for (std::size_t d = 0; d < suite.data.size(); ++d) {
    const DataSpec& data = suite.data[d];
    for (std::size_t e = 0; e < suite.experiments.size(); ++e) {
      const Experiment& experiment = suite.experiments[e];
      if (std::find(experiment.data.begin(), experiment.data.end(), data.name) == experiment.data.end()) continue;
      for (const std::string& learner : experiment.learners) {
        try {
          groups.push_back({d, learner, candidates_of(experiment, data, learner), experiment.permutations,
                            experiment.tune, experiment.curve});
        } catch (const Error& error) {
          throw error.with_message(fmt::format("experiment {}, {} on {}: {}", e + 1, learner, data.name, error.what()));
        }
      }
    }
  }
  return groups;
}

}  // namespace alder
