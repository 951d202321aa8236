#include "class_weights.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/labels.h"
#include "names.h"
#include "verbs.h"

namespace alder::cli {
namespace {

[[noreturn]] void reject(const std::string& text, const std::string& found) {
  throw UsageError(
      fmt::format("--class-weight is {}{}; expected balanced, or NAME=W,NAME=W with numbers from 0 to {:.0f}", text,
                  found, kMostWeight));
}

}  // namespace

ClassWeights parse_class_weights(const std::string& text, const std::vector<std::string>& labels) {
  ClassWeights weights;
  weights.balanced = text == "balanced";
  if (weights.balanced) return weights;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(',', begin));
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.rfind('=');
    if (equals == std::string::npos || equals == 0) reject(text, part == text ? "" : fmt::format(", with '{}'", part));
    const std::string name = part.substr(0, equals);
    const std::string number = part.substr(equals + 1);
    double factor = 0.0;
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
    if (number.empty() || error != std::errc() || stop != number.data() + number.size() ||
        !(factor >= 0.0 && factor <= kMostWeight)) {
      reject(text, fmt::format(", with '{}' for {}", number, name));
    }
    const bool is_known =
        labels.empty() || std::any_of(labels.begin(), labels.end(),
                                      [&name](const std::string& label) { return Label(label).is_same(Label(name)); });
    if (!is_known) throw UsageError(fmt::format("--class-weight names {}, which is none of --labels", name));
    for (const auto& [other, its_factor] : weights.factors) {
      if (Label(other).is_same(Label(name))) reject(text, fmt::format(", with {} twice", name));
    }
    weights.factors[name] = factor;
    begin = end + 1;
  }
  return weights;
}

ClassWeights with_names(ClassWeights weights, const std::vector<std::string>& classes) {
  ClassWeights named;
  named.balanced = weights.balanced;
  for (const auto& [name, factor] : weights.factors) {
    const Label label(name);
    const auto found = std::find_if(classes.begin(), classes.end(),
                                    [&label](const std::string& known) { return Label(known).is_same(label); });
    named.factors[found == classes.end() ? name : *found] = factor;
  }
  return named;
}

std::string unmet_classes_warning(const ClassWeights& weights, const std::vector<std::string>& classes) {
  std::vector<std::string> unmet;
  for (const auto& [name, factor] : weights.factors) {
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) unmet.push_back(shown_name(name));
  }
  if (unmet.empty()) return "";
  return fmt::format("--class-weight names {}, but no class is called so", fmt::join(unmet, ", "));
}

std::string in_words(const ClassWeights& weights) {
  if (weights.balanced) return "balanced: all classes count alike, however frequent they are";
  std::vector<std::string> parts;
  for (const auto& [name, factor] : weights.factors) parts.push_back(fmt::format("{} {:g}", shown_name(name), factor));
  return fmt::format("{}; others 1", fmt::join(parts, ", "));
}

}  // namespace alder::cli
