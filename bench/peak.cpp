#include "bench/peak.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <benchmark/benchmark.h>

#include "simd/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peak.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h must come first: it includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace alder::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLanes>;

// Twelve chains of multiply-adds; returns how many multiply-adds of floats that were.
double chains(size_t rounds, float* out) {
  const Floats d;
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, 0.001F);
  // All different, or the compiler would see one chain.
  auto a = hn::Iota(d, 0.0F), b = hn::Add(a, term), c = hn::Add(b, term), e = hn::Add(c, term), f = hn::Add(e, term),
       g = hn::Add(f, term), h = hn::Add(g, term), i = hn::Add(h, term), j = hn::Add(i, term), k = hn::Add(j, term),
       l = hn::Add(k, term), m = hn::Add(l, term);
  for (size_t n = 0; n < rounds; ++n) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
    l = hn::MulAdd(l, factor, term);
    m = hn::MulAdd(m, factor, term);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i))),
                           hn::Add(hn::Add(j, k), hn::Add(l, m)));
  *out = hn::GetLane(hn::SumOfLanes(d, sum));
  return 12.0 * static_cast<double>(rounds * hn::Lanes(d));
}

// Adds up an array whose length is a multiple of 8 vectors.
float add_up(const float* numbers, size_t n) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a, f = a, g = a, h = a, i = a;
  for (size_t k = 0; k < n; k += 8 * lanes) {
    a = hn::Add(a, hn::Load(d, numbers + k));
    b = hn::Add(b, hn::Load(d, numbers + k + lanes));
    c = hn::Add(c, hn::Load(d, numbers + k + 2 * lanes));
    e = hn::Add(e, hn::Load(d, numbers + k + 3 * lanes));
    f = hn::Add(f, hn::Load(d, numbers + k + 4 * lanes));
    g = hn::Add(g, hn::Load(d, numbers + k + 5 * lanes));
    h = hn::Add(h, hn::Load(d, numbers + k + 6 * lanes));
    i = hn::Add(i, hn::Load(d, numbers + k + 7 * lanes));
  }
  return hn::GetLane(
      hn::SumOfLanes(d, hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)))));
}

}  // namespace HWY_NAMESPACE
}  // namespace alder::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace alder::bench {
namespace {

HWY_EXPORT(chains);
HWY_EXPORT(add_up);

// The best of some runs of a millisecond or more: others on the machine only make it slower.
template <class Work>
double best_rate(const Work& work) {
  double best = 0.0;
  for (int run = 0; run < 20; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    const double done = work();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    best = std::max(best, done / seconds.count());
  }
  return best;
}

}  // namespace

double multiply_adds_per_second() {
  static const double rate = best_rate([] {
    float sum = 0.0F;
    const double done = HWY_DYNAMIC_DISPATCH(chains)(1'000'000, &sum);
    benchmark::DoNotOptimize(sum);
    return done;
  });
  return rate;
}

double bytes_read_per_second(std::size_t bytes) {
  static std::map<std::size_t, double> known;
  const std::size_t n = (bytes / sizeof(float) + 8 * kLanes - 1) / (8 * kLanes) * (8 * kLanes);
  double& rate = known[n];
  if (rate == 0.0) {
    const AlignedVector<float> numbers(n, 1.0F);
    const std::size_t passes = 1 + 20'000'000 / n;
    rate = best_rate([&] {
      for (std::size_t pass = 0; pass < passes; ++pass) {
        benchmark::DoNotOptimize(HWY_DYNAMIC_DISPATCH(add_up)(numbers.data(), n));
      }
      return static_cast<double>(passes * n * sizeof(float));
    });
  }
  return rate;
}

}  // namespace alder::bench
#endif  // HWY_ONCE
