#include "hooks.h"

#include <algorithm>

#include <fmt/format.h>

namespace alder::cli {
namespace {

// A field of a CSV file, in quotes if it needs them.
std::string csv_text(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return quoted + "\"";
}

}  // namespace

Trace::Trace(const std::string& path, const Model& model, bool has_other_results)
    : model_(model), output_(path), has_other_results_(has_other_results) {
  while_read([this] { output_.write("round,label,score,lambda,size,norm\n"); });
}

template <class Write>
void Trace::while_read(const Write& write) {
  if (!is_read_) return;
  try {
    write();
  } catch (const ReaderGone&) {
    if (!has_other_results_) throw;
    is_read_ = false;
  }
}

void Trace::close() {
  while_read([this] { output_.close(); });
}

std::string Trace::label_of(double number, const Predictions& made) const {
  if (model_.task() == Task::kRegression) return fmt::format("{}", number);
  const auto target = static_cast<std::uint32_t>(number);
  if (made.outputs > 1 || target > 1) return csv_text(model_.classes().at(target));
  return target == made.positive ? "1" : "-1";
}

bool Trace::after(const Examples& learned, const Predictions& made) {
  if (!is_read_) return true;
  model_.learner().report(report_);
  const std::string label = label_of(learned.targets[0], made);
  const std::string line = fmt::format(
      "{},{},{},{},{},{}\n", report_.rounds, label, *std::max_element(made.scores.begin(), made.scores.end()),
      report_.learning_rate.value_or(0.0), report_.support, report_.norm ? fmt::format("{}", *report_.norm) : "");
  while_read([this, &line] { output_.write(line); });
  return true;
}

bool Checkpoint::after(const Examples& learned, const Predictions& /*made*/) {
  left_ -= learned.size();
  if (left_ == 0) {
    left_ = every_;
    save_();
  }
  return true;
}

}  // namespace alder::cli
