#include <memory>

#include <fmt/format.h>

#include "alder/registry.h"

#include "output.h"
#include "verbs.h"

namespace alder::cli {

Action add_learners(Flags& /*verb*/) {
  return [] {
    std::string text;
    for (const LearnerInfo& info : learner_infos()) text += fmt::format("{:<14}{}\n", info.name, info.summary);
    text += "\nThe options of each: alder train --learner NAME --help\n";
    Output output("-");
    output.write(text);
    output.close();
    return 0;
  };
}

}  // namespace alder::cli
