#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "alder/learner.h"

namespace alder {

/// One option of a kind of learner.
struct OptionInfo {
  enum class Type {
    kKernel,  ///< an object: name, and sigma or gamma, degree, coef0
    kNumber,  ///< from `low` to `high`
    kCount,   ///< a whole number from `low` to `high`
    kChoice,  ///< one of `choices`
    kFlag,    ///< true or false
  };

  std::string name;
  Type type = Type::kNumber;
  std::string summary;        ///< one line without an end
  std::string fallback;       ///< its default, as text: "0.05", "uniform", "auto"
  bool is_automatic = false;  ///< whether it may be left to the learner: "auto" in text, null in JSON
  double low = 0.0;
  double high = 0.0;
  std::vector<std::string> choices;
  std::vector<double> trials;  ///< values that a search should try; empty: it may as well keep its default
};

/// What distinguishes a kind of learner, for those who treat all kinds alike.
struct LearnerTraits {
  /// What the coefficients are that it saves with its stored rows.
  enum class Coefficients : std::uint8_t {
    kOfScore,      ///< the score is their sum with the kernel values, but for a hint
    kBeforeScale,  ///< the same, times the learning rate
    kOther,        ///< it has none, or does not score by them
  };
  /// How it tells more than two classes apart.
  enum class ManyClasses : std::uint8_t {
    kOneVsRest,  ///< from the third class on it is a learner for each class, which tells that from all others
    kNative,     ///< by functions that share all else
  };

  bool has_snapshots = false;   ///< the functions of its rounds can be kept (alder/batch.h)
  bool has_hint = false;        ///< recent rows are part of what `learn` scores with, but not of `score`
  bool has_phases = false;      ///< it has two, and reports the switch_round between them
  bool has_bounds = false;      ///< the theorems of alder/theory.h are about it
  bool finds_width = false;     ///< it finds the width of a Gaussian kernel by itself, if it is not told
  bool numbers_matter = false;  ///< what it learns depends on the numbers of features, not only on which are the same
  bool learns_numbers = false;  ///< it has an option "loss", and some of its losses are of regression
  bool finds_units = false;  ///< it finds centre and scale of numbers by itself; all others take them as they are told
  Coefficients coefficients = Coefficients::kOfScore;
  ManyClasses many_classes = ManyClasses::kOneVsRest;
};

/// One kind of learner.
struct LearnerInfo {
  std::string name;
  std::string summary;  ///< one line: what it is and where it comes from
  LearnerTraits traits;
  std::vector<OptionInfo> options;

  /// The option of that name; null if it has none.
  [[nodiscard]] const OptionInfo* find(const std::string& option) const;
  /// Whether it has a kernel whose width it finds by itself if it is not told. All others with a kernel take half the
  /// median distance of their first rows.
  [[nodiscard]] bool finds_width() const { return traits.finds_width; }
};

/// All kinds of learners.
const std::vector<LearnerInfo>& learner_infos();
/// The kind of that name. Throws Error, with the names there are, if it is unknown.
const LearnerInfo& learner_info(const std::string& name);
/// The same; null if it is unknown.
const LearnerInfo* find_learner(const std::string& name);
/// The names of all kinds.
std::vector<std::string> learner_names();
/// The names of those with a trait: learners_with(&LearnerTraits::has_snapshots).
std::vector<std::string> learners_with(bool LearnerTraits::*trait);
/// The one to take if nothing is said.
std::string default_learner();

/// A new learner of the kind `name`. `options` is JSON text, an object as Learner::options() returns it; an option that
/// is missing has its default. Throws Error for a name, an option or a value that makes no sense.
///
/// A "kernel" that is missing, null or a radial one without sigma and gamma gets its width by itself, and "scale":
/// "online" scales the features, both as suits the first rows of the stream: these are predicted by their nearest
/// neighbours, and learned as soon as there are enough. Then options() has the width.
///
/// The option "loss" decides the task. With a loss of regression, unless the learner finds the units by itself
/// (LearnerTraits::finds_units), "target_center" and "target_scale" that are missing or null are chosen likewise: the
/// learner then learns (target − center)/scale, and its scores are brought back. 0 and 1 leave targets as they are.
std::unique_ptr<Learner> make_learner(const std::string& name, const std::string& options = "{}");

/// `options`, JSON text as above, for the learner of that name and that task: with the loss "squared" added if numbers
/// are to be learned and no loss is given. Throws Error of the kind kUnsupported if the learner has no loss for the
/// task, naming those that have, or if the loss given is for the other task; other Errors as make_learner for what is
/// no JSON object and a name that is unknown.
std::string options_for(const std::string& name, const std::string& options, Task task);

}  // namespace alder
