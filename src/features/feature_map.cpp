#include "alder/feature_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "alder/error.h"

#include "features/fourier.h"
#include "features/nystrom.h"
#include "features/sketch.h"

namespace alder {
namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::uint32_t>::max();

template <class T>
class FourierFeatures final : public FeatureMap {
 public:
  FourierFeatures(const Kernel& kernel, std::size_t frequencies, std::uint64_t seed)
      : kernel_(kernel), map_(kernel, frequencies, seed) {}

  [[nodiscard]] std::size_t features() const override { return 2 * map_.frequencies(); }

 protected:
  void map_checked(const Row& row, std::span<double> out) override {
    x_.assign(row, kernel_);
    map_.meet(x_);
    map_.map(x_, z_);
    const std::size_t count = map_.frequencies();
    std::copy_n(z_.data(), count, out.data());
    std::copy_n(z_.data() + padded(count), count, out.data() + count);
  }

 private:
  Kernel kernel_;
  FourierMap<T> map_;
  PreparedRow<T> x_;
  AlignedVector<double> z_;
};

template <class T>
class NystromFeatures final : public FeatureMap {
 public:
  NystromFeatures(const Kernel& kernel, const Dataset& rows, std::size_t rank) : kernel_(kernel), map_(kernel, rank) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].row.check();
      x_.assign(rows[i].row, kernel);
      map_.rows().kernel_row(x_, Accuracy::kExact, row_);
      map_.append(x_, row_);
    }
    map_.build();
  }

  [[nodiscard]] std::size_t features() const override { return map_.features(); }

 protected:
  void map_checked(const Row& row, std::span<double> out) override {
    x_.assign(row, kernel_);
    map_.rows().kernel_row(x_, Accuracy::kFast, row_);
    map_.map(row_, z_);
    std::copy_n(z_.data(), features(), out.data());
  }

 private:
  Kernel kernel_;
  NystromMap<T> map_;
  PreparedRow<T> x_;
  KernelValues row_;
  AlignedVector<double> z_;
};

template <class T>
class SketchFeatures final : public FeatureMap {
 public:
  SketchFeatures(const Kernel& kernel, const Dataset& rows, std::size_t rank, std::uint64_t seed)
      : kernel_(kernel), map_(kernel, SketchSizes::of(rows.size())) {
    Dictionary<T> stored(kernel);
    Gram gram;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].row.check();
      x_.assign(rows[i].row, kernel);
      stored.kernel_row(x_, Accuracy::kExact, row_);
      gram.append(row_, x_.self());
      stored.append(x_);
    }
    LearnerRandom random(seed);
    map_.draw(stored, gram, random);
    map_.build(rank);
  }

  [[nodiscard]] std::size_t features() const override { return map_.features(); }

 protected:
  void map_checked(const Row& row, std::span<double> out) override {
    x_.assign(row, kernel_);
    map_.kernel_row(x_, row_);
    map_.map(row_, z_);
    std::copy_n(z_.data(), features(), out.data());
  }

 private:
  Kernel kernel_;
  SketchMap<T> map_;
  PreparedRow<T> x_;
  KernelValues row_;
  AlignedVector<double> z_;
};

template <template <class> class Map, class... Arguments>
std::unique_ptr<FeatureMap> make(Precision precision, const Arguments&... arguments) {
  if (precision == Precision::kDouble) return std::make_unique<Map<double>>(arguments...);
  return std::make_unique<Map<float>>(arguments...);
}

void check_rows(const Dataset& rows, const std::optional<std::size_t>& rank) {
  if (rows.size() == 0) throw Error("there are no rows to make features of; expected at least one");
  if (rank && *rank == 0) throw Error("rank is 0; expected at least 1");
}

}  // namespace

void FeatureMap::map(const Row& row, std::span<double> out) {
  if (out.size() < features()) {
    throw Error(fmt::format("there is room for {} features; expected {}", out.size(), features()));
  }
  row.check();
  map_checked(row, out);
}

std::unique_ptr<FeatureMap> make_fourier_features(const Kernel& kernel, std::size_t frequencies, std::uint64_t seed,
                                                  Precision precision) {
  check_fourier_kernel(kernel);
  if (frequencies == 0) throw Error("frequencies is 0; expected at least 1");
  return make<FourierFeatures>(precision, kernel, frequencies, seed);
}

std::unique_ptr<FeatureMap> make_nystrom_features(const Kernel& kernel, const Dataset& rows,
                                                  std::optional<std::size_t> rank, Precision precision) {
  check_rows(rows, rank);
  return make<NystromFeatures>(precision, kernel, rows, rank.value_or(kUnlimited));
}

std::unique_ptr<FeatureMap> make_sketch_features(const Kernel& kernel, const Dataset& rows,
                                                 std::optional<std::size_t> rank, std::uint64_t seed,
                                                 Precision precision) {
  check_rows(rows, rank);
  return make<SketchFeatures>(precision, kernel, rows, rank.value_or(kUnlimited), seed);
}

}  // namespace alder
