// Learns exclusive or, which no linear rule separates, and checks that it was learned, and that the model gives the
// same scores after it was saved and loaded. Prints the library's version.
#include <array>
#include <iostream>

#include <alder/alder.h>

namespace {

struct Corner {
  std::array<double, 2> x;
  double target;  // class 0 or 1
};

constexpr std::array<Corner, 4> kCorners = {{{{0, 0}, 0}, {{1, 1}, 0}, {{0, 1}, 1}, {{1, 0}, 1}}};
constexpr std::uint64_t kPasses = 50;

std::array<alder::Row, 4> rows() {
  std::array<alder::Row, 4> all;
  for (std::size_t i = 0; i < kCorners.size(); ++i) all[i] = alder::Row::dense(kCorners[i].x);
  return all;
}

alder::Predictions predictions_of(const alder::Model& model) {
  alder::Predictions made;
  model.predict(rows(), made);
  return made;
}

// Whether it learns, and goes through a file and through memory.
bool works(std::unique_ptr<alder::Learner> learner) {
  const std::string name = learner->name();
  alder::Model model(std::move(learner));
  const std::array<alder::Row, 4> corners = rows();
  std::array<double, 4> targets;
  for (std::size_t i = 0; i < kCorners.size(); ++i) targets[i] = kCorners[i].target;
  for (std::uint64_t pass = 0; pass < kPasses; ++pass) {
    for (std::size_t done = 0; done < corners.size();) {
      done += model.learn(alder::Examples{corners, targets}.from(done, corners.size() - done));
    }
  }
  const alder::Report report = model.learner().report();
  if (report.rounds != kPasses * kCorners.size()) {
    std::cerr << name << ": expected " << kPasses * kCorners.size() << " rounds, got " << report.rounds << '\n';
    return false;
  }
  const alder::Predictions made = predictions_of(model);
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    if (made.classes[i] != kCorners[i].target) {
      std::cerr << name << ": corner " << i << " has score " << made.scores[i] << ", class " << kCorners[i].target
                << '\n';
      return false;
    }
  }
  model.save("consumer.model");
  if (predictions_of(alder::Model::load("consumer.model")).scores != made.scores ||
      predictions_of(alder::Model::decode(model.encode())).scores != made.scores) {
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
