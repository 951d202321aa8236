// The model reader on any bytes. A wrong checksum would stop nearly every mutation, so it is put right first; what is
// then accepted must be a learner that scores and, unless it is a hypothesis, learns.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "alder/error.h"
#include "alder/learner.h"

#include "learners/registry.h"
#include "model/archive.h"

namespace {

void try_out(const std::string& bytes) {
  try {
    const auto learner = alder::restore_learner(alder::Archive::decode(bytes));
    const double x[] = {0.5, -0.25, 1.0};
    for (int t = 0; t < 20; ++t) {
      const auto row = alder::Row::dense(std::span(x).first(1 + t % 3));
      const double before = learner->score(row);
      if (before != before) std::abort();  // not a number
      const double score = learner->learn(row, t % 2 == 0 ? 1.0 : -1.0);
      if (score != score) std::abort();
    }
  } catch (const alder::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  try_out(bytes);
  const std::size_t key = bytes.find(R"("checksum":")");
  if (key == std::string::npos || bytes.size() - key < 12 + 16) return 0;
  try {
    bytes.replace(key + 12, 16, alder::Archive::checksum(bytes));
  } catch (const alder::Error&) {
    return 0;
  }
  try_out(bytes);
  return 0;
}
