#pragma once

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

/// One kind of learner.
struct LearnerInfo {
  std::string name;
  std::string summary;  ///< one line: what it is and where it comes from
  std::vector<OptionInfo> options;

  /// The option of that name; null if it has none.
  [[nodiscard]] const OptionInfo* find(const std::string& option) const;
};

/// All kinds of learners.
const std::vector<LearnerInfo>& learner_infos();
/// The kind of that name. Throws Error, with the names there are, if it is unknown.
const LearnerInfo& learner_info(const std::string& name);
/// The names of all kinds.
std::vector<std::string> learner_names();

/// A new learner of the kind `name`. `options` is JSON text, an object as Learner::options() returns it; an option that
/// is missing has its default. Throws Error for a name, an option or a value that makes no sense.
std::unique_ptr<Learner> make_learner(const std::string& name, const std::string& options = "{}");

}  // namespace alder
