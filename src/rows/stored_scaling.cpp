#include "rows/stored_scaling.h"

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {

void save_scaling(Archive& archive, const std::string& part, const Scaling& scaling) {
  archive.set(part.c_str(), "scaling", std::string(scaling.name()));
  archive.put(part + ".scaling.features", scaling.features());
  archive.put(part + ".scaling.offsets", scaling.offsets());
  archive.put(part + ".scaling.divisors", scaling.divisors());
}

Scaling load_scaling(const Archive& archive, const std::string& part) {
  const auto name = archive.setting<std::string>(part.c_str(), "scaling");
  auto features = archive.get<FeatureIndex>(part + ".scaling.features");
  auto offsets = archive.get<double>(part + ".scaling.offsets");
  auto divisors = archive.get<double>(part + ".scaling.divisors");
  try {
    return {Scaling::kind_named(name), std::move(features), std::move(offsets), std::move(divisors)};
  } catch (const Error& error) {
    throw_bad_archive(error.what());
  }
}

std::size_t bytes(const Scaling& scaling) {
  return scaling.features().capacity() * sizeof(FeatureIndex) +
         (scaling.offsets().capacity() + scaling.divisors().capacity()) * sizeof(double);
}

}  // namespace alder
