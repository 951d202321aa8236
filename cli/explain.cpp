#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/explanation.h"
#include "alder/model.h"

#include "files.h"
#include "input_flags.h"
#include "limited.h"
#include "names.h"
#include "output.h"
#include "signals.h"
#include "table_words.h"
#include "verbs.h"

namespace alder::cli {
namespace {

// Few rows at once: each takes as long as hundreds that are predicted.
constexpr std::size_t kExplainedAtOnce = 16;

struct ExplainFlags {
  std::string model;
  InputFlags input;
  std::string output = "-";
  std::uint64_t top = 5;
  std::uint64_t rows = 0;
  bool json = false;
};

void check_files(const ExplainFlags& options) {
  Files files;
  files.loads("the model", options.model);
  for (const std::string& path : options.input.paths) files.reads("the input", path);
  files.reads("the weights", options.input.options.weights_file);
  files.streams("-o", options.output);
  files.check();
}

// What is written of each row.
class Writer {
 public:
  Writer(const ExplainFlags& options, const Model& model, const Input& input)
      : options_(options), model_(model), input_(input) {}

  [[nodiscard]] std::string text(const Explanation& found, std::uint64_t row, double target) const {
    return options_.json ? json(found, row, target) : words(found, row, target);
  }

 private:
  [[nodiscard]] std::string class_name(std::uint32_t id) const {
    const auto& names = model_.classes();
    if (id < names.size() && !names[id].empty()) return shown_name(names[id]);
    return id == kNoClass ? "nothing" : id == 1 ? "+1" : "-1";
  }

  [[nodiscard]] std::string json(const Explanation& found, std::uint64_t row, double target) const {
    const std::string text =
        to_json(found, model_.classes(), [this](FeatureIndex feature) { return input_.feature_name(feature); });
    nlohmann::ordered_json line = {{"row", row}, {"label", nullptr}};
    if (!std::isnan(target)) {
      line["label"] = found.value ? nlohmann::ordered_json(target)
                                  : nlohmann::ordered_json(model_.classes()[static_cast<std::size_t>(target)]);
    }
    line.update(nlohmann::ordered_json::parse(text));
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }

  [[nodiscard]] std::string head_of_class(const Explanation& found, std::uint64_t row, double target) const {
    const bool is_of_many = model_.learner().outputs() > 1;
    std::string text = fmt::format("row {}: {} (score {:.4g}{}{})", row, class_name(found.predicted), found.score,
                                   is_of_many ? fmt::format(" more than {}", class_name(found.against)) : "",
                                   found.probability ? fmt::format(", probability {:.4g}", *found.probability) : "");
    if (!std::isnan(target)) text += ", label " + class_name(static_cast<std::uint32_t>(target));
    return text;
  }

  [[nodiscard]] static std::string head_of_number(const Explanation& found, std::uint64_t row, double target) {
    std::string text = fmt::format("row {}: {:.6g}", row, *found.value);
    if (found.score != *found.value) text += fmt::format(" (score {:.4g})", found.score);
    if (!std::isnan(target)) text += fmt::format(", label {:.6g}", target);
    return text;
  }

  [[nodiscard]] std::string words(const Explanation& found, std::uint64_t row, double target) const {
    std::string text = found.value ? head_of_number(found, row, target) : head_of_class(found, row, target);
    text += '\n';
    std::vector<std::string> parts;
    for (const FeatureEffect& one : found.features) {
      parts.push_back(
          fmt::format("{} = {:.4g}: {:+.4g}", shown_name(input_.feature_name(one.feature)), one.value, one.effect));
    }
    add_line(text, "features", parts);
    parts.clear();
    for (const RowEffect& one : found.rows) {
      parts.push_back(fmt::format("#{} (similarity {:.4g}): {:+.4g}", one.row + 1, one.similarity, one.contribution));
    }
    add_line(text, "stored rows", parts);
    return text;
  }

  static void add_line(std::string& text, const char* name, const std::vector<std::string>& parts) {
    if (!parts.empty()) text += fmt::format("  {:<13}{}\n", name, fmt::join(parts, "; "));
  }

  const ExplainFlags& options_;
  const Model& model_;
  const Input& input_;
};

int explain_rows(const ExplainFlags& options) {
  check_files(options);
  const Model model = Model::load(options.model);
  const auto input = open_input(options.input.paths, options_to_predict(options.input.input_options(), model));
  const Signals signals(input.get());
  Limited limited(*input, options.rows > 0 ? options.rows : ~std::uint64_t{0});
  const Writer writer(options, model, *input);
  Output output(options.output);
  std::uint64_t row = 0;
  while (Signals::caught() == 0) {
    const Examples examples = limited.read(kExplainedAtOnce);
    if (examples.empty()) break;
    for (std::size_t i = 0; i < examples.size() && Signals::caught() == 0; ++i) {
      const Explanation found = explain(model, examples.rows[i], {.top = options.top});
      output.write(writer.text(found, ++row, examples.targets[i]));
    }
    output.flush();  // the next rows may come much later
  }
  output.close();
  report_reading(*input);
  return Signals::exit_status();
}

}  // namespace

Action add_explain(Flags& verb) {
  auto options = std::make_shared<ExplainFlags>();
  verb.text("MODEL", options->model, "what `alder train -o` saved").required();
  options->input.add_to(verb, false);
  verb.text("-o,--output", options->output, "where the explanations go; - for standard output")
      .of("FILE")
      .shows_default();
  verb.count("--top", options->top, "how many features and stored rows are named for each row; 0: all");
  verb.count("--rows", options->rows, "explain the first N rows; 0: all");
  verb.flag("--json", options->json, "one JSON object on a line for each row, with gradients too");
  verb.footer(
      "The effect of a feature is the score less that of the row without it. What all stored rows add to the\n"
      "score, and the rest, is the score. See docs/explain.md.");
  return [options] { return explain_rows(*options); };
}

}  // namespace alder::cli
