#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

/// Where tests find files: those in the repository, and the real data sets and traces that live beside it.
namespace alder::testing {

inline std::string golden_file(const std::string& name) {
  return (std::filesystem::path(ALDER_SOURCE_DIR) / "tests" / "golden" / name).string();
}

/// A file of the folder `shared` beside the repository, or of the one that ALDER_SHARED names. Empty if it is absent;
/// the test then skips and says so.
inline std::string shared_file(const std::string& name) {
  const char* folder = std::getenv("ALDER_SHARED");
  const std::filesystem::path path =
      (folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(ALDER_SOURCE_DIR) / ".." / "shared") /
      name;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

}  // namespace alder::testing

/// Skips the running test, saying what is missing, if `path` (from shared_file) is empty.
#define ALDER_NEEDS_SHARED(path, name) \
  if ((path).empty()) GTEST_SKIP() << (name) << " is not there; it belongs into ../shared or $ALDER_SHARED"
