// Learns exclusive or, which no linear rule separates, and checks that it was learned. Prints the library's version.
#include <array>
#include <iostream>

#include <alder/alder.h>

int main() {
  struct Corner {
    std::array<double, 2> x;
    double label;
  };
  const std::array<Corner, 4> corners = {{{{0, 0}, -1}, {{1, 1}, -1}, {{0, 1}, +1}, {{1, 0}, +1}}};
  const std::uint64_t passes = 50;

  alder::PomdrOptions options;
  options.kernel = alder::Kernel::gaussian(0.5);
  options.horizon = passes * corners.size();
  const std::unique_ptr<alder::Learner> learner = alder::make_pomdr(options);
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    for (const Corner& corner : corners) learner->learn(alder::Row::dense(corner.x), corner.label);
  }

  if (learner->report().rounds != passes * corners.size()) {
    std::cerr << "expected " << passes * corners.size() << " rounds, got " << learner->report().rounds << '\n';
    return 1;
  }
  for (const Corner& corner : corners) {
    const double score = learner->score(alder::Row::dense(corner.x));
    if (alder::predicted_class(score) != corner.label) {
      std::cerr << "the corner (" << corner.x[0] << ", " << corner.x[1] << ") has score " << score << ", label "
                << corner.label << '\n';
      return 1;
    }
  }
  std::cout << "alder " << ALDER_VERSION << '\n';
  return 0;
}
