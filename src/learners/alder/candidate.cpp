#include "learners/alder/candidate.h"

#include <algorithm>
#include <cmath>

#include "archive/archive.h"
#include "kernel/kernel_parts.h"

namespace alder {
namespace {

// A stored row may be used with two kernels, by the candidate and by its fine layer, or by several candidates.
void add_part(ScoreParts::Stored& part, double contribution, double similarity) {
  part.contribution += contribution;
  if (std::fabs(similarity) > std::fabs(part.similarity)) part.similarity = similarity;
}

}  // namespace

template <class T>
Candidate<T>::Candidate(const AlderOptions& options, std::size_t budget, std::size_t recent,
                        const Geometry<T>& geometry, double ratio)
    : given_budget_(options.budget),
      budget_(options.budget.value_or(budget)),
      threshold_(options.threshold),
      recent_(recent),
      linear_(geometry.linear_inputs().size()),
      basis_(geometry.kernel().is_radial(), ratio) {}

template <class T>
std::optional<std::size_t> Candidate<T>::project(const Geometry<T>& geometry, Forecast& out) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  const RoundRows<T>& rounds = geometry.rounds();
  const std::size_t room = padded(size());
  const std::size_t z_room = padded(before() + size());
  std::optional<std::size_t> place;
  if (rounds.pending() == kBlock) project_ahead(geometry);
  out.place = ahead_.size > 0 ? kBlock - rounds.pending() : kNoPlace;
  if (ahead_.size > 0 && ahead_.size == size()) {
    place = out.place;
    out.k.assign(ahead_.k.data() + *place * room, ahead_.k.data() + (*place + 1) * room);
    out.phi.assign(ahead_.phi.data() + *place * room, ahead_.phi.data() + (*place + 1) * room);
    out.alpha = ahead_.alphas[*place];
  } else {
    out.k.assign(room, T{0});
    out.phi.resize(room);
    basis_.copy(rounds.row(), rounds.x().self(), out.k.data());
    out.alpha = coordinates_.project(out.k.data(), out.phi.data());
  }
  const double self = rounds.x().self();
  if (!(self > 0.0)) out.alpha = 0.0;  // a row of length 0 has no direction
  if (before() == 0) return place;
  out.z.assign(z_room, T{0});
  if (place && recent_ == 0) {
    std::copy_n(ahead_.z.data() + *place * z_room, z_room, out.z.data());
  } else {
    write_input(rounds.row(), self, geometry, geometry.linear(), out.phi.data(), out.z.data());
  }
  return place;
}

// A whole block is computed together, so that M is read once for all of its rows, and so are the functions of many
// classes. It serves until a row joins.
template <class T>
void Candidate<T>::project_ahead(const Geometry<T>& geometry) {
  constexpr std::size_t kBlock = RoundRows<T>::kBlock;
  static_assert(kBlock == simd::kTogether);
  const RoundRows<T>& rounds = geometry.rounds();
  const std::size_t room = padded(size());
  ahead_.size = size();
  ahead_.k.assign(kBlock * room, T{0});
  ahead_.phi.resize(kBlock * room);
  ahead_.alphas.resize(kBlock);
  for (std::size_t p = 0; p < kBlock; ++p) {
    basis_.copy(rounds.row_ahead(p), rounds.x_ahead(p).self(), ahead_.k.data() + p * room);
  }
  coordinates_.project(ahead_.k.data(), room, kBlock, ahead_.phi.data(), ahead_.alphas.data());
  if (recent_ > 0) return;
  const std::size_t z_room = before() > 0 ? padded(before() + size()) : room;
  if (before() > 0) {
    ahead_.z.assign(kBlock * z_room, T{0});
    for (std::size_t p = 0; p < kBlock; ++p) {
      T* z = ahead_.z.data() + p * z_room;
      std::copy_n(geometry.linear(p), linear_, z);
      std::copy_n(ahead_.phi.data() + p * room, size(), z + linear_);
    }
  }
  look_ahead(before() > 0 ? ahead_.z.data() : ahead_.phi.data(), z_room);
}

template <class T>
void Candidate<T>::write_input(const KernelValues& row, double self, const Geometry<T>& geometry, const T* linear,
                               const T* phi, T* z) const {
  if (recent_ > 0) write_recent(row, self, geometry.rounds(), geometry.dictionary(), z);
  std::copy_n(linear, linear_, z + recent_);
  std::copy_n(phi, size(), z + before());
}

template <class T>
void Candidate<T>::look_at(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                           std::size_t count, Looked& out) const {
  const std::size_t room = padded(size());
  out.phi_room = room;
  out.k.assign(count * room, T{0});
  out.phi.assign(count * room, T{0});
  for (std::size_t r = 0; r < count; ++r) basis_.copy(rows.values[r], rows.rows[r].self(), out.k.data() + r * room);
  out.alphas.resize(count);
  coordinates_.project(out.k.data(), room, count, out.phi.data(), out.alphas.data());
  out.z_room = before() > 0 ? padded(before() + size()) : room;
  if (before() == 0) return;
  out.z.assign(count * out.z_room, T{0});
  for (std::size_t r = 0; r < count; ++r) {
    write_input(rows.values[r], rows.rows[r].self(), geometry, inputs.data() + r * linear_, out.phi.data() + r * room,
                out.z.data() + r * out.z_room);
  }
}

