#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alder/error.h"
#include "alder/stream.h"

#include "base/random.h"

// Only operations that IEEE 754 rounds exactly are used (no sin, exp or pow), so that a stream is the same everywhere.

namespace alder {
namespace {

class Generated : public Stream {
 public:
  Generated(std::uint64_t rows, std::uint64_t seed) : random_(seed), left_(rows) {}

  Examples read(std::size_t /*most*/) final {
    if (left_ == 0) return {};
    --left_;
    const auto [row, label] = draw();
    row_ = row;
    target_ = label > 0.0 ? 1.0 : 0.0;
    return {std::span(&row_, 1), std::span(&target_, 1)};
  }

 protected:
  struct Drawn {
    Row row;
    double label;  // −1 or +1
  };
  virtual Drawn draw() = 0;

  double coin() { return random_.chance(0.5) ? 1.0 : -1.0; }
  double with_noise(double label, double probability) { return random_.chance(probability) ? -label : label; }

  Random random_;

 private:
  std::uint64_t left_;
  Row row_;
  double target_ = 0.0;
};

class Rings final : public Generated {
 public:
  using Generated::Generated;

 private:
  Drawn draw() override {
    const double label = coin();
    const double radius = (label > 0 ? 0.5 : 1.0) + 0.1 * random_.normal();
    // A direction: a point of the unit disc, but not of its centre, pushed out to the circle.
    double x = 0.0;
    double y = 0.0;
    double squared = 0.0;
    do {
      x = 2.0 * random_.uniform() - 1.0;
      y = 2.0 * random_.uniform() - 1.0;
      squared = x * x + y * y;
    } while (squared > 1.0 || squared < 1e-6);
    const double scale = radius / std::sqrt(squared);
    values_ = {scale * x, scale * y};
    return {Row::dense(values_), label};
  }

  std::array<double, 2> values_{};
};

class Blobs final : public Generated {
 public:
  Blobs(std::uint64_t rows, std::uint64_t seed) : Generated(rows, seed) {
    for (auto& centre : centres_) {
      for (double& coordinate : centre) coordinate = random_.uniform();
    }
  }

 private:
  static constexpr std::size_t kFeatures = 8;
  static constexpr std::size_t kBlobs = 8;  // the even ones are positive
  static constexpr double kWidth = 0.18;    // the centres are 1.15 apart on average

  Drawn draw() override {
    const std::uint64_t blob = random_.below(kBlobs);
    for (std::size_t j = 0; j < kFeatures; ++j) values_[j] = centres_[blob][j] + kWidth * random_.normal();
    return {Row::dense(values_), blob % 2 == 0 ? 1.0 : -1.0};
  }

  std::array<std::array<double, kFeatures>, kBlobs> centres_{};
  std::array<double, kFeatures> values_{};
};

class Checkerboard final : public Generated {
 public:
  using Generated::Generated;

 private:
  Drawn draw() override {
    values_ = {random_.uniform(), random_.uniform()};
    const int field = static_cast<int>(4.0 * values_[0]) + static_cast<int>(4.0 * values_[1]);
    return {Row::dense(values_), with_noise(field % 2 == 0 ? 1.0 : -1.0, 0.02)};
  }

  std::array<double, 2> values_{};
};

// The normal vector of the hyperplane through the centre of [0,1]^10 is cosine·u + sine·v for two orthonormal u, v, and
// the angle grows by a constant with every row.
class Hyperplane final : public Generated {
 public:
  Hyperplane(std::uint64_t rows, std::uint64_t seed) : Generated(rows, seed) {
    for (double& x : u_) x = random_.normal();
    for (double& x : v_) x = random_.normal();
    normalize(u_);
    const double overlap = dot(u_, v_);
    for (std::size_t j = 0; j < kFeatures; ++j) v_[j] -= overlap * u_[j];
    normalize(v_);
  }

 private:
  static constexpr std::size_t kFeatures = 10;
  using Vector = std::array<double, kFeatures>;

  static double dot(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t j = 0; j < kFeatures; ++j) sum += a[j] * b[j];
    return sum;
  }
  static void normalize(Vector& a) {
    const double norm = std::sqrt(dot(a, a));
    for (double& x : a) x /= norm;
  }

  Drawn draw() override {
    Vector centred{};
    for (std::size_t j = 0; j < kFeatures; ++j) {
      values_[j] = random_.uniform();
      centred[j] = values_[j] - 0.5;
    }
    const double side = cosine_ * dot(u_, centred) + sine_ * dot(v_, centred);
    turn();
    return {Row::dense(values_), with_noise(side >= 0.0 ? 1.0 : -1.0, 0.05)};
  }

