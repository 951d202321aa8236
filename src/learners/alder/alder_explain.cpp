#include <vector>

#include "learners/alder/alder.h"

namespace alder {

template <class T>
bool Alder<T>::add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const {
  if (is_collecting() || !leading()->has_parts()) return false;
  if (!options_.kernel) (void)check_range(row);
  Directions directions(direction);
  std::vector<double> shares;
  if (is_for_numbers()) {
    directions = Directions(std::vector{direction[0] * frame_->scale()});
    parts.rest += direction[0] * frame_->center();
    shares = is_racing() ? race_->shares() : std::vector(lanes_.size(), 1.0);
  }
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
      const auto of_lane = [&] {
        if (is_for_numbers()) return Directions(std::vector{shares[i] * directions.shares[0]});
        return is_racing() ? race_->before_vote(i, scores, directions) : directions;
      };
      candidate.add_parts(geometry, row, scored, inputs, of_lane(), std::span(parts.rows).subspan(first), parts);
    }
  }
  return true;
}

template bool Alder<float>::add_parts(const Row&, std::span<const double>, ScoreParts&) const;
template bool Alder<double>::add_parts(const Row&, std::span<const double>, ScoreParts&) const;

}  // namespace alder
