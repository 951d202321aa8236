#include <array>
#include <filesystem>

#include <fmt/format.h>
#include <lzma.h>

#include "alder/error.h"
#include "alder/input.h"
#include "alder/scaling.h"

#include "experiments/suite.h"

namespace alder {
namespace {

template <class Value>
std::uint64_t add_to_checksum(const Value& value, std::uint64_t sum) {
  return lzma_crc64(reinterpret_cast<const std::uint8_t*>(&value), sizeof(value), sum);
}

}  // namespace

std::optional<std::string> find_file(const DataSpec& data, const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder) / data.file;
  for (const char* const format : {"", ".libsvm", ".txt", ".svm", ".csv"}) {
    for (const char* const compression : {"", ".xz", ".gz", ".zst", ".bz2"}) {
      const std::string candidate = path.string() + format + compression;
      std::error_code ignored;
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    }
  }
  return std::nullopt;
}

std::vector<DataSpec> missing_data(const Suite& suite, const std::string& folder) {
  std::vector<DataSpec> missing;
  for (const DataSpec& data : suite.data) {
    if (!data.file.empty() && !find_file(data, folder)) missing.push_back(data);
  }
  return missing;
}

Dataset load_data(const DataSpec& data, const std::string& path, std::uint64_t seed) {
  Dataset rows;
  if (data.file.empty()) {
    rows = Dataset::read(*make_generated(data.generate, data.rows, seed));
  } else {
    InputOptions options;
    options.task.reset();
    const auto input = open_input({path}, options);
    input->peek(1);
    if (input->task() == Task::kRegression) {
      throw Error(Error::Kind::kUnsupported,
                  fmt::format("{}: the labels are numbers, {} different ones in the first {} rows; expected classes: a "
                              "bench compares learners of classes",
                              path, input->first_labels()->different, input->first_labels()->rows));
    }
    rows = Dataset::read(*input);
    sort_classes(rows, input->classes());
    if (rows.size() == 0)
      throw Error(Error::Kind::kFormat, fmt::format("{}: no rows in it; expected at least one", path));
  }
  if (data.scale != "none") rows.scale(Scaling::fit(Scaling::kind_named(data.scale), rows));
  return rows;
}

std::string checksum(const Dataset& data) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Example example = data[i];
    // Of two classes the labels as they are in a learner's equations; of more the class itself.
    sum = add_to_checksum(example.target < 2.0 ? sign_of(example.target) : example.target, sum);
    sum = add_to_checksum(example.row.size(), sum);
    for (std::size_t j = 0; j < example.row.size(); ++j) {
      sum = add_to_checksum(example.row.feature(j), sum);
      sum = add_to_checksum(example.row.value(j), sum);
    }
  }
  return fmt::format("{:016x}", sum);
}

}  // namespace alder
