#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"
#include "model/pipeline.h"

namespace alder {
namespace {

constexpr double kLeastBalance = 0.01;
constexpr double kMostBalance = 100.0;

}  // namespace

void Model::set_class_weights(ClassWeights weights) {
  Pipeline& p = *pipeline_;
  if (weights.are_given()) p.expect_classes("class weights");
  if (p.learner->rounds() > 0)
    throw Error(Error::Kind::kUnsupported, "class weights cannot change any more: rows were learned");
  if (weights.are_given() && !p.learner->takes_weights()) {
    throw Error(Error::Kind::kUnsupported,
                fmt::format("class weights are given, but {} has no place for weights", p.learner->name()));
  }
  for (const auto& [name, factor] : weights.factors) {
    if (factor >= 0.0 && factor <= kMostWeight) continue;
    throw Error(fmt::format("the weight of class {} is {}; expected a number from 0 to {}", in_quotes(name), factor,
                            kMostWeight));
  }
  p.class_weights = std::move(weights);
}

const ClassWeights& Model::class_weights() const {
  return pipeline_->class_weights;
}

// The weights with which examples are learned: their own times those of their classes.
std::span<const double> Model::Pipeline::weigh(const Examples& examples) {
  if (!class_weights.are_given()) return examples.weights;
  weights.resize(examples.size());
  std::map<std::uint32_t, double> met;  // weights of the examples so far, by class
  double all = metrics.sums().weight;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    weights[i] = examples.weight(i);
    const double target = examples.targets[i];
    if (!(weights[i] > 0.0) || !(target >= 0.0 && target < kMostClasses)) continue;
    const auto id = static_cast<std::uint32_t>(target);
    if (id < classes.names().size()) {
      const auto factor = class_weights.factors.find(classes.names()[id]);
      if (factor != class_weights.factors.end()) weights[i] *= factor->second;
    }
    if (!class_weights.balanced) continue;
    all += examples.weight(i);
    met[id] += examples.weight(i);
    std::size_t count = 0;
    for (std::uint32_t known = 0; known < metrics.classes(); ++known) {
      if (metrics.weight_of_class(known) > 0.0 && met.count(known) == 0) ++count;
    }
    const double share = static_cast<double>(count + met.size()) * (metrics.weight_of_class(id) + met[id]);
    weights[i] *= std::clamp(all / share, kLeastBalance, kMostBalance);
  }
  for (double& weight : weights) weight = std::min(weight, kMostWeight);
  return weights;
}

}  // namespace alder
