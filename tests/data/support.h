#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "alder/error.h"
#include "alder/stream.h"

#include "base/text.h"
#include "data/row_reader.h"
#include "io/bytes.h"

namespace alder::test {

/// A folder of its own for every test, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "alder-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + pattern);
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

/// Text in memory, delivered in pieces of at most `piece` bytes, as a pipe may do.
class PiecewiseBytes final : public ByteSource {
 public:
  explicit PiecewiseBytes(std::string text, std::size_t piece = 1) : text_(std::move(text)), piece_(piece) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min({buffer.size(), piece_, text_.size() - at_});
    std::copy_n(text_.data() + at_, count, buffer.data());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

inline std::string read_all(ByteSource& source, std::size_t buffer_size = 4096) {
  std::string all;
  std::vector<char> buffer(buffer_size);
  while (const std::size_t count = source.read(buffer)) all.append(buffer.data(), count);
  return all;
}

/// An example that owns its row.
struct OwnedExample {
  std::vector<FeatureIndex> indices;
  std::vector<double> values;
  double target = kNoTarget;

  bool operator==(const OwnedExample& other) const {
    return indices == other.indices && values == other.values &&
           (target == other.target || (std::isnan(target) && std::isnan(other.target)));
  }
};

inline OwnedExample owned(const Example& example) {
  OwnedExample copy;
  copy.target = example.target;
  for (std::size_t j = 0; j < example.row.size(); ++j) {
    copy.indices.push_back(example.row.feature(j));
    copy.values.push_back(example.row.value(j));
  }
  return copy;
}

/// A stream of examples made by a test.
class OwnedStream final : public Stream {
 public:
  explicit OwnedStream(std::vector<OwnedExample> examples) : examples_(std::move(examples)) {
    for (const OwnedExample& example : examples_) {
      rows_.push_back(Row::sparse(example.indices, example.values));
      targets_.push_back(example.target);
    }
  }
  Examples read(std::size_t most) override {
    const std::size_t first = at_;
    const std::size_t count = std::min(most, rows_.size() - first);
    at_ += count;
    return Examples{rows_, targets_}.from(first, count);
  }

 private:
  std::vector<OwnedExample> examples_;
  std::vector<Row> rows_;
  std::vector<double> targets_;
  std::size_t at_ = 0;
};

inline std::vector<OwnedExample> collect(Stream& stream) {
  std::vector<OwnedExample> examples;
  Example example;
  while (stream.next(example)) examples.push_back(owned(example));
  return examples;
}

/// The rows of a reader, whose labels must be numbers: those are the targets here, as they are written.
inline std::vector<OwnedExample> collect(RowReader& reader) {
  std::vector<OwnedExample> examples;
  RawRow raw;
  while (reader.next(raw)) {
    examples.push_back(owned({raw.row, raw.label.empty() ? kNoTarget : parse_number(raw.label).value()}));
  }
  return examples;
}

/// The message of the Error that `action` throws; anything else fails the test that compares it.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace alder::test
