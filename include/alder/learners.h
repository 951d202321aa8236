#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "alder/kernel.h"
#include "alder/learner.h"
#include "alder/loss.h"
#include "alder/pomdr.h"
#include "alder/precision.h"

/// The learners that POMDR is compared with. All minimise the hinge loss, some another one if told; a margin violation
/// is a round with y·score < 1, or where the loss has a slope that is not 0. Each `make` throws Error for options that
/// make no sense, with one message each.
///
/// The learners with a step size η use η = step/sqrt(T) when the number T of rounds (`horizon`) is given, and
/// η_t = step/sqrt(t) in round t when it is not. The default steps are those that do best on most of the data sets of
/// docs/reproduction.md, of the powers of ten.
namespace alder {

/// ALDER: the learner that needs no option to be set. Second-order learning in the orthonormal coordinates of a
/// dictionary that grows to a budget and no further: AROW for classes, recursive least squares for numbers. O(dB + B²)
/// a round.
struct AlderOptions {
  enum class Growth {
    kGuide,      ///< a row may join the dictionary when the guide violates its margin
    kPredictor,  ///< … when the predictor does: to show what the guide is good for
  };
  enum class Covariance {
    kFull,
    kDiagonal,  ///< to show what the others are good for
  };
  /// What is tried without a kernel, to find one and to follow a stream that changes.
  enum class Effort {
    kLow,     ///< transforms of the features and widths, two rates of forgetting
    kNormal,  ///< also learned scales of the features, a Laplacian kernel, a fine layer, and a race that opens again
    kHigh,    ///< also more stored rows, which are replaced, and more candidates when the race opens again
  };
  /// What ALDER without a kernel is made of, to be left out one by one.
  enum class Part {
    kNothing,
    kTransforms,
    kScales,
    kLaplacian,
    kLinear,
    kFine,
    kDuel,
    kBudget,
    kForgetting,
    kAlarm,
    kReplacement,
  };

