#pragma once

namespace alder {

/// How a learner stores rows and computes kernel values.
enum class Precision {
  kFloat,   ///< the fast default; what is sensitive (the ALD test, coefficients, norms) is double all the same
  kDouble,  ///< the reference
};

}  // namespace alder
