// The model reader on any bytes. A wrong checksum would stop nearly every mutation, so it is put right first.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "alder/error.h"
#include "alder/model.h"

#include "archive/archive.h"

namespace {

void expect_finite(const alder::Predictions& made) {
  for (const double score : made.scores) {
    if (!std::isfinite(score)) std::abort();
  }
}

// What is accepted must be a model that makes finite scores, and that can be written and read again.
void try_out(const std::string& bytes) {
  std::optional<alder::Model> model;
  try {
    model = alder::Model::decode(bytes);
  } catch (const alder::Error&) {
    return;
  }
  try {
    const double x[] = {0.5, -0.25, 1.0};
    alder::Predictions made;
    for (int t = 0; t < 20; ++t) {
      const auto row = alder::Row::dense(std::span(x).first(1 + t % 3));
      const double target = t % 2 == 0 ? 1.0 : 0.0;
      model->predict(std::span(&row, 1), made);
      expect_finite(made);
      model->learn({std::span(&row, 1), std::span(&target, 1)}, &made);
      expect_finite(made);
    }
  } catch (const alder::Error&) {  // a row that its kernel cannot take, or a hypothesis, which does not learn
  }
  const std::string written = model->encode();
  try {
    (void)alder::Model::decode(written);
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
