#include "alder/drive.h"

#include <algorithm>

namespace alder {

void drive(Stream& stream, const std::function<Learned(const Examples&)>& learn, std::span<Hook* const> hooks) {
  constexpr std::uint64_t kMostAtOnce = 256;
  bool goes_on = true;
  while (goes_on) {
    std::uint64_t most = kMostAtOnce;
    for (const Hook* hook : hooks) most = std::min(most, hook->due());
    Examples left = stream.read(most);
    if (left.empty()) return;
    while (goes_on && !left.empty()) {
      const Learned learned = learn(left);
      for (Hook* hook : hooks) goes_on = hook->after(left.from(0, learned.count), learned.scores) && goes_on;
      left = left.from(learned.count, left.size() - learned.count);
    }
  }
}

}  // namespace alder