  // By the angle with tan(angle/2) = t: a right angle in 10,000 rows.
  void turn() {
    constexpr double t = 7.853981633974483e-5;
    constexpr double c = (1.0 - t * t) / (1.0 + t * t);
    constexpr double s = 2.0 * t / (1.0 + t * t);
    const double cosine = c * cosine_ - s * sine_;
    sine_ = s * cosine_ + c * sine_;
    cosine_ = cosine;
  }

  Vector u_{};
  Vector v_{};
  double cosine_ = 1.0;
  double sine_ = 0.0;
  Vector values_{};
};

// Features have a rank r >= 1 and a popularity of about 1/r: an octave [2^k, 2^(k+1)) is drawn first, then a rank in
// it. Of the popular ones, one in four pairs of ranks (2m, 2m+1) matters to the label, one of the pair for either
// class: both are equally popular, so the classes stay balanced.
class Sparse final : public Generated {
 public:
  Sparse(std::uint64_t rows, std::uint64_t seed) : Generated(rows, seed), rule_(random_.bits()) {}

 private:
  static constexpr std::uint64_t kFeatures = 1'000'000;
  static constexpr std::uint64_t kOctaves = 20;
  static constexpr std::uint64_t kRanksThatMatter = 4096;  // even: of a pair both or none

  struct Entry {
    FeatureIndex feature;
    double value;
  };

  Drawn draw() override {
    const std::uint64_t count = 40 + random_.below(21);
    double side = 0.5 * random_.normal();
    entries_.clear();
    while (entries_.size() < count) {
      const std::uint64_t first = std::uint64_t{1} << random_.below(kOctaves);
      const std::uint64_t rank = first + random_.below(first);
      if (rank > kFeatures) continue;
      // An odd factor without 5 permutes the numbers below 10^6: popular features are not neighbours.
      const auto feature = static_cast<FeatureIndex>(rank * 387'420'489 % kFeatures);
      const auto place =
          std::lower_bound(entries_.begin(), entries_.end(), feature,
                           [](const Entry& entry, FeatureIndex wanted) { return entry.feature < wanted; });
      if (place != entries_.end() && place->feature == feature) continue;
      const double value = random_.chance(0.1) ? 2.0 : 1.0;
      entries_.insert(place, {feature, value});
      side += weight(rank) * value;
    }
    indices_.clear();
    values_.clear();
    for (const Entry& entry : entries_) {
      indices_.push_back(entry.feature);
      values_.push_back(entry.value);
    }
    return {Row::sparse(indices_, values_), side >= 0.0 ? 1.0 : -1.0};
  }

  [[nodiscard]] double weight(std::uint64_t rank) const {
    const std::uint64_t pair = rank / 2;
    if (pair == 0 || rank >= kRanksThatMatter || mixed(rule_ + pair) % 4 != 0) return 0.0;
    return rank % 2 == 0 ? 1.0 : -1.0;
  }

  // splitmix64's finalizer.
  static std::uint64_t mixed(std::uint64_t x) {
    x *= 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t rule_;
  std::vector<Entry> entries_;
  std::vector<FeatureIndex> indices_;
  std::vector<double> values_;
};

template <class T>
std::unique_ptr<Stream> make(std::uint64_t rows, std::uint64_t seed) {
  return std::make_unique<T>(rows, seed);
}

struct Generator {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Stream> (*make)(std::uint64_t rows, std::uint64_t seed);
};

constexpr std::array kGenerators = {
    Generator{"rings", "two noisy concentric rings, one for each class; 2 features", make<Rings>},
    Generator{"blobs", "four Gaussian blobs for each class, overlapping a little; 8 features", make<Blobs>},
    Generator{"checkerboard", "a 4x4 checkerboard on the unit square, 2 % wrong labels; 2 features",
              make<Checkerboard>},
    Generator{"hyperplane", "a plane that turns (drift) by 90 degrees in 10,000 rows, 5 % wrong; 10 features",
              make<Hyperplane>},
    Generator{"sparse", "about 50 of 1,000,000 features in a row, a hidden linear rule with noise", make<Sparse>},
};

const Generator& find(std::string_view name) {
  const auto found = std::find_if(kGenerators.begin(), kGenerators.end(),
                                  [name](const Generator& generator) { return generator.name == name; });
  if (found == kGenerators.end()) {
    throw Error(fmt::format("unknown generator '{}'; expected one of {}", name, fmt::join(generator_names(), ", ")));
  }
  return *found;
}

}  // namespace

std::unique_ptr<Stream> make_generated(std::string_view name, std::uint64_t rows, std::uint64_t seed) {
  const Generator& generator = find(name);
  if (rows == 0) throw Error(fmt::format("generator '{}': 0 rows asked for; at least 1 is expected", name));
  return generator.make(rows, seed);
}

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  names.reserve(kGenerators.size());
  for (const Generator& generator : kGenerators) names.emplace_back(generator.name);
  return names;
}

std::string generator_summary(std::string_view name) {
  return std::string(find(name).summary);
}

}  // namespace alder
