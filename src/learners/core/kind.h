#pragma once

#include <memory>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "alder/learner.h"
#include "alder/registry.h"

#include "archive/archive.h"
#include "learners/core/options.h"

namespace alder {

/// What the registry knows of a kind of learner. Made by `learner_kind`, one for each name.
struct LearnerKind {
  const char* name;
  const char* summary;
  LearnerTraits traits;
  std::vector<OptionInfo> (*options)();
  std::unique_ptr<Learner> (*make)(const nlohmann::ordered_json& options);
  std::unique_ptr<Learner> (*restore)(const nlohmann::ordered_json& options, const Archive& archive);
  void (*upgrade)(Archive& archive) = nullptr;  ///< makes what version 1 wrote that of version 2; null: it is the same
};

/// Throws Error for an option that is out of its range.
template <class Options>
void check_ranges(const Options& options) {
  OptionChecker checker;
  Options copy = options;
  list(copy, checker);
}

/// The same, also for options that contradict each other: if they can, there is another function of this name.
template <class Options>
void check(const Options& options) {
  check_ranges(options);
}

/// Writes them into the settings of an archive.
template <class Options>
void save_options(const Options& options, Archive& archive) {
  OptionWriter writer;
  Options copy = options;
  list(copy, writer);
  archive.set_object("options", writer.json());
}

/// What is missing has its default. Throws Error for what `check` rejects, and for unknown options.
template <class Options>
Options options_from(const nlohmann::ordered_json& json) {
  Options options;
  OptionReader reader(json);
  list(options, reader);
  reader.finish();
  check(options);
  return options;
}

/// A learner of the class template L in the precision that its options, of the type L<T>::Options, say.
template <template <class> class L, class... Arguments>
std::unique_ptr<Learner> make_of(const typename L<float>::Options& options, const Arguments&... arguments) {
  check(options);
  if (options.precision == Precision::kDouble) return std::make_unique<L<double>>(options, arguments...);
  return std::make_unique<L<float>>(options, arguments...);
}

/// L<T> is made from its Options, or from those and the archive that it goes on from.
template <template <class> class L>
constexpr LearnerKind learner_kind(const char* name, const char* summary, LearnerTraits traits = {},
                                   void (*upgrade)(Archive&) = nullptr) {
  using Options = typename L<float>::Options;
  return {name,
          summary,
          traits,
          [] {
            OptionDescriber describer;
            Options options;
            list(options, describer);
            return std::move(describer.infos);
          },
          [](const nlohmann::ordered_json& options) { return make_of<L>(options_from<Options>(options)); },
          [](const nlohmann::ordered_json& options, const Archive& archive) {
            return make_of<L>(options_from<Options>(options), archive);
          },
          upgrade};
}

}  // namespace alder
