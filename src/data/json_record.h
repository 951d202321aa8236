#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace alder {

/// What is wrong with a text that should be a JSON object: "found; expected".
class JsonFault : public std::runtime_error {
 public:
  JsonFault(const std::string& what_is_found, const std::string& what_is_expected)
      : std::runtime_error(what_is_found), expected(what_is_expected) {}
  std::string expected;
};

/// Takes JSON objects apart into cells.
class JsonRecord {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 24U;  ///< bytes
  static constexpr std::size_t kDeepest = 64;                     ///< objects and arrays within each other
  static constexpr std::size_t kLongestName = 1000;               ///< bytes, with the names around it
  static constexpr std::size_t kMostElements = 4096;              ///< of an array of numbers; further ones are left out

  /// A cell: its name, and its text; empty: null. Both are valid until the next record is read, but a name only during
  /// the call.
  using Take = std::function<void(std::string_view name, std::optional<std::string_view> text)>;

  JsonRecord();
  JsonRecord(const JsonRecord&) = delete;
  JsonRecord& operator=(const JsonRecord&) = delete;
  ~JsonRecord();

  /// Gives the cells of an object in the order in which they are written. Numbers are given as written, booleans as
  /// "true" and "false". What is in an object within it has the names of both with a dot between them; the numbers (and
  /// nulls) of an array are cells named by their places, from 0; any other array is one cell, its JSON text. A key that
  /// is empty is named "". Throws JsonFault, maybe after some cells, for anything else than one object.
  void read(std::string_view text, const Take& take);

 private:
  struct Parts;  // of the JSON library, which is not included here
  std::unique_ptr<Parts> parts_;
};

}  // namespace alder
