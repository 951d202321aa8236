#include "simd/target.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "alder/error.h"
#include "alder/version.h"

#include "simd/simd.h"

namespace alder {
namespace {

constexpr const char* kVariable = "ALDER_INSTRUCTION_SET";

bool is_same(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [lower](char x, char y) { return lower(x) == lower(y); });
}

void use(std::string_view wanted) {
  std::vector<const char*> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.push_back(hwy::TargetName(target));
    if (!is_same(wanted, names.back())) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  throw Error(Error::Kind::kUnsupported, fmt::format("{} is '{}'; expected one that this machine has: {}", kVariable,
                                                     wanted, fmt::join(names, ", ")));
}

}  // namespace

void simd::obey_environment() {
  static const bool is_done = [] {
    const char* wanted = std::getenv(kVariable);
    if (wanted != nullptr && *wanted != '\0') use(wanted);
    return true;
  }();
  (void)is_done;
}

const char* instruction_set() {
  simd::obey_environment();
  return simd::target();
}

}  // namespace alder
