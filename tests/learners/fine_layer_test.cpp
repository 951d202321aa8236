#include "learners/alder/fine_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {
namespace {

// What the header says, for one output (two classes) or K, in double; nothing is kept that could be computed again.
struct LiteralFineLayer {
  struct Stored {
    std::array<double, 2> x;
    std::vector<double> a;
    double q = 1.0;
    int born = 0;
  };

  double gamma;
  std::size_t most;
  std::size_t width;
  std::vector<Stored> rows = {};
  std::array<double, 3> mistakes = {};
  int round = 0;
  int replaced = 0;
  std::array<int, 3> picked = {};

  [[nodiscard]] double kappa(const std::array<double, 2>& x, const Stored& row) const {
    return std::exp(-gamma * (std::pow(x[0] - row.x[0], 2) + std::pow(x[1] - row.x[1], 2)));
  }
  [[nodiscard]] std::vector<double> h(const std::array<double, 2>& x) const {
    std::vector<double> sums(width, 0.0);
    for (const Stored& row : rows) {
      for (std::size_t c = 0; c < width; ++c) sums[c] += row.a[c] * kappa(x, row);
    }
    return sums;
  }
  [[nodiscard]] double margin(const std::vector<double>& scores, std::size_t y) const {
    if (width == 1) return y == 1 ? scores[0] : -scores[0];
    double other = -1e300;
    for (std::size_t c = 0; c < width; ++c) other = c == y ? other : std::max(other, scores[c]);
    return scores[y] - other;
  }
  [[nodiscard]] bool is_wrong(const std::vector<double>& scores, std::size_t y) const {
    if (width == 1) return (scores[0] >= 0.0 ? 1U : 0U) != y;
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin()) != y;
  }
  // The share of h that is used, in halves.
  [[nodiscard]] std::size_t pick() const {
    const std::size_t some = mistakes[2] < mistakes[1] ? 2 : 1;
    return mistakes[some] < mistakes[0] - 0.25 * std::sqrt(mistakes[0] + 1.0) ? some : 0;
  }
  [[nodiscard]] std::vector<double> sum(const std::vector<double>& base, const std::vector<double>& own,
                                        std::size_t halves) const {
    std::vector<double> out = base;
    for (std::size_t c = 0; c < width; ++c) out[c] += 0.5 * static_cast<double>(halves) * own[c];
    return out;
  }
  [[nodiscard]] std::vector<double> predict(const std::array<double, 2>& x, const std::vector<double>& base,
                                            const std::vector<double>& mixed) const {
    return pick() == 0 ? mixed : sum(base, h(x), pick());
  }

  // The smallest change after which y has a margin of 1: all above a level fall to it, and y rises to that plus 1.
  [[nodiscard]] std::vector<double> change(const std::vector<double>& scores, std::size_t y) const {
    double low = scores[y] - 1.0;
    double high = *std::max_element(scores.begin(), scores.end()) + 1.0;
    for (int i = 0; i < 200; ++i) {
      const double level = 0.5 * (low + high);
      double fallen = 0.0;
      for (std::size_t c = 0; c < width; ++c) fallen += c == y ? 0.0 : std::max(0.0, scores[c] - level);
      (fallen > level + 1.0 - scores[y] ? low : high) = level;
    }
    std::vector<double> moves(width);
    for (std::size_t c = 0; c < width; ++c) moves[c] = c == y ? low + 1.0 - scores[y] : -std::max(0.0, scores[c] - low);
    return moves;
  }

  void learn(const std::array<double, 2>& x, const std::vector<double>& base, const std::vector<double>& mixed,
             std::size_t y, double weight, double rate, bool replaces) {
    ++round;
    ++picked[pick()];
    const std::vector<double> own = h(x);
    for (std::size_t i = 0; i < 3; ++i) {
      const bool wrong = is_wrong(i == 0 ? mixed : sum(base, own, i), y);
      mistakes[i] = 0.9995 * mistakes[i] + (wrong ? weight : 0.0);
    }
    const std::vector<double> all = sum(base, own, 2);
    if (margin(all, y) >= 1.0) return;
    double nearest = 0.0;
    for (const Stored& row : rows) nearest = std::max(nearest, kappa(x, row));
    const Stored joining = {x, std::vector<double>(width, 0.0), 1.0, round};
    if (margin(all, y) < 0.0 && nearest < 0.5 && rows.size() < most) {
      rows.push_back(joining);
    } else if (margin(all, y) < 0.0 && nearest < 0.5 && replaces) {
      Stored* victim = nullptr;
      const auto size = [](const Stored& row) {
        double largest = 0.0;
        for (const double a : row.a) largest = std::max(largest, std::fabs(a));
        return largest;
      };
      for (Stored& row : rows) {
        if (round - row.born > 500 && (victim == nullptr || size(row) < size(*victim))) victim = &row;
      }
      if (victim != nullptr) {
        *victim = joining;
        ++replaced;
      }
    }
    step(x, all, y, weight, rate);
  }

