#include <vector>

#include "learners/alder/alder.h"

namespace alder {

template <class T>
bool Alder<T>::add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const {
  if (is_collecting() || !leading()->has_parts()) return false;
  if (!options_.kernel) check_range(row);
  const Directions directions(direction);
  std::vector<double> scores(outputs());
  ScoredRows<T> scored;
  std::vector<T> inputs;
  for (std::size_t g = 0; g < geometries_.size(); ++g) {
    if (!geometries_[g]) continue;
    const Geometry<T>& geometry = *geometries_[g];
    geometry.look(std::span(&row, 1), scored, inputs);
    const std::size_t first = parts.rows.size();
    parts.rows.resize(first + geometry.dictionary().size());
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (!lanes_[i].candidate || lanes_[i].geometry != g) continue;
      const Candidate<T>& candidate = *lanes_[i].candidate;
      candidate.score(geometry, scored, inputs, 1, scores, {});
      candidate.add_parts(geometry, row, scored, inputs,
                          is_racing() ? race_->before_vote(i, scores, directions) : directions,
                          std::span(parts.rows).subspan(first), parts);
    }
  }
  return true;
}

template bool Alder<float>::add_parts(const Row&, std::span<const double>, ScoreParts&) const;
template bool Alder<double>::add_parts(const Row&, std::span<const double>, ScoreParts&) const;

}  // namespace alder
