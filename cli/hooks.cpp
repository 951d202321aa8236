#include "hooks.h"

#include <fmt/format.h>

namespace alder::cli {

Trace::Trace(const std::string& path, const Model& model) : model_(model), output_(path) {
  output_.write("round,label,score,lambda,size,norm\n");
}

bool Trace::after(const Examples& learned, std::span<const double> scores) {
  model_.learner().report(report_);
  output_.write(fmt::format("{},{},{},{},{},{}\n", report_.rounds, sign_of(learned.targets[0]), scores[0],
                            report_.learning_rate.value_or(0.0), report_.support,
                            report_.norm ? fmt::format("{}", *report_.norm) : ""));
  return true;
}

bool Checkpoint::after(const Examples& learned, std::span<const double> /*scores*/) {
  left_ -= learned.size();
  if (left_ == 0) {
    left_ = every_;
    save_();
  }
  return true;
}

}  // namespace alder::cli