template <class T>
void Candidate<T>::look_at_first(const Geometry<T>& geometry, const ScoredRows<T>& rows, const std::vector<T>& inputs,
                                 Forecast& out) const {
  out.k.assign(padded(size()), T{0});
  out.phi.assign(padded(size()), T{0});
  const double self = rows.rows[0].self();
  basis_.copy(rows.values[0], self, out.k.data());
  coordinates_.project(out.k.data(), out.phi.data());
  if (before() == 0) return;
  out.z.assign(padded(before() + size()), T{0});
  write_input(rows.values[0], self, geometry, inputs.data(), out.phi.data(), out.z.data());
}

template <class T>
bool Candidate<T>::append(Geometry<T>& geometry, Forecast& forecast, std::optional<std::size_t>& joined) {
  const double root = coordinates_.append(forecast.k.data());
  if (root == 0.0) return false;
  if (!joined) joined = geometry.append();
  basis_.append(*joined, geometry.rounds().x().self());
  const std::size_t n = size();
  forecast.phi.resize(padded(n));
  forecast.phi[n - 1] = static_cast<T>(root);
  if (before() > 0) {
    forecast.z.resize(padded(before() + n));
    forecast.z[before() + n - 1] = static_cast<T>(root);
  }
  return true;
}

template <class T>
void Candidate<T>::list_elements(std::vector<bool>& used) const {
  for (const std::uint32_t element : basis_.elements()) used[element] = true;
}

template <class T>
void Candidate<T>::move(std::span<const std::uint32_t> places, double ratio) {
  forget_ahead();
  basis_.move(places, basis_.ratio() / ratio);
}

// wᵀz with z = (linear inputs, φ), φ = M k, is Σ (Mᵀw)_i k_i + a linear part.
template <class T>
void Candidate<T>::add_input_parts(const Geometry<T>& geometry, const Row& row, const ScoredRows<T>& rows,
                                   const std::vector<T>& inputs, const Forecast& forecast, const InputWeights& weights,
                                   std::span<ScoreParts::Stored> stored, std::span<double> gradient,
                                   ScoreParts& parts) const {
  const PreparedRow<T>& x = rows.rows[0];
  const std::vector<double> shares = coordinates_.coefficients(std::span(weights.shares).subspan(before()));
  const std::vector<double> slopes = coordinates_.coefficients(std::span(weights.slopes).subspan(before()));
  const bool is_radial = geometry.kernel().is_radial();
  const double scale = is_radial ? 1.0 : x.self() > 0.0 ? 1.0 / std::sqrt(x.self()) : 0.0;
  std::vector<KernelTerm> terms;
  double sum = 0.0;  // with the slopes
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint32_t element = basis_.elements()[i];
    const auto k = static_cast<double>(forecast.k[i]);
    add_part(stored[element], shares[i] * k, k);
    terms.push_back({element, is_radial ? slopes[i] : slopes[i] * scale * basis_.scale(i), k});
    sum += slopes[i] * k;
  }
  add_gradient(geometry.dictionary(), x, terms, basis_.ratio(), parts.features, gradient);
  if (!is_radial && x.self() > 0.0) {  // what is divided by sqrt(κ(x,x)) changes with that, too
    const double factor = sum * self_slope(geometry.kernel(), x.norm());
    const std::vector<double> values = values_of(row, parts.features);  // a kernel that is given has no transform
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] -= factor * values[j];
  }
  for (std::size_t i = 0; i < linear_; ++i) parts.rest += weights.shares[i] * static_cast<double>(inputs[i]);
}

// The gradient by the features before the transform, of that by the features as it leaves them.
template <class T>
void Candidate<T>::finish_gradient(const Geometry<T>& geometry, const Row& row, const InputWeights& weights,
                                   std::span<const double> gradient, ScoreParts& parts) const {
  const std::vector<double> values = values_of(row, parts.features);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    parts.gradient[j] += gradient[j] * geometry.transform().slope(parts.features[j], values[j]);
  }
  geometry.linear_inputs().add_gradient(row, weights.slopes, parts.features, parts.gradient);
}

template <class T>
void Candidate<T>::add_stored_part(ScoreParts::Stored& part, double contribution, double similarity) {
  add_part(part, contribution, similarity);
}

template <class T>
void Candidate<T>::load_elements(const Archive& archive, const std::string& name, const Geometry<T>& geometry) {
  for (const std::uint64_t element : archive.get<std::uint64_t>(name + ".elements")) {
    if (element >= geometry.dictionary().size()) throw_bad_archive("an element of " + name + " does not exist");
    const double self = geometry.dictionary().self(element);
    if (!(self > 0.0)) throw_bad_archive("an element of " + name + " has no length");
    basis_.append(element, self);
  }
  coordinates_.load(archive, name + ".coordinates", basis_.size());
}

template <class T>
void Candidate<T>::save_elements(Archive& archive, const std::string& name) const {
  archive.put(name + ".elements", std::vector<std::uint64_t>(basis_.elements().begin(), basis_.elements().end()));
  archive.put(name + ".kernel", std::vector<double>{basis_.ratio()});
  coordinates_.save(archive, name + ".coordinates");
}

template <class T>
std::size_t Candidate<T>::bytes() const {
  return coordinates_.bytes() + basis_.bytes() +
         (ahead_.k.capacity() + ahead_.phi.capacity() + ahead_.z.capacity()) * sizeof(T);
}

template class Candidate<float>;
template class Candidate<double>;

}  // namespace alder
