// Learns exclusive or, which no linear rule separates, and checks that it was learned, and that the model gives the
// same scores after it was saved and loaded. Prints the library's version.
#include <array>
#include <iostream>

#include <alder/alder.h>

namespace {

struct Corner {
  std::array<double, 2> x;
  double label;
};

constexpr std::array<Corner, 4> kCorners = {{{{0, 0}, -1}, {{1, 1}, -1}, {{0, 1}, +1}, {{1, 0}, +1}}};
constexpr std::uint64_t kPasses = 50;

std::array<double, 4> scores_of(const alder::Model& model) {
  std::array<double, 4> scores;
  for (std::size_t i = 0; i < kCorners.size(); ++i) scores[i] = model.learner->score(alder::Row::dense(kCorners[i].x));
  return scores;
}

// Whether it learns, and goes through a file and through memory.
bool works(std::unique_ptr<alder::Learner> learner) {
  const std::string name = learner->name();
  alder::Model model{std::move(learner), {}, 2, {}};
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    for (const Corner& corner : kCorners) model.learner->learn(alder::Row::dense(corner.x), corner.label);
  }
  const alder::Report report = model.learner->report();
  if (report.rounds != kPasses * kCorners.size()) {
    std::cerr << name << ": expected " << kPasses * kCorners.size() << " rounds, got " << report.rounds << '\n';
    return false;
  }
  const std::array<double, 4> scores = scores_of(model);
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    if (alder::predicted_class(scores[i]) != kCorners[i].label) {
      std::cerr << name << ": corner " << i << " has score " << scores[i] << ", label " << kCorners[i].label << '\n';
      return false;
    }
  }
  alder::save_model(model, "consumer.model");
  if (scores_of(alder::load_model("consumer.model")) != scores ||
      scores_of(alder::decode_model(alder::encode_model(model))) != scores) {
    std::cerr << name << ": other scores after it was saved and loaded\n";
    return false;
  }
  return true;
}

}  // namespace

int main() {
  alder::PomdrOptions options;
  options.kernel = alder::Kernel::gaussian(0.5);
  options.horizon = kPasses * kCorners.size();
  try {
    if (!works(alder::make_pomdr(options)) || !works(alder::make_alder({}))) return 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  std::cout << "alder " << ALDER_VERSION << '\n';
  return 0;
}
