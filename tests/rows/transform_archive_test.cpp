#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"
#include "rows/transform.h"

namespace alder {
namespace {

using Numbers = std::vector<double>;
using Counts = std::vector<std::uint32_t>;

// Two features, {−1, 0, 2} and one that is not known.
Archive small_archive() {
  Archive archive;
  archive.put("t.kind", Counts{3});
  archive.put("t.features", Counts{5, 8});
  archive.put("t.multipliers", Numbers{1.0, 2.0});
  archive.put("t.other", Numbers{1.0});
  archive.put("t.counts", Counts{3, 0});
  archive.put("t.knots", Numbers{-1.0, 0.0, 2.0});
  archive.put("t.images", Numbers{-0.5, 0.0, 0.25});
  return archive;
}

TEST(Transform, RefusesWhatItCannotHaveSaved) {
  EXPECT_EQ(Transform::load(small_archive(), "t").map(5, 1.0), 0.125);
  EXPECT_EQ(Transform::load(small_archive(), "t").map(8, -3.0), -1.0);
  EXPECT_THROW(Transform::load(small_archive(), "u"), Error);
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto refuses = [](const std::string& name, const auto& numbers) {
    Archive archive = small_archive();
    archive.put("t." + name, numbers);
    EXPECT_THROW(Transform::load(archive, "t"), Error) << name;
  };
  for (const Counts& kind : {Counts{4}, Counts{}, Counts{3, 3}}) refuses("kind", kind);
  for (const Counts& features : {Counts{8, 5}, Counts{5, 5}, Counts{5}, Counts{5, 8, 9}}) refuses("features", features);
  for (const double bad : {kNotANumber, kInf, -1.0, 0.0, 1e31, 1e-31}) {
    refuses("multipliers", Numbers{1.0, bad});
    refuses("other", Numbers{bad});
  }
  refuses("other", Numbers{});
  refuses("multipliers", Numbers{1.0});
  for (const Counts& counts : {Counts{3}, Counts{2, 0}, Counts{3, 1}, Counts{2, 1}, Counts{3, 2},
                               Counts{4294967295U, 4}, Counts{0, 0}, Counts{0, 65}}) {
    refuses("counts", counts);
  }
  for (const Numbers& knots : {Numbers{-1.0, 0.0}, Numbers{0.0, -1.0, 2.0}, Numbers{-1.0, 0.0, 0.0},
                               Numbers{-1.0, 0.5, 2.0}, Numbers{-1.0, 0.0, kInf}, Numbers{kNotANumber, 0.0, 2.0},
                               Numbers{-1.0, 0.0, 1e308}, Numbers{0.0, 1.0, 2.0}, Numbers{-3.0, -2.0, -1.0}}) {
    refuses("knots", knots);
  }
  for (const Numbers& images :
       {Numbers{-0.5, 0.0}, Numbers{0.5, 0.0, 0.25}, Numbers{-0.5, 0.1, 0.25}, Numbers{-0.5, 0.0, kNotANumber},
        Numbers{-11.0, 0.0, 0.25}, Numbers{-kInf, 0.0, 0.25}}) {
    refuses("images", images);
  }
}

}  // namespace
}  // namespace alder