  /// Empty: classes, told apart by their margins. The squared loss: numbers, each with a standard deviation (extras).
  std::optional<Loss> loss;
  /// Empty: chosen in a race over the first rows, together with what is done to the features before.
  std::optional<Kernel> kernel;
  /// Empty: 200 to 400 (up to 1,600 at high effort), a third of the features of 256 rows up to 600, and for K > 2
  /// classes 100 K, up to 800.
  std::optional<std::size_t> budget;
  double threshold = 0.05;    ///< a row joins the dictionary only if its distance to the span of that is larger
  double noise = 0.1;         ///< r: the larger, the more a new row has to say before it is believed
  double forget = 0.0;        ///< what every variance regains in an update: for streams that drift
  std::uint64_t race = 4096;  ///< rows after which two candidates are left at the latest
  Effort effort = Effort::kNormal;
  Part leave_out = Part::kNothing;
  /// Whether the labels of the last rows are inputs of the predictor: for streams in which the label of a row is known
  /// before the next row is predicted, and labels come in runs. Scores then depend on the labels learned last.
  bool recent_labels = false;
  bool head = true;  ///< whether log-odds are learned, from which probabilities are made beside the scores
  Growth growth = Growth::kGuide;
  Covariance covariance = Covariance::kFull;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_alder(const AlderOptions& options);

/// OGD: kernel online gradient descent. Stores every row with a margin violation: memory has no bound.
struct OgdOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::optional<double> step;                ///< empty: 100, or 3 for a loss of regression
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  double radius = 25.0;                      ///< U, the largest norm of the hypothesis
  std::optional<std::uint64_t> horizon;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_ogd(const OgdOptions& options);

/// BOGD (Zhao et al. 2012): gradient descent on the regularised hinge loss; a full support set loses one row at random,
/// the others being weighted up so that the expectation stays.
struct BogdOptions {
  enum class Removal {
    kUniform,   ///< every row is as likely to go
    kWeighted,  ///< the less likely, the larger |a_i| sqrt(κ(s_i,s_i))
  };

  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t budget = 400;
  std::optional<double> step;                ///< empty: 100, or 3 for a loss of regression
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  double lambda = 1e-4;  ///< of the regulariser (λ/2)‖f‖²: coefficients shrink by 1 − ηλ in every round
  double cap = 2.0;      ///< coefficients stay below cap·η, or the weighting up would let them grow without end
  Removal removal = Removal::kUniform;
  std::optional<std::uint64_t> horizon;
  std::uint64_t seed = 1;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_bogd(const BogdOptions& options);

/// FOGD (Lu et al. 2016): linear gradient descent on random Fourier features. Gaussian and Laplacian kernels.
struct FogdOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t frequencies = 400;             ///< D; there are 2D features, a cosine and a sine of each
  std::optional<double> step;                ///< empty: 100, or 3 for a loss of regression
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  std::optional<std::uint64_t> horizon;
  std::uint64_t seed = 1;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_fogd(const FogdOptions& options);

/// NOGD (Lu et al. 2016): kernel gradient descent until B rows are stored, then linear gradient descent on the Nyström
/// features that they give.
struct NogdOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t budget = 400;
  std::optional<std::size_t> rank;           ///< the most features; empty: 0.2 B
  std::optional<double> step;                ///< empty: 100, or 3 for a loss of regression
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  std::optional<std::uint64_t> horizon;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_nogd(const NogdOptions& options);

/// SkeGD (Zhang and Liao 2019): kernel gradient descent until B rows are stored, then linear gradient descent on the
/// features that two randomised sketches of their Gram matrix give.
struct SkegdOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t budget = 400;
  std::optional<std::size_t> samples;        ///< s_b, the rows that a new row is compared with; empty: 0.15 B
  std::optional<std::size_t> sketch;         ///< s_a, the columns of the count sketch; empty: 0.75 B
  std::size_t nonzeros = 4;                  ///< d, the entries of the count sketch per row
  std::optional<std::size_t> rank;           ///< the most features once the map is rebuilt; empty: 0.1 B
  double cycle = 0.3;                        ///< violations between two rebuilds, as a part of T
  std::optional<double> step;                ///< empty: 100, or 3 for a loss of regression
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  std::optional<std::uint64_t> horizon;
  std::uint64_t seed = 1;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_skegd(const SkegdOptions& options);

/// B(AO)₂KS (Liao and Li 2021): optimistic mirror descent whose hint is the mean gradient of a reservoir of past rows,
/// and which samples the rows that it learns; forgets everything when the support set is full.
struct Bao2ksOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  std::size_t budget = 400;
  double radius = 30.0;                  ///< U, the largest norm of the hypothesis
  std::optional<std::size_t> reservoir;  ///< the rows in the reservoir; empty: round(ln T)
  double step = 10.0;
  std::optional<std::uint64_t> horizon;
  std::uint64_t seed = 1;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_bao2ks(const Bao2ksOptions& options);

/// Projectron (Orabona et al. 2008): a kernel perceptron that projects an update on the rows it has when the error of
/// that is small, instead of storing the row.
struct ProjectronOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  double threshold = 0.2;  ///< the largest error sqrt(α) of a projection
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_projectron(const ProjectronOptions& options);
/// Projectron++: it also learns rows that are right with too small a margin, by projection only.
std::unique_ptr<Learner> make_projectron_plus_plus(const ProjectronOptions& options);

/// Pegasos with kernels (Shalev-Shwartz et al. 2007) in one pass: subgradient descent on (λ/2)‖f‖² + hinge loss with
/// the step 1/(λt). Stores every row with a margin violation: memory has no bound.
struct PegasosOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  double lambda = 1e-4;
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_pegasos(const PegasosOptions& options);

/// The kernel perceptron: stores every row that it predicts wrongly. Memory has no bound.
struct PerceptronOptions {
  Kernel kernel = Kernel::gaussian(1.0);
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_perceptron(const PerceptronOptions& options);

/// No kernel: a hyperplane with a bias, learned by gradient descent with a step size for each feature (AdaGrad). Shows
/// when a kernel is not needed.
struct LinearOptions {
  std::optional<double> step;                ///< empty: 0.1
  Loss loss = Loss::of(Loss::Kind::kHinge);  ///< hinge, logistic or one of regression
  Precision precision = Precision::kFloat;
};
std::unique_ptr<Learner> make_linear(const LinearOptions& options);

}  // namespace alder
