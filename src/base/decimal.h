#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace alder {

/// Short decimals, which are nearly all that files hold: "-12.3456", eight bytes at a time and without a branch per
/// digit. Everything else is left to a general parser.
namespace decimal {

/// How many bytes parse() may read, whatever they are.
inline constexpr std::size_t kReadable = 18;  // a sign, 7 digits, a point, 8 digits, and what follows

/// Up to 8 digits at the front of 8 bytes.
struct Digits {
  std::size_t count;
  std::uint64_t value;
};

inline Digits digits(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  bytes ^= 0x3030303030303030;  // a digit becomes its value, 0 to 9
  // In the lowest byte that is no digit, and maybe in later ones, one of the high four bits is set.
  const std::uint64_t others = ((bytes + 0x0606060606060606) | bytes) & 0xf0f0f0f0f0f0f0f0;
  const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  if (count == 0) return {0, 0};
  // The first digit is in the lowest byte; zeros come before it. Then pairs, fours and eights are joined.
  bytes <<= 64 - 8 * count;
  bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ff;
  bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffff;
  bytes = (bytes * 10000 + (bytes >> 32)) & 0x00000000ffffffff;
  return {count, bytes};
}

/// Where the decimal at the front of the kReadable bytes stops, or null when it is none of 1 to 7 digits, or of those
/// with a point and 1 to 8 more, or when an exponent follows. The value is the double nearest to what is written: both
/// the digits, below 10^15 < 2^53, and the power of ten are exact, so one division rounds once.
inline const char* parse(const char* at, double& value) {
  if (std::endian::native != std::endian::little) return nullptr;  // digits() wants the first one in the lowest byte
  static constexpr std::array<double, 9> kPowers = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
  static constexpr std::array<std::uint64_t, 9> kWholePowers = {1,      10,      100,      1000,     10000,
                                                                100000, 1000000, 10000000, 100000000};
  const bool is_negative = *at == '-';
  at += is_negative ? 1 : 0;
  const Digits whole = digits(at);
  if (whole.count == 0 || whole.count == 8) return nullptr;
  at += whole.count;
  std::uint64_t mantissa = whole.value;
  double power = 1.0;
  if (*at == '.') {
    const Digits fraction = digits(at + 1);
    if (fraction.count == 0) return nullptr;
    at += 1 + fraction.count;
    if (*at >= '0' && *at <= '9') return nullptr;
    mantissa = whole.value * kWholePowers[fraction.count] + fraction.value;
    power = kPowers[fraction.count];
  }
  if (*at == 'e' || *at == 'E') return nullptr;
  const double magnitude = static_cast<double>(static_cast<std::int64_t>(mantissa)) / power;
  value = std::copysign(magnitude, is_negative ? -1.0 : 1.0);
  return at;
}

}  // namespace decimal
}  // namespace alder
