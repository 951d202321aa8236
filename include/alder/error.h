#pragma once

#include <stdexcept>

namespace alder {

/// What the library throws for bad input: options, rows, labels and files. The message says what was expected,
/// where, and what to do. An object that threw is unchanged by the rejected call.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace alder
