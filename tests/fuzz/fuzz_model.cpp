// The model reader on any bytes. A wrong checksum would stop nearly every mutation, so it is put right first.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "alder/error.h"
#include "alder/learner.h"

#include "archive/archive.h"
#include "learners/core/registry.h"

namespace {

void expect_finite(double score) {
  if (!std::isfinite(score)) std::abort();
}

// What is accepted must be a learner that makes finite scores, and whose model can be read again.
void try_out(const std::string& bytes) {
  std::unique_ptr<alder::Learner> learner;
  try {
    learner = alder::restore_learner(alder::Archive::decode(bytes));
  } catch (const alder::Error&) {
    return;
  }
  try {
    const double x[] = {0.5, -0.25, 1.0};
    for (int t = 0; t < 20; ++t) {
      const auto row = alder::Row::dense(std::span(x).first(1 + t % 3));
      expect_finite(learner->score(row));
      expect_finite(learner->learn(row, t % 2 == 0 ? 1.0 : -1.0));
    }
  } catch (const alder::Error&) {  // a row that its kernel cannot take, or a hypothesis, which does not learn
  }
  alder::Archive archive;
  learner->save(archive);
  try {
    (void)alder::restore_learner(alder::Archive::decode(archive.encode()));
  } catch (const alder::Error&) {
    std::abort();
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
