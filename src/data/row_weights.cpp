#include "data/row_weights.h"

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"
#include "data/row_reader.h"

namespace alder {

RowWeights::RowWeights(const std::string& path) : path_(path) {
  (void)file_size(path);
}

Lines& RowWeights::lines() {
  if (!lines_) lines_.emplace(open_bytes(path_, &control_), display_name(path_));
  return *lines_;
}

double RowWeights::next(const std::string& where) {
  std::string_view line;
  if (!lines().next_filled(line)) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {} weights; expected one for every row, also for that of {}", path_, rows_, where));
  }
  ++rows_;
  const std::optional<double> weight = parse_weight(trimmed(line));
  if (!weight) {
    throw BadRow(
        fmt::format("{}: {}, of the row of {}; {}", lines().where(), in_quotes(trimmed(line)), where, kExpectedWeight));
  }
  return *weight;
}

void RowWeights::expect_end() {
  std::string_view line;
  if (!lines().next_filled(line)) return;
  throw Error(Error::Kind::kFormat,
              fmt::format("{}: more weights than rows; expected {}, one for every row", lines().where(), rows_));
}

}  // namespace alder
