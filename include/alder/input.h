#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alder/dataset.h"
#include "alder/encoding.h"
#include "alder/precision.h"
#include "alder/stream.h"
#include "alder/task.h"

namespace alder {

enum class Format {
  kAuto,    ///< told by the first line that is neither blank nor a comment
  kLibsvm,  ///< `label index:value …`, indices ascending and counted from 0 or 1; a row may have no features, and a
            ///< number between its label and them, which is its weight; `qid:N` before them is left out
  kCsv,     ///< a table: one record on each line, all with the same columns
  kVw,      ///< Vowpal Wabbit's: `label weight 'tag|namespace name:value …`
  kArff,    ///< Weka's: a head that declares the columns, then records
  kJson,    ///< JSON lines: an object on each line, whose keys are columns
};

/// Whether the first line of a table names its columns.
enum class Header { kAuto, kYes, kNo };

/// Where labels come from.
struct LabelColumn {
  std::string name;      ///< empty: the table has no header
  std::size_t place;     ///< from 0
  std::string_view how;  ///< "given"; "name": label, class, target or y; "model": as in the model; "last": a guess
};

/// What the labels of the first rows look like.
struct FirstLabels {
  Task task = Task::kClassification;  ///< what they are taken for
  std::size_t rows = 0;               ///< how many were looked at
  std::size_t different = 0;          ///< how many labels these have
  bool are_numbers = false;           ///< whether all are
  bool are_whole = false;             ///< whether all are whole numbers
};

struct InputOptions {
  Format format = Format::kAuto;

  /// LIBSVM: whether indices count from 0, so that index j is feature j, or from 1, so that it is feature j − 1, in all
  /// files. Empty: from 0 if there is an index 0 in the first rows of the first file: about 1 MB, on a pipe those that
  /// are there already. An index 0 in files that count from 1 makes a bad row. Rows for a model must be read like those
  /// that it learned.
  std::optional<bool> zero_based{};

  /// The column of the label, by its name in the header or by number, 1 being the first and −1 the last; "none":
  /// there are no labels. Empty: the one column whose name is label, class, target or y, in small or large letters,
  /// and without such a name the last.
  std::string label_column{};
  /// The column of the weight, which is no feature, by name or number like that of the label. Empty: there is
  /// none.
  std::string weight_column{};
  /// A file with the weight of every row, one number on each line, in the order of the rows, those that are left out
  /// included. Empty: there is none. A row without any weight has 1; one with two is bad.
  std::string weights_file{};
  /// CSV: what stands between fields; given, a file is not taken for LIBSVM. 0: the one of tab, semicolon, comma and
  /// bar that the first line holds most often; without any of them, spaces.
  char separator = 0;
  Header header = Header::kAuto;
  /// Tables: what columns are, by name or number; what is not given is found out in the first rows.
  std::vector<std::pair<std::string, ColumnKind>> columns{};
  /// Tables: how a model encodes them; other tables are matched with its columns, by name where both have names, else
  /// by number. Empty: it is found out in the first rows.
  std::shared_ptr<const Encoding> encoding{};
  /// Whether values that the encoding has not met stay unknown: for prediction.
  bool is_encoding_fixed = false;
  /// Whether all cells must be numbers: for a model that knows no columns.
  bool numbers_only = false;
  /// Whether `texts` is wanted.
  bool keep_texts = false;

  /// What labels are: classes, or numbers, which are the targets themselves. Empty: numbers if all labels of the first
  /// rows are numbers and there are more than 10 different ones of which some are not whole, or more than 100 different
  /// whole ones; otherwise classes. The first rows are the first 512 records of a table, or those of other text that
  /// are there already, about 1 MB. A target that is no finite number makes a bad row.
  std::optional<Task> task = Task::kClassification;
  /// Names of classes that are known in advance. Targets are class ids: the place of a label among these and, behind
  /// them, in the order in which other labels are met. Labels that are finite numbers are compared as numbers, so that
  /// "+1", "1" and "1.0" are the same class; others as text. An empty name is a place that the next new label takes.
  /// More than kMostClasses classes are an Error.
  std::vector<std::string> classes{};
  /// Whether a label that is none of `classes` makes a bad row.
  bool only_classes = false;
  /// For prediction: a row whose label is missing or none of `classes`, or no finite number, is delivered with
  /// kNoTarget.
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

  /// The text of each of the rows last read, if keep_texts was set and nothing was peeked at, and of the header.
  [[nodiscard]] virtual std::span<const std::string> texts() const = 0;
  [[nodiscard]] virtual const std::string& header_text() const = 0;
  /// What stands between the fields of that text: of CSV its separator, else a tab.
  [[nodiscard]] virtual char separator() const = 0;

  /// How the columns of a table become the features of its rows; null: it is no table, or nothing was read. It grows as
  /// rows are delivered, and knows the values of all of these.
  [[nodiscard]] virtual std::shared_ptr<const Encoding> encoding() const = 0;
  /// What labels are; InputOptions::task or, if that is left open, classes until it was found out.
  [[nodiscard]] virtual Task task() const = 0;
  /// By what it was found out; empty: it was given, or nothing was read.
  [[nodiscard]] virtual const std::optional<FirstLabels>& first_labels() const = 0;
  /// Where the labels of a table come from; empty: it has none, or nothing was read.
  [[nodiscard]] virtual std::optional<LabelColumn> label_column() const = 0;
  /// Whether the indices of LIBSVM text count from 0. Empty: it is no LIBSVM text, or nothing was read.
  [[nodiscard]] virtual std::optional<bool> zero_based() const = 0;
  /// What was found that is right but may surprise, each told once: text that is no UTF-8, columns that are not used.
  [[nodiscard]] virtual const std::vector<std::string>& notes() const = 0;

  /// The names of the classes by id, each as it was written first: those given, and those met.
  [[nodiscard]] virtual const std::vector<std::string>& classes() const = 0;
  /// The number of features so far: the highest index of LIBSVM; of a table those of its numbers, booleans and times.
  [[nodiscard]] virtual std::size_t features_seen() const = 0;
  /// What messages call a feature: as Encoding::feature_name of a table; "feature 3", counted as it counts, of LIBSVM
  /// and from 1 as long as nothing was read.
  [[nodiscard]] virtual std::string feature_name(FeatureIndex feature) const = 0;
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

/// Streams files one after the other as if they were one; "-" is standard input. Each may be compressed with gzip,
/// zstd, xz or bzip2, told by its first bytes. All have the same format, and CSV files the same columns.
///
/// Tables: CSV, ARFF and JSON lines. In the first 512 records (or 1 MiB) it is found out which columns are numbers,
/// categories, times and so on, unless that is given; they are waited for on a pipe. Cells may be missing. A word among
/// numbers is a value of its own. Columns that differ in nearly every row or count the rows are ignored.
///
/// CSV: the first line is a header if it has words where numbers follow or, in a table of words, such that do not come
/// again. Fields may be in double quotes, in which "" is a quote, and then hold line ends. Blank lines are skipped.
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
