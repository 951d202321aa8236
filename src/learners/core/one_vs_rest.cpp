#include "learners/core/one_vs_rest.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"

#include "learners/core/registry.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kMembers[] = "one_vs_rest";
constexpr std::size_t kFewestMembers = 3;

std::string prefix_of(std::size_t c) {
  return fmt::format("class{}.", c);
}

// What a member learns of a class: the one that it tells from the others is its class 1, but for that of class 0, which
// has known it as its class 0 from the beginning.
double target_for(std::size_t member, double target) {
  const bool is_its_own = target == static_cast<double>(member);
  return is_its_own == (member > 0) ? 1.0 : 0.0;
}

// The score of a class by that of its member.
double score_of(std::size_t member, double score) {
  return member == 0 ? 0.0 - score / 2 : score / 2;
}

}  // namespace

OneVsRest::OneVsRest(const LearnerKind& kind, std::unique_ptr<Learner> learner) : kind_(kind) {
  set_rounds(learner->rounds());
  members_.push_back(std::move(learner));
}

// Those of the first two are of one learner.
Json OneVsRest::options_of(std::size_t c, Json options) const {
  if (c < 2 || !options.contains("seed")) return options;
  const auto seed = Archive::read<std::uint64_t>(options, "seed");
  options["seed"] = (seed + c) % kMostCount;
  return options;
}

// The one that all began with.
const Learner& OneVsRest::first() const {
  return *members_[members_.size() == 1 ? 0 : 1];
}

void OneVsRest::add_class() {
  const Json options = Json::parse(first().options());
  if (members_.size() == 1) {
    Archive archive;
    first().save(archive);
    members_.insert(members_.begin(), kind_.restore(options, archive));
  }
  members_.push_back(kind_.make(options_of(members_.size(), options)));
}

void OneVsRest::score_block(std::span<const Row> rows, Outputs out) const {
  const std::size_t width = outputs();
  if (width == 1) {
    first().score(rows, out);
    return;
  }
  std::array<double, kBlock> scores;
  for (std::size_t c = 0; c < width; ++c) {
    members_[c]->score(rows, std::span(scores).first(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) out.scores[r * width + c] = score_of(c, scores[r]);
  }
}

// Members are alike in what they can tell.
bool OneVsRest::add_parts(const Row& row, std::span<const double> direction, ScoreParts& parts) const {
  if (outputs() == 1) return first().add_parts(row, direction, parts);
  for (std::size_t c = 0; c < members_.size(); ++c) {
    const double its_direction = score_of(c, direction[c]);
    if (!members_[c]->add_parts(row, std::span(&its_direction, 1), parts)) return false;
  }
  return true;
}

// Members are alike in all that could make them reject a row, so if the first one learns it, they all do.
void OneVsRest::round(const Row& row, double target, double weight, Outputs out) {
  const std::size_t width = outputs();
  if (target >= static_cast<double>(std::max<std::size_t>(2, width))) {
    (void)first().score(row);
    add_class();
  }
  for (std::size_t c = 0; c < members_.size(); ++c) {
    const double its_target = members_.size() == 1 ? target : target_for(c, target);
    double score = 0.0;
    members_[c]->learn({std::span(&row, 1), std::span(&its_target, 1), std::span(&weight, 1)}, std::span(&score, 1));
    if (width > 1 && c < width) out.scores[c] = score_of(c, score);
    if (width == 1 && members_[c].get() == &first()) out.scores[0] = score;
  }
}

// What can be added up is; of a norm there is none.
void OneVsRest::describe(Report& report) const {
  first().report(report);
  if (members_.size() > 1) {
    static thread_local Report of_member;
    report.details.clear();
    report.norm.reset();
    report.learning_rate.reset();
    report.support = 0;
    report.bytes = 0;
    std::optional<std::uint64_t> removals;
    for (const auto& member : members_) {
      member->report(of_member);
      report.support += of_member.support;
      report.bytes += of_member.bytes;
      if (const auto count = of_member.count("removals")) removals = removals.value_or(0) + *count;
    }
    if (removals) report.details.push_back({"removals", *removals});
  }
  report.bytes += sizeof(*this) + members_.capacity() * sizeof(members_[0]);
}

void OneVsRest::save_state(Archive& archive) const {
  if (members_.size() == 1) {
    first().save(archive);
    return;
  }
  Json states = Json::array();
  for (std::size_t c = 0; c < members_.size(); ++c) {
    Archive member;
    members_[c]->save(member);
    if (members_[c].get() == &first()) archive.set_object("options", member.object("options"));
    states.push_back(member.object("state"));
    archive.put_all(prefix_of(c), member);
  }
  archive.settings()[kMembers]["states"] = std::move(states);
}

OneVsRest::OneVsRest(const LearnerKind& kind, const Json& options, const Archive& archive) : kind_(kind) {
  restore_rounds(archive);
  if (kind.traits.many_classes != LearnerTraits::ManyClasses::kOneVsRest) {
    throw_bad_archive("it has members for classes, which its learner does not need");
  }
  const Json& part = archive.object(kMembers);
  const auto states = part.find("states");
  if (states == part.end() || !states->is_array() || states->size() < kFewestMembers || states->size() > kMostClasses) {
    throw_bad_archive(fmt::format("its members for classes are no list of at least {}", kFewestMembers));
  }
  for (std::size_t c = 0; c < states->size(); ++c) {
    Archive member = archive.with_prefix(prefix_of(c));
    member.settings()["state"] = (*states)[c];
    members_.push_back(kind.restore(options_of(c, options), member));
    // The first two have learned all rows, a later one those since its class was met.
    const std::uint64_t its_rounds = members_[c]->rounds();
    if (c < 2 ? its_rounds != rounds() : its_rounds > members_[c - 1]->rounds()) {
      throw_bad_archive("a member of it has learned other rows than the others");
    }
  }
}

void make_room_for(const LearnerKind& kind, const Example& example, double weight, std::unique_ptr<Learner>& learner) {
  if (kind.traits.many_classes != LearnerTraits::ManyClasses::kOneVsRest || learner->task() != Task::kClassification ||
      !learner->why_two_classes().empty() || example.target != static_cast<double>(learner->most_classes())) {
    return;
  }
  // What is wrong with an example is said by `learn`.
  if (!(weight > 0.0 && weight <= kMostWeight) || (weight != 1.0 && !learner->takes_weights())) return;
  try {
    (void)learner->score(example.row);
  } catch (const Error&) {
    return;
  }
  learner = std::make_unique<OneVsRest>(kind, std::move(learner));
}

void make_room_for(const Example& example, double weight, std::unique_ptr<Learner>& learner) {
  if (example.target < static_cast<double>(learner->most_classes())) return;
  if (const LearnerKind* kind = find_kind(learner->name())) make_room_for(*kind, example, weight, learner);
}

std::unique_ptr<Learner> restore_of_kind(const LearnerKind& kind, const Json& options, const Archive& archive) {
  if (archive.has_part(kMembers)) return std::make_unique<OneVsRest>(kind, options, archive);
  return kind.restore(options, archive);
}

}  // namespace alder
