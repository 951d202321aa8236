#include "learners/alder/geometry.h"

#include <utility>

#include "archive/archive.h"

namespace alder {
namespace {

// What a file may say.
constexpr double kLeastGamma = 1e-300;
constexpr double kMostGamma = 1e300;

}  // namespace

template <class T>
Geometry<T>::Geometry(Transform transform, LinearInputs linear, const Kernel& kernel, std::size_t kept)
    : transform_(std::move(transform)),
      linear_(std::move(linear)),
      rounds_(kept, false),
      dictionary_(kernel, rounds_.scratch_rows()) {}

template <class T>
void Geometry<T>::begin_block(std::span<const Row> rows) {
  next_ = 0;
  if (linear_.size() > 0) {
    inputs_.resize(rows.size() * linear_.size());
    for (std::size_t r = 0; r < rows.size(); ++r) linear_.write(rows[r], inputs_.data() + r * linear_.size());
  }
  if (!transform_.is_identity()) {
    transform_.apply(rows, mapped_);
    rows = mapped_.rows();
  }
  rounds_.begin_block(rows, dictionary_, Accuracy::kFast);
}

template <class T>
void Geometry<T>::end(double label) {
  rounds_.end(label, dictionary_);
  ++next_;
  ++count_;
}

template <class T>
void Geometry<T>::end_block() {
  rounds_.end_block(dictionary_);
}

template <class T>
std::size_t Geometry<T>::append() {
  const std::size_t element = dictionary_.size();
  dictionary_.append(rounds_.x());
  rounds_.joined(element);
  return element;
}

template <class T>
void Geometry<T>::replace(std::size_t element) {
  dictionary_.replace(element, rounds_.x());
  rounds_.joined(element);
}

template <class T>
void Geometry<T>::look(std::span<const Row> rows, ScoredRows<T>& scored, std::vector<T>& inputs) const {
  static thread_local RowBuffer mapped;
  inputs.resize(rows.size() * linear_.size());
  for (std::size_t r = 0; r < rows.size() && linear_.size() > 0; ++r) {
    linear_.write(rows[r], inputs.data() + r * linear_.size());
  }
  if (!transform_.is_identity()) {
    transform_.apply(rows, mapped);
    rows = mapped.rows();
  }
  dictionary_.kernel_rows(rows, Accuracy::kFast, scored, rounds_.size() > 0);
}

template <class T>
void Geometry<T>::rebuild(const Kernel& kernel, std::span<const std::size_t> elements) {
  rounds_.forget_ahead(dictionary_);
  dictionary_ = dictionary_.rebuilt(kernel, elements);
}

template <class T>
void Geometry<T>::save(Archive& archive, const std::string& name) const {
  Archive own;
  dictionary_.save(own, "support");
  rounds_.save(own, dictionary_);
  transform_.save(own, "transform");
  linear_.save(own, "linear");
  own.put("rounds", std::vector<std::uint64_t>{count_});
  const bool is_gaussian = kernel().kind() == Kernel::Kind::kGaussian;  // of those that are not given
  own.put("kernel", std::vector<double>{is_gaussian ? 0.0 : 1.0, kernel().gamma()});
  archive.put_all(name + ".", own);
}

template <class T>
Geometry<T> Geometry<T>::load(const Archive& archive, const std::string& name, std::size_t kept,
                              const std::optional<Kernel>& given) {
  const Archive own = archive.with_prefix(name + ".");
  const auto kernel = own.get<double>("kernel", 2);
  const bool is_sound = given ? kernel[1] == given->gamma() : kernel[1] > kLeastGamma && kernel[1] < kMostGamma;
  if (!is_sound) throw_bad_archive("the width of " + name + " is out of range");
  Geometry geometry(
      Transform::load(own, "transform"), LinearInputs::load(own, "linear"),
      given.value_or(kernel[0] == 0.0 ? Kernel::gaussian_gamma(kernel[1]) : Kernel::laplacian_l1_gamma(kernel[1])),
      kept);
  geometry.restore(own, own.get<std::uint64_t>("rounds", 1)[0]);
  return geometry;
}

template <class T>
void Geometry<T>::restore(const Archive& archive, std::uint64_t rounds) {
  dictionary_.load(archive, "support");
  rounds_.load(archive, rounds, dictionary_);
  count_ = rounds;
}

template <class T>
std::size_t Geometry<T>::bytes() const {
  return sizeof(*this) + transform_.bytes() + linear_.bytes() + rounds_.bytes() + dictionary_.bytes() +
         mapped_.bytes() + inputs_.capacity() * sizeof(T);
}

template class Geometry<float>;
template class Geometry<double>;

}  // namespace alder
