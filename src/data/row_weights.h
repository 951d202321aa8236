#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/input_file.h"
#include "io/lines.h"

namespace alder {

/// The weights of rows in a file of their own, one number on each line; blank lines and comments are left out.
class RowWeights {
 public:
  /// Throws Error for a file that is not there. Waits for nothing: it is opened when the first row comes.
  explicit RowWeights(const std::string& path);

  /// That of the next row, which stands at `where`. Throws BadRow for a line that is no weight, and Error if there is
  /// none left.
  double next(const std::string& where);
  /// The rows have ended. Throws Error if there are more weights.
  void expect_end();

  /// As in ReadControl: for any thread.
  void interrupt() noexcept { control_.interrupt(); }

 private:
  Lines& lines();

  std::string path_;
  ReadControl control_;
  std::optional<Lines> lines_;
  std::uint64_t rows_ = 0;
};

}  // namespace alder
