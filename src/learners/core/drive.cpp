#include "alder/drive.h"

#include <algorithm>

namespace alder {

void drive(Stream& stream, const Learn& learn, std::span<Hook* const> hooks) {
  constexpr std::uint64_t kMostAtOnce = 256;
  bool goes_on = true;
  Predictions made;
  while (goes_on) {
    std::uint64_t most = kMostAtOnce;
    for (const Hook* hook : hooks) most = std::min(most, hook->due());
    Examples left = stream.read(most);
    if (left.empty()) return;
    while (goes_on && !left.empty()) {
      const std::size_t count = learn(left, made);
      for (Hook* hook : hooks) goes_on = hook->after(left.from(0, count), made) && goes_on;
      left = left.from(count, left.size() - count);
    }
  }
}

}  // namespace alder