  void step(const std::array<double, 2>& x, const std::vector<double>& all, std::size_t y, double weight, double rate) {
    double v = 0.0;
    for (const Stored& row : rows) v += row.q * std::pow(kappa(x, row), 2);
    const double beta = 1.0 / (v + 0.3 / weight);
    const double label = y == 1 ? 1.0 : -1.0;
    const std::vector<double> moves = width == 1 ? std::vector{label * (1.0 - label * all[0])} : change(all, y);
    const double size = width == 1 ? beta : 1.0 / (v + 2.0 * 0.3 / (static_cast<double>(width) * weight));
    for (Stored& row : rows) {
      const double moved = row.q * kappa(x, row);
      for (std::size_t c = 0; c < width; ++c) row.a[c] += size * moves[c] * moved;
      row.q = std::min(1.0, row.q - beta * moved * moved + rate);
    }
  }
};

// Points in a square, whose class is that of the cell of a grid; what is predicted without the layer tells less, and
// from half of the rows on the classes are others.
struct Grid {
  explicit Grid(std::size_t outputs) : width(outputs) {}

  void next(int t) {
    std::uniform_real_distribution<double> uniform(0.0, 4.0);
    std::normal_distribution<double> normal;
    x = {uniform(engine), uniform(engine)};
    const std::size_t classes = std::max<std::size_t>(2, width);
    y = (static_cast<std::size_t>(x[0]) + 2 * static_cast<std::size_t>(x[1]) + (t > 1500 ? 1 : 0)) % classes;
    weight = t % 9 == 0 ? 2.0 : 1.0;
    base.assign(width, 0.0);
    for (std::size_t c = 0; c < width; ++c) base[c] = 0.7 * normal(engine) + (width > 1 && c == y ? 0.4 : 0.0);
    mixed = base;
    for (double& score : mixed) score = std::clamp(score, -1.0, 1.0);
  }

  std::size_t width;
  std::mt19937_64 engine{11};
  std::array<double, 2> x = {};
  std::size_t y = 0;
  double weight = 1.0;
  std::vector<double> base;
  std::vector<double> mixed;
};

template <class T>
struct LayerOnGeometry {
  LayerOnGeometry(std::size_t width, std::size_t most)
      : geometry({}, {}, Kernel::gaussian_gamma(0.4), 0), layer(width, most, 25.0) {}

  // A round; returns what is predicted.
  std::vector<double> round(const Grid& grid, double rate, bool replaces) {
    const Row row = Row::dense(grid.x).as_checked();
    geometry.begin_block(std::span(&row, 1));
    geometry.begin();
    layer.look(geometry.rounds().row(), look);
    std::vector<double> out(grid.width);
    layer.predict(look, grid.base, grid.mixed, out);
    layer.learn(geometry, look, grid.base, grid.mixed, static_cast<double>(grid.y), grid.weight, rate, replaces);
    geometry.end(1.0);
    geometry.end_block();
    return out;
  }

  Geometry<T> geometry;
  FineLayer<T> layer;
  typename FineLayer<T>::Look look;
};

void check_fine_layer(std::size_t width, std::size_t most) {
  LayerOnGeometry<double> made(width, most);
  LiteralFineLayer literal{0.4 * 25.0, most, width};
  Grid grid(width);
  for (int t = 0; t < 3000; ++t) {
    grid.next(t);
    const double rate = t < 500 ? 0.0 : t < 1000 ? 1e-5 : 1e-3;
    const std::vector<double> expected = literal.predict(grid.x, grid.base, grid.mixed);
    const std::vector<double> own = literal.h(grid.x);
    const std::vector<double> out = made.round(grid, rate, t > 1200);
    for (std::size_t c = 0; c < width; ++c) {
      ASSERT_NEAR(out[c], expected[c], 1e-8) << t;
      ASSERT_NEAR(made.look.scores[c], own[c], 1e-8) << t;
    }
    literal.learn(grid.x, grid.base, grid.mixed, grid.y, grid.weight, rate, t > 1200);
    ASSERT_EQ(made.layer.size(), literal.rows.size()) << t;
  }
  EXPECT_EQ(made.geometry.dictionary().size(), literal.rows.size());
  EXPECT_GT(literal.picked[0], 0);
  EXPECT_GT(literal.picked[1] + literal.picked[2], 100);
  EXPECT_EQ(literal.replaced > 10, most < 100);
}

TEST(FineLayer, EqualsItsDefinition) {
  check_fine_layer(1, 60);
  check_fine_layer(1, 1000);
}

TEST(FineLayer, OfManyClassesEqualsItsDefinition) {
  check_fine_layer(3, 50);
  check_fine_layer(4, 1000);
}

