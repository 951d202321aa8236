#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alder/dataset.h"
#include "alder/precision.h"
#include "alder/stream.h"

namespace alder {

enum class Format {
  kAuto,    ///< told by the first line that is neither blank nor a comment
  kLibsvm,  ///< `label index:value …`, indices ascending and counted from 1; a row may have no features, and a number
            ///< between its label and them, which is its weight
  kCsv,     ///< one row on each line, all with the same columns: a label and numbers
};

struct InputOptions {
  Format format = Format::kAuto;

  /// CSV: the column of the label, by its name in the header or by number, 1 being the first and −1 the last; "none":
  /// there are no labels. Empty: the one column whose name is label, class, target or y, in small or large letters,
  /// and without such a name the last.
  std::string label_column{};
  /// CSV: the column of the weight, which is no feature, by name or number like that of the label. Empty: there is
  /// none.
  std::string weight_column{};
  /// A file with the weight of every row, one number on each line, in the order of the rows, those that are left out
  /// included. Empty: there is none. A row without any weight has 1; one with two is bad.
  std::string weights_file{};
  /// CSV: what stands between fields; given, a file is not taken for LIBSVM. 0: the one of tab, semicolon and comma
  /// that the first line holds most often.
  char separator = 0;

  /// Names of classes that are known in advance. Targets are class ids: the place of a label among these and, behind
  /// them, in the order in which other labels are met. Labels that are finite numbers are compared as numbers, so that
  /// "+1", "1" and "1.0" are the same class; others as text. An empty name is a place that the next new label takes.
  /// More than kMostClasses classes are an Error.
  std::vector<std::string> classes{};
  /// Whether a label that is none of `classes` makes a bad row.
  bool only_classes = false;
  /// For prediction: a row whose label is missing or none of `classes` is delivered with kNoTarget.
  bool labels_optional = false;
  /// With labels_optional, the number of features of the model, if known: a CSV file with as many columns, none of
  /// which is named as above, has no labels.
  std::size_t features = 0;

  /// Of the learner that takes the rows as they are: a value that it cannot hold makes a bad row.
  Precision precision = Precision::kDouble;
  std::uint64_t skip_bad = 0;      ///< number of lines that are no rows that are left out; one more is an Error
  bool read_ahead = true;          ///< read, decompress and parse on a thread of its own
  std::size_t rows_at_once = 256;  ///< with read_ahead: the most that are delivered together, and 256 bytes for each
};

/// Labelled rows from files. Lines that begin with `#` are comments. The getters speak of what was read, which may be
/// up to a few hundred rows ahead of what was delivered. Destroying it stops the reading at once, also when it waits
/// for a pipe. One thread at a time may use it, but for `interrupt`.
class Input : public Stream {
 public:
  /// As in Stream; a row that arrives slowly on a pipe is delivered when it arrives. After an Error, every later call
  /// throws it again.
  Examples read(std::size_t most) override = 0;

  /// Looks at the next `rows` rows, or as many as there are before the end or an Error, which is left to `next`. They
  /// will still be delivered. Waits for them. Valid until the next peek.
  virtual const Dataset& peek(std::size_t rows) = 0;

  /// The names of the classes by id, each as it was written first: those given, and those met.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;
  /// The number of features so far: the highest index of LIBSVM, the columns but the label's and the weight's of CSV.
  [[nodiscard]] virtual std::size_t features_seen() const = 0;
  /// What messages call a feature: "column 3 'height'" of CSV, "column 3" without a header; "feature 3", counted from
  /// 1, of LIBSVM and as long as nothing was read.
  [[nodiscard]] virtual std::string feature_name(FeatureIndex feature) const = 0;
  /// What messages call the column of the label of CSV if it was guessed: neither given nor the one column of a usual
  /// name. Empty if it was not, and as long as nothing was read.
  [[nodiscard]] virtual std::string guessed_label_column() const = 0;
  /// Lines left out because of skip_bad, and what was wrong with the first 10.
  [[nodiscard]] virtual std::uint64_t bad_rows() const = 0;
  [[nodiscard]] virtual const std::vector<std::string>& bad_messages() const = 0;

  /// How long reading, decompressing and parsing took, without waiting for a pipe or for who takes the rows.
  [[nodiscard]] virtual double read_seconds() const = 0;
  /// How long `next` and `peek` waited for that.
  [[nodiscard]] virtual double wait_seconds() const = 0;
  /// Bytes as they are in the files, compressed or not; the total is empty unless all are regular files.
  [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes_total() const = 0;

  /// Ends the stream: `next` delivers what was read already, at most a few hundred rows, then returns false, also if it
  /// waits for a pipe now. May be called on any thread and in a signal handler.
  virtual void interrupt() noexcept = 0;
};

/// Streams files one after the other as if they were one; "-" is standard input. Each may be compressed with gzip, zstd
/// or xz, told by its first bytes. All have the same format, and CSV files the same columns.
///
/// CSV: the first line is a header if a field outside the label's column is no number. Fields may be in double quotes,
/// in which "" is a quote, but must end on their line. Blank lines are skipped. A field that is empty, no number or not
/// finite makes a bad row: a missing value is not 0. Feature j is the j-th column that is neither the label's nor the
/// weight's, from 0.
///
/// A weight that is no number from 0 to kMostWeight makes a bad row.
///
/// Memory does not depend on the number of rows, but on that of classes. Throws Error at once for options that make no
/// sense and for files that are not there; messages about a line read `FILE:LINE: found; expected`.
std::unique_ptr<Input> open_input(const std::vector<std::string>& paths, const InputOptions& options = {});

/// The order in which classes are shown, as places in `names`: by number or, if one name is no number, by text.
std::vector<std::uint32_t> shown_order(const std::vector<std::string>& names);

/// For those to whom the order of classes matters, which a stream does not know: gives the classes of rows whose
/// targets are places in `names`, as an Input delivers them, the ids of the order in which they are shown. Returns the
/// names in that order, without those behind the largest target. If there is only one class, it becomes 1, and 0 has no
/// name, if it is a number above 0.
std::vector<std::string> sort_classes(Dataset& rows, std::vector<std::string> names);

}  // namespace alder
