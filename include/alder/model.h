#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alder/drive.h"
#include "alder/encoding.h"
#include "alder/learner.h"
#include "alder/metrics.h"
#include "alder/predictions.h"
#include "alder/scaling.h"

namespace alder {

struct Explanation;  // alder/explanation.h
struct ExplainOptions;

/// How rows are predicted.
struct Wanted {
  unsigned threads = 1;        ///< 0: one for each core. Changes no result
  bool probabilities = false;  ///< those of all classes, too
  /// Of numbers: quantiles of these levels, each above 0 and below 1, too.
  std::vector<double> quantiles{};
  bool deviations = false;  ///< of numbers: standard deviations of the targets, too
};

/// How much the rows of a class count, beside their own weights.
struct ClassWeights {
  /// Whether all classes count alike, however frequent they are: a row of class c counts n/(K n_c) times, n_c of the n
  /// rows learned so far, this one included, being of that class, and K classes being among them; 0.01 to 100 times.
  bool balanced = false;
  /// Factors by the name of the class; 1 for those that are not named.
  std::map<std::string, double> factors;

  [[nodiscard]] bool are_given() const { return balanced || !factors.empty(); }
};

/// What is counted of all rows that a model has learned.
struct Counts {
  std::uint64_t rows = 0;
  std::uint64_t mistakes = 0;  ///< of the predictions made just before
  double hinge_loss = 0.0;     ///< Σ max(0, 1 − y·score), with one score and y = −1 or +1

  [[nodiscard]] double mistake_rate() const {
    return rows == 0 ? 0.0 : static_cast<double>(mistakes) / static_cast<double>(rows);
  }
};

/// Both as the text of one JSON object: mistakes, mistake_rate and hinge_loss beside what `to_json` makes of a report.
std::string to_json(const Counts& counts, const Report& report);

/// What users hold: the way of a row from its numbers to a prediction, and of an example into the learner. It can be
/// saved, loaded and gone on with exactly; all front ends use it, so they agree to the bit.
///
///   row → Scaling, if one was given → Learner → a class, and Calibration → its probability
///                                           → or a number, and TrackedQuantiles → its quantiles
///
/// The learner decides which of both (Learner::task): one with a loss of regression predicts numbers. What is of
/// classes alone, their names, weights, probabilities and threshold, is then refused with an Error.
///
/// Classes have names and ids. An id is the place of a name in classes(); names may be given in advance. The learner
/// numbers classes in the order in which it meets them, which only the Model knows.
///
/// Thread safety: const functions may run on several threads at once, the others need the object for themselves.
class Model {
 public:
  /// A new one. The scaling, if there is one, is applied to every row, now and after loading.
  explicit Model(std::unique_ptr<Learner> learner, std::optional<Scaling> scaling = std::nullopt);
  /// A new learner of the kind `learner`, as for `make_learner`.
  explicit Model(const std::string& learner, const std::string& options = "{}",
                 std::optional<Scaling> scaling = std::nullopt);
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();
  /// An exact copy.
  [[nodiscard]] Model clone() const;

  /// What it predicts.
  [[nodiscard]] Task task() const;

  /// The names of the classes by id. A name that is not known yet is empty.
  [[nodiscard]] const std::vector<std::string>& classes() const;
  /// Names classes, by id. A name that is there cannot be changed: that is an Error, and so are two equal names. If
  /// `is_ordered`, they are shown in this order, the last of two being the positive class; otherwise by number or, if
  /// one is no number, by text.
  void set_classes(std::vector<std::string> names, bool is_ordered = false);
  /// The id of the class that positive scores mean, if scores are single numbers.
  [[nodiscard]] std::uint32_t positive() const;
  /// The ids in the order in which classes are shown and saved.
  [[nodiscard]] std::vector<std::uint32_t> shown() const;

  /// Whether probabilities are learned beside the classes: they are, unless this says otherwise before anything was
  /// learned. Scores and classes do not depend on it.
  void learn_probabilities(bool wanted);
  [[nodiscard]] bool has_probabilities() const;

  /// Must be given before anything was learned. Throws Error for factors that are no weights, and for a learner without
  /// a place for weights.
  void set_class_weights(ClassWeights weights);
  [[nodiscard]] const ClassWeights& class_weights() const;

