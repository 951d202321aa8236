// dlib's online kernel learner, svm_pegasos, as a library for dlib_peer.py, which compiles it.
#include <cstddef>
#include <sstream>
#include <utility>
#include <vector>

#include <dlib/matrix.h>
#include <dlib/svm/kernel.h>
#include <dlib/svm/pegasos.h>
#include <dlib/svm/sparse_kernel.h>

namespace {

using Dense = dlib::matrix<double, 0, 1>;
using Sparse = std::vector<std::pair<unsigned long, double>>;

struct Rows {
  const std::size_t* starts;  // row i is [starts[i], starts[i + 1]) of the next two
  const int* indices;
  const double* values;
  std::size_t count;
  std::size_t features;
};

void convert(const Rows& rows, std::size_t i, Dense& out) {
  out.set_size(static_cast<long>(rows.features));
  out = 0;
  for (std::size_t j = rows.starts[i]; j < rows.starts[i + 1]; ++j) out(rows.indices[j]) = rows.values[j];
}
void convert(const Rows& rows, std::size_t i, Sparse& out) {
  for (std::size_t j = rows.starts[i]; j < rows.starts[i + 1]; ++j) {
    out.emplace_back(static_cast<unsigned long>(rows.indices[j]), rows.values[j]);
  }
}

class AnyLearner {
 public:
  virtual ~AnyLearner() = default;
  virtual void load(const Rows& rows, const double* labels) = 0;
  virtual std::size_t learn() = 0;
  virtual std::size_t bytes() const = 0;
};

template <class Kernel>
class Learner final : public AnyLearner {
 public:
  Learner(double gamma, double lambda, unsigned long most, double tolerance) {
    trainer_.set_kernel(Kernel(gamma));
    trainer_.set_lambda(lambda);
    trainer_.set_max_num_sv(most);
    trainer_.set_tolerance(tolerance);
  }

  void load(const Rows& rows, const double* labels) override {
    rows_.assign(rows.count, {});
    for (std::size_t i = 0; i < rows.count; ++i) convert(rows, i, rows_[i]);
    labels_.assign(labels, labels + rows.count);
  }

  std::size_t learn() override {
    std::size_t mistakes = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      mistakes += (trainer_(rows_[i]) >= 0) != (labels_[i] > 0) ? 1 : 0;
      trainer_.train(rows_[i], labels_[i]);
    }
    return mistakes;
  }

  std::size_t bytes() const override {
    std::ostringstream out;
    serialize(trainer_.get_decision_function(), out);
    return out.str().size();
  }

 private:
  dlib::svm_pegasos<Kernel> trainer_;
  std::vector<typename Kernel::sample_type> rows_;
  std::vector<double> labels_;
};

}  // namespace

extern "C" {

void* make(bool dense, double gamma, double lambda, unsigned long most, double tolerance) {
  AnyLearner* learner = nullptr;
  if (dense) {
    learner = new Learner<dlib::radial_basis_kernel<Dense>>(gamma, lambda, most, tolerance);
  } else {
    learner = new Learner<dlib::sparse_radial_basis_kernel<Sparse>>(gamma, lambda, most, tolerance);
  }
  return learner;
}
void load(void* learner, const std::size_t* starts, const int* indices, const double* values, std::size_t count,
          std::size_t features, const double* labels) {
  static_cast<AnyLearner*>(learner)->load({starts, indices, values, count, features}, labels);
}
std::size_t learn(void* learner) {
  return static_cast<AnyLearner*>(learner)->learn();
}
std::size_t model_bytes(void* learner) {
  return static_cast<AnyLearner*>(learner)->bytes();
}
}
