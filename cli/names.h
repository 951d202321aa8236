#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "alder/model.h"

namespace alder::cli {

/// The classes that figures are of.
struct ClassNames {
  std::vector<std::string> names;    // by id; empty: not met yet
  std::vector<std::uint32_t> shown;  // ids in the order in which they are shown
  std::uint32_t positive = 1;        // of two

  [[nodiscard]] std::size_t size() const { return names.size(); }
};
ClassNames class_names(const Model& model);

/// A name as it is printed: on one line, without control characters, and of at most `most` letters, the last of which
/// says that there would be more.
std::string shown_name(const std::string& name, std::size_t most = 40);

/// A number as it is printed for people: with that many digits, and whole if it has more before its point.
std::string shown_number(double number, int digits = 4);

/// The first few, in the order in which they are shown, and how many more there are.
std::string first_names(const ClassNames& classes);
/// Which classes there are: both of two, or how many and the first ones.
std::string in_words(const ClassNames& classes);

}  // namespace alder::cli