  /// Of two classes positive() is predicted where its probability is at least this; empty: by the sign of the score. It
  /// has no effect once a third class is known.
  /// Can be changed at any time. Throws Error unless it is from 0 to 1 and probabilities are learned.
  void set_threshold(std::optional<double> threshold);
  [[nodiscard]] std::optional<double> threshold() const;

  /// How the columns of a table became the features of its rows: kept with the model, so that other tables can be
  /// encoded in the same way (InputOptions::encoding). Null: rows had no columns. The encoding may grow while rows are
  /// learned; a saved model has the values of the rows that were learned. Throws Error once rows were learned, unless
  /// it has the same columns as the one before.
  void set_encoding(std::shared_ptr<const Encoding> encoding);
  [[nodiscard]] const std::shared_ptr<const Encoding>& encoding() const;
  /// Of a model that learned rows of LIBSVM text: whether their indices count from 0 (InputOptions::zero_based).
  void set_zero_based(bool zero_based);
  [[nodiscard]] bool is_zero_based() const;
  /// What a feature is called: as the encoding says, or "feature 3", counted as in LIBSVM text, and from 1 otherwise.
  [[nodiscard]] std::string feature_name(FeatureIndex feature) const;

  /// How many features rows have had so far: the highest one listed, plus 1, or more if a front end knows better.
  [[nodiscard]] std::size_t features() const;
  void count_features(std::size_t features);

  /// Learns examples whose targets are class ids, or numbers, as Learner::learn: a prefix of them, whose length is
  /// returned. If `before` is given, it receives the predictions made just before each was learned; its scores are
  /// positive for positive(). Of numbers these are values, deviations and the quantiles of kLevels; the values are NaN
  /// until a row was learned.
  std::size_t learn(const Examples& examples, Predictions* before = nullptr);
  /// Predicts rows: scores and classes, and probabilities if they are wanted; a class that was not learned yet has 0.
  /// Of numbers: scores and values, and quantiles and deviations if they are wanted.
  /// Throws Error, with the number of the row, for a bad one.
  void predict(std::span<const Row> rows, Predictions& out, const Wanted& wanted = {}) const;

  /// The scores of a row that this model has just predicted, one for each of classes(), by id: the largest is that of
  /// the predicted class unless a threshold decided. A single score s gives its two classes ±s/2; a class that was not
  /// learned yet is 1 below the lowest that was.
  void scores_by_class(const Predictions& made, std::size_t row, std::span<double> out) const;

  /// What the predictions made before learning were worth, of all rows ever learned; with a model of version 1, of
  /// those learned since it was loaded.
  [[nodiscard]] const Metrics& metrics() const;
  /// The same in three numbers, of all rows.
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] const std::optional<Scaling>& scaling() const;
  [[nodiscard]] Learner& learner();
  [[nodiscard]] const Learner& learner() const;
  /// The same model with another learner, whose classes have the same numbers: a hypothesis of this one.
  [[nodiscard]] Model with_learner(std::unique_ptr<Learner> learner) const;

  /// The bytes of a model file (docs/model-format.md), and back. Classes have their ids in the order in which they are
  /// shown then, so that the bytes do not depend on the order in which names were given. `decode` also reads files of
  /// version 1. It throws Error for bytes that are damaged, of a newer format or no model; no allocation is much larger
  /// than they are.
  [[nodiscard]] std::string encode() const;
  static Model decode(std::string_view bytes);

  /// Writes a model file, replacing what was there: at any moment the old model or the new one is there, whole. Throws
  /// Error, naming the path and the reason; the old model is then untouched.
  void save(const std::string& path) const;
  static Model load(const std::string& path);

 private:
  friend Explanation explain(const Model& model, const Row& row, const ExplainOptions& options);
  class Pipeline;
  explicit Model(std::unique_ptr<Pipeline> pipeline);
  std::unique_ptr<Pipeline> pipeline_;
};

/// Takes examples from a stream, whose targets are class ids, and has the model learn them, as `drive` of
/// alder/drive.h. Scores are positive for positive().
void drive(Stream& stream, Model& model, std::span<Hook* const> hooks);

/// What is inside a model file, as JSON text: its settings, what its learner reports, and the sizes of its tensors.
std::string describe_model(const std::string& path);

}  // namespace alder