TEST(FineLayer, InFloatIsClose) {
  for (const std::size_t width : {1, 3}) {
    LayerOnGeometry<float> made(width, 1000);
    LiteralFineLayer literal{0.4 * 25.0, 1000, width};
    Grid grid(width);
    int close = 0;
    for (int t = 0; t < 1200; ++t) {
      grid.next(t);
      const std::vector<double> expected = literal.predict(grid.x, grid.base, grid.mixed);
      const std::vector<double> out = made.round(grid, 1e-3, false);
      close += std::fabs(out[0] - expected[0]) < 0.02 ? 1 : 0;
      literal.learn(grid.x, grid.base, grid.mixed, grid.y, grid.weight, 1e-3, false);
    }
    EXPECT_GT(close, 1150) << width;
    EXPECT_NEAR(static_cast<double>(made.layer.size()), static_cast<double>(literal.rows.size()), 3.0);
  }
}

TEST(FineLayer, IsWorthIt) {
  LayerOnGeometry<float> made(1, 1000);
  Grid grid(1);
  int with = 0;
  int without = 0;
  for (int t = 0; t < 1500; ++t) {
    grid.next(t);
    const double score = made.round(grid, 0.0, false)[0];
    if (t < 1000) continue;
    with += (score >= 0.0) != (grid.y == 1) ? 1 : 0;
    without += (grid.mixed[0] >= 0.0) != (grid.y == 1) ? 1 : 0;
  }
  EXPECT_LT(2 * with, without);
}

// Of two classes with one function become three with one each, which say the same as before.
TEST(FineLayer, MayGetAThirdClass) {
  LayerOnGeometry<double> made(1, 100);
  Grid grid(1);
  for (int t = 0; t < 300; ++t) {
    grid.next(t);
    made.round(grid, 0.0, false);
  }
  const Row row = Row::dense(grid.x).as_checked();
  ScoredRows<double> scored;
  std::vector<double> inputs;
  made.geometry.look(std::span(&row, 1), scored, inputs);
  made.layer.look(scored.values[0], made.look);
  const double before = made.look.scores[0];
  made.layer.add_class();
  made.layer.look(scored.values[0], made.look);
  ASSERT_EQ(made.look.scores.size(), 3U);
  EXPECT_NEAR(made.look.scores[1] - made.look.scores[0], before, 1e-12);
  EXPECT_EQ(made.look.scores[2], 0.0);
  Grid three(3);
  for (int t = 0; t < 300; ++t) {
    three.next(t);
    for (const double score : made.round(three, 0.0, false)) ASSERT_TRUE(std::isfinite(score));
  }
}

TEST(FineLayer, GoesOnFromAnArchiveToTheBit) {
  for (const std::size_t width : {1, 3}) {
    LayerOnGeometry<float> made(width, 40);
    Grid grid(width);
    for (int t = 0; t < 700; ++t) {
      grid.next(t);
      made.round(grid, 1e-3, true);
    }
    Archive archive;
    made.layer.save(archive, "f");
    made.geometry.save(archive, "g");
    const Archive decoded = Archive::decode(archive.encode());
    LayerOnGeometry<float> loaded(width, 0);
    loaded.geometry = Geometry<float>::load(decoded, "g", 0, std::nullopt);
    loaded.layer.load(decoded, "f", loaded.geometry.dictionary().size());
    for (int t = 700; t < 1500; ++t) {
      grid.next(t);
      ASSERT_EQ(made.round(grid, 1e-3, true), loaded.round(grid, 1e-3, true)) << t;
    }
  }
}

TEST(FineLayer, RefusesForgedNumbers) {
  LayerOnGeometry<double> made(1, 40);
  Grid grid(1);
  for (int t = 0; t < 100; ++t) {
    grid.next(t);
    made.round(grid, 0.0, false);
  }
  Archive sound;
  made.layer.save(sound, "f");
  const std::size_t n = made.layer.size();
  ASSERT_GT(n, 3U);
  const auto load = [n](const Archive& archive) {
    FineLayer<double> layer(1, 0, 1.0);
    layer.load(archive, "f", n);
  };
  EXPECT_NO_THROW(load(sound));
  const auto forge = [&](const std::string& name, const auto& change) {
    Archive forged = sound;
    change(forged, "f." + name);
    EXPECT_THROW(load(forged), Error) << name;
  };
  const auto with = [&sound](auto number, std::size_t place) {
    return [&sound, number, place](Archive& archive, const std::string& name) {
      auto numbers = sound.get<decltype(number)>(name);
      numbers[place] = number;
      archive.put(name, numbers);
    };
  };
  forge("elements", with(static_cast<std::uint32_t>(n), 1));
  forge("kernel", with(-1.0, 0));
  forge("kernel", with(std::nan(""), 0));
  forge("weights", with(std::nan(""), 0));
  forge("variances", with(-0.1, 0));
  forge("variances", with(1.1, 0));
  forge("mistakes", with(-1.0, 0));
  forge("mistakes", with(1e12, 2));
  forge("rounds", with(std::uint64_t{3}, 1));         // fewer than there are
  forge("rounds", with(std::uint64_t{1} << 40U, 1));  // more than there may be
  forge("rounds", with(std::uint64_t{1000000}, 2));   // later than the last round
  forge("variances", [](Archive& archive, const std::string& name) { archive.put(name, std::vector{1.0}); });
}

}  // namespace
}  // namespace alder
