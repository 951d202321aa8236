// Writes small models of every learner in several phases into a folder: what the fuzzer of models starts from.
#include <cstdio>
#include <fstream>

#include "alder/model.h"
#include "alder/stream.h"

#include "support/any_learner.h"

namespace {

using alder::testing::options_of;
using alder::testing::small_options;

// ALDER without a kernel has 14 predictors in its race, so all else is small.
std::unique_ptr<alder::Learner> racing(const std::string& precision) {
  return alder::make_learner("alder", options_of("alder", {{"budget", 2}, {"race", 60}, {"precision", precision}}));
}

void write_models(std::unique_ptr<alder::Learner> learner, const std::string& prefix, bool is_of_three = false) {
  alder::Model model(std::move(learner));
  const auto stream = alder::make_generated("rings", 100, 1);
  for (int t = 0; t < 100; ++t) {
    if (t == 5 || t == 40 || t == 99) {
      std::ofstream(prefix + "-" + std::to_string(t), std::ios::binary) << model.encode();
    }
    alder::Examples next = stream->read(1);
    const double target = t % 3;
    if (is_of_three) next.targets = std::span(&target, 1);
    model.learn(next);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: model_corpus FOLDER\n");
    return 2;
  }
  const std::string folder = argv[1];
  for (const std::string precision : {"float", "double"}) {
    for (const std::string& name : alder::learner_names()) {
      auto options = small_options(precision);
      options["budget"] = 8;
      options["b0"] = 4;
      write_models(alder::make_learner(name, options_of(name, options)), folder + "/" + name + "-" + precision);
      write_models(alder::make_learner(name, options_of(name, options)), folder + "/" + name + "-three-" + precision,
                   true);
    }
    write_models(racing(precision), folder + "/racing-" + precision);
  }
}
