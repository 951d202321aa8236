#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alder/dataset.h"
#include "alder/input.h"

#include "data/labels.h"
#include "data/row_reader.h"
#include "data/row_weights.h"
#include "data/table_layout.h"
#include "io/bytes.h"
#include "io/input_file.h"

namespace alder {

/// One of the texts that make up a stream, opened when its turn comes.
struct Part {
  std::string name;  ///< for messages
  std::function<std::unique_ptr<ByteSource>(ReadControl& control)> open;
};

/// What is known of a table once its first rows were looked at.
struct TableInfo {
  Encoding encoding;  ///< before the first row
  std::optional<LabelColumn> label;
  std::string header_text;
  char separator;
};

/// Rows on their way from the reader to who asks for them, and the state of the reading behind the last of them.
struct RowBatch {
  Dataset rows;
  std::size_t features = 0;
  std::uint64_t bytes_read = 0;
  double read_seconds = 0.0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> bad_messages;                           ///< those that are new
  std::vector<std::pair<std::uint32_t, std::string>> new_classes;  ///< ids and names of those that are new
  std::shared_ptr<const TableInfo> table;                          ///< of tables; null before the first was opened
  std::vector<Encoding::Value> new_values;                         ///< of its encoding, those that are new
  std::vector<std::string> texts;                                  ///< of the rows, if they are wanted
  std::optional<bool> zero_based;                                  ///< of LIBSVM text
  std::vector<std::string> notes;                                  ///< as Input::notes, those that are new
  std::optional<Task> task;                                        ///< of the labels; empty: it is not found out yet
  std::optional<FirstLabels> first_labels;                         ///< by which it was found out
  bool is_last = false;
  std::exception_ptr failure;  ///< what ended the reading behind the last row, if it was not the end
};

/// Reads parts one after the other into batches: opens them, tells their format, maps labels, leaves out bad rows.
class RowFeed {
 public:
  /// Throws Error for options that make no sense.
  RowFeed(std::vector<Part> parts, const InputOptions& options);

  /// Replaces what is in the batch by the next rows: at least one, and not many more than `rows`, or than 256 bytes for
  /// each of these. Never throws but for what on_wait throws.
  void fill(RowBatch& batch, std::size_t rows);

  /// If set, called when the rows that fill has got so far need not wait for the next ones, which are not there yet.
  /// Takes the batch and returns the one to go on with.
  std::function<RowBatch&()> on_wait;

  /// As in ReadControl: for any thread.
  void interrupt() noexcept {
    control_.interrupt();
    if (weights_) weights_->interrupt();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void append_row();
  double target(std::string_view label);
  double number(std::string_view label) const;
  void find_task();
  bool read_row(RawRow& raw);
  void keep_text(std::string_view text);
  bool open_next();
  Format tell_format(Lines& lines, std::string_view line);
  std::unique_ptr<RowReader> make_reader(Format format, Lines lines);
  void skip_bad_row(const BadRow& bad);
  void begin(RowBatch& batch);
  void keep_table();
  void stamp();
  void hand_over();

  InputOptions options_;
  std::vector<Part> parts_;
  std::size_t next_part_ = 0;
  ReadControl control_;
  TableLayout layout_;
  Labels labels_;
  std::optional<Task> task_;  // of the labels
  std::optional<FirstLabels> first_labels_;
  std::optional<RowWeights> weights_;  // of all parts
  Format format_;
  std::string format_file_;  // by which the format was told
  std::unique_ptr<RowReader> reader_;
  RowBatch* batch_ = nullptr;  // being filled; null while no batch is writable

  std::size_t features_ = 0;  // of the parts before this one
  std::uint64_t bad_rows_ = 0;
  std::vector<std::string> new_messages_;
  std::optional<std::string> header_;  // of the first file, if texts are kept
  std::shared_ptr<const TableInfo> table_;
  std::size_t told_values_ = 0;
  bool is_noted_ = false;
  Clock::time_point since_;      // what was done before is in the next two
  double seconds_busy_ = 0.0;    // as read_seconds
  double seconds_waited_ = 0.0;  // as control_ counts them
};

}  // namespace alder
