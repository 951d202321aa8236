#include "data/row_feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"
#include "data/arff.h"
#include "data/cell.h"
#include "data/csv.h"
#include "data/format.h"
#include "data/json_lines.h"
#include "data/label_finder.h"
#include "data/libsvm.h"
#include "data/text_lines.h"
#include "data/vw.h"

namespace alder {
namespace {

constexpr std::size_t kBytesOfRow = 256;
constexpr std::size_t kMessages = 10;

const char* format_name(Format format) {
  switch (format) {
    case Format::kCsv:
      return "CSV";
    case Format::kVw:
      return "Vowpal Wabbit's format";
    case Format::kArff:
      return "ARFF";
    case Format::kJson:
      return "JSON lines";
    default:
      return "LIBSVM";
  }
}

// What tells ARFF, instead of the comments before it.
constexpr std::string_view kArffKeyword = "@relation";

// Whether the first line that is no comment of ARFF is one of its keywords. Takes the line last taken again.
bool begins_as_arff(Lines& lines) {
  constexpr std::size_t kBytes = std::size_t{1} << 20U;
  lines.put_back();
  auto [text, is_whole] = lines.ahead(kBytes, kBytes);
  bool is_arff = false;
  std::string_view line;
  while (take_line(text, line, is_whole)) {
    line = trimmed(line);
    if (line.empty() || line.starts_with('%') || line.starts_with('#')) continue;
    is_arff = format_of(line) == Format::kArff;
    break;
  }
  lines.next_filled(line);
  return is_arff;
}

// Whether features are the columns, so that their numbers name them.
bool is_plain(const Encoding& encoding) {
  return encoding.values().empty() &&
         std::all_of(encoding.columns().begin(), encoding.columns().end(),
                     [](const Column& column) { return column.kind == ColumnKind::kNumber && column.offset == 0.0; });
}

}  // namespace

RowFeed::RowFeed(std::vector<Part> parts, const InputOptions& options)
    : options_(options),
      parts_(std::move(parts)),
      layout_(options),
      labels_(options),
      task_(options.task),
      format_(options.format) {
  if (!options.classes.empty()) {
    if (task_ == Task::kRegression) throw Error("there are names of classes, but labels are numbers; expected none");
    task_ = Task::kClassification;
  }
  if (!options.weights_file.empty()) {
    if (!options.weight_column.empty())
      throw Error("weights are given by a column and by a file; expected one of both");
    if (options.weights_file == "-") throw Error("the file of weights is -; expected one that is no standard input");
    weights_.emplace(options.weights_file);
  }
  if (format_ == Format::kAuto && options.separator != 0) format_ = Format::kCsv;
  control_.before_wait = [this] { hand_over(); };
}

void RowFeed::fill(RowBatch& batch, std::size_t rows) {
  since_ = Clock::now();
  seconds_waited_ = control_.seconds_waited;
  begin(batch);
  const auto has_room = [&] { return batch_->rows.size() < rows && batch_->rows.bytes() < kBytesOfRow * rows; };
  try {
    if (control_.interrupted()) throw Interrupted();
    do {
      append_row();
    } while (!batch_->is_last && has_room());
  } catch (const Interrupted&) {
    if (batch_ == nullptr) throw;
    batch_->is_last = true;
  } catch (...) {
    if (batch_ == nullptr) throw;
    batch_->is_last = true;
    batch_->failure = std::current_exception();
  }
  stamp();
  batch_ = nullptr;
}

// Adds one row to the batch, or finds that there are no more.
void RowFeed::append_row() {
  RawRow raw;
  while (reader_ != nullptr || open_next()) {
    try {
      if (!read_row(raw)) {
        features_ = std::max(features_, reader_->features());
        keep_table();  // a short file ends before anything was delivered
        reader_.reset();
        continue;
      }
      const Example example = {raw.row, target(raw.label), raw.weight.value_or(1.0)};
      if (options_.keep_texts) keep_text(raw.text);
      batch_->rows.append(example);
      return;
    } catch (const BadRow& bad) {
      skip_bad_row(bad);
    }
  }
  if (weights_) weights_->expect_end();
  batch_->is_last = true;
}

// The target that the label of the row just read is.
double RowFeed::target(std::string_view label) {
  if (!task_) find_task();
  return *task_ == Task::kRegression ? number(label) : labels_.map(label, *reader_);
}

double RowFeed::number(std::string_view label) const {
  const bool is_there = !is_missing(label);
  const std::optional<double> found = is_there ? reader_->label_number(label) : std::nullopt;
  if (found && std::isfinite(*found)) return *found;
  if (options_.labels_optional) return kNoTarget;
  throw BadRow(Error::Kind::kTarget,
               fmt::format("{}: {}; expected a finite number", reader_->where(),
                           is_there ? fmt::format("label {}", in_quotes(label)) : std::string("no label")));
}

// By the first rows of the first file. Those of a table are known once its first row was read.
void RowFeed::find_task() {
  if (!first_labels_) first_labels_ = layout_.first_labels();
  task_ = first_labels_ ? first_labels_->task : Task::kClassification;
}

void RowFeed::keep_text(std::string_view text) {
  if (!header_) header_ = reader_->header_text();
  if (*header_ != reader_->header_text()) {
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: another header than the first file's; expected the same columns in the same order, "
                            "since rows are wanted as they are",
                            reader_->where()));
  }
  batch_->texts.emplace_back(text);
}

// The next row of this part, with its weight. A bad row has one too.
bool RowFeed::read_row(RawRow& raw) {
  if (!weights_) return reader_->next(raw);
  try {
    if (!reader_->next(raw)) return false;
  } catch (const BadRow&) {
    weights_->next(reader_->where());
    throw;
  }
  const double weight = weights_->next(reader_->where());
  if (raw.weight) {
    throw BadRow(fmt::format("{}: a weight, {}; expected none beside those of {}", reader_->where(), *raw.weight,
                             options_.weights_file));
  }
  raw.weight = weight;
  return true;
}

bool RowFeed::open_next() {
  while (next_part_ < parts_.size()) {
    const Part& part = parts_[next_part_++];
    Lines lines(part.open(control_), part.name);
    std::string_view line;
    if (!lines.next_filled(line)) continue;
    if (trimmed(line).starts_with('%') && begins_as_arff(lines)) line = kArffKeyword;
    const Format format = tell_format(lines, line);
    if ((format == Format::kLibsvm || format == Format::kVw) &&
        (!options_.columns.empty() || (!options_.label_column.empty() && options_.label_column != "none"))) {
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}: {} has no columns; expected a table with column {}", lines.where(), format_name(format),
                      in_quotes(options_.columns.empty() ? options_.label_column : options_.columns[0].first)));
    }
    if ((format == Format::kLibsvm || format == Format::kVw) && !options_.weight_column.empty()) {
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}: {} text, which has no columns; expected CSV with weights in column {}", lines.where(),
                      format == Format::kVw ? "Vowpal Wabbit" : "LIBSVM", options_.weight_column));
    }
    if (format == Format::kLibsvm && options_.encoding != nullptr && !is_plain(*options_.encoding)) {
      throw Error(Error::Kind::kFormat, fmt::format("{}: LIBSVM text, which has no columns; expected a table with the "
                                                    "columns that the model knows",
                                                    lines.where()));
    }
    lines.put_back();
    if (!task_ && (format == Format::kLibsvm || format == Format::kVw)) {
      first_labels_ = look_at_labels(lines.look_ahead(), format);
    }
    reader_ = make_reader(format, std::move(lines));
    if (options_.precision == Precision::kFloat) reader_->expect_floats();
    return true;
  }
  return false;
}

std::unique_ptr<RowReader> RowFeed::make_reader(Format format, Lines lines) {
  switch (format) {
    case Format::kCsv:
      return read_csv(std::move(lines), layout_, {options_.separator, options_.header});
    case Format::kVw:
      return read_vw(std::move(lines), layout_);
    case Format::kArff:
      return read_arff(std::move(lines), layout_);
    case Format::kJson:
      return read_json_lines(std::move(lines), layout_);
    default:
      return read_libsvm(std::move(lines), options_.zero_based);
  }
}

Format RowFeed::tell_format(Lines& lines, std::string_view line) {
  if (format_ != Format::kAuto && format_file_.empty()) return format_;
  Format found = format_of(line);
  // One column, of a model that knows columns: there is no separator, but there are no indices either.
  if (found == Format::kLibsvm && options_.encoding != nullptr && line.find(':') == std::string_view::npos &&
      (!is_plain(*options_.encoding) || options_.encoding->find(trimmed(line)))) {
    found = Format::kCsv;
  }
  if (format_ == Format::kAuto) {
    if (found == Format::kAuto) {
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}: {} is in no format that is known; expected fields with tab, semicolon or comma between "
                      "them (CSV), 'label index:value ...' (LIBSVM), 'label | name:value ...' (VW), a JSON object "
                      "on each line, or ARFF",
                      lines.where(), in_quotes(line)));
    }
    format_ = found;
    format_file_ = lines.name();
  } else if (found != Format::kAuto && found != format_) {
    throw Error(Error::Kind::kFormat, fmt::format("{}: this looks like {}; expected {} as in {}", lines.where(),
                                                  format_name(found), format_name(format_), format_file_));
  }
  return format_;
}

void RowFeed::skip_bad_row(const BadRow& bad) {
  if (bad_rows_ == options_.skip_bad) throw Error(bad);
  if (bad_rows_ < kMessages) new_messages_.emplace_back(bad.what());
  ++bad_rows_;
}

void RowFeed::begin(RowBatch& batch) {
  batch.rows.clear();
  batch.bad_messages.clear();
  batch.new_classes.clear();
  batch.new_values.clear();
  batch.texts.clear();
  batch.notes.clear();
  batch.is_last = false;
  batch.failure = nullptr;
  batch_ = &batch;
}

// What is told of the first table, without values that rows have yet to bring.
void RowFeed::keep_table() {
  if (table_ != nullptr || !layout_.is_known() || reader_ == nullptr) return;
  const std::size_t given = options_.encoding != nullptr ? options_.encoding->features() : 0;
  table_ = std::make_shared<const TableInfo>(
      TableInfo{layout_.encoding().first(given), layout_.label(), reader_->header_text(), reader_->separator()});
  told_values_ = table_->encoding.values().size();
}

// Writes into the batch how things stand.
void RowFeed::stamp() {
  const Clock::time_point now = Clock::now();
  const double waited = control_.seconds_waited - seconds_waited_;
  seconds_busy_ += std::max(0.0, std::chrono::duration<double>(now - since_).count() - waited);
  since_ = now;
  seconds_waited_ = control_.seconds_waited;

  batch_->features = reader_ == nullptr ? features_ : std::max(features_, reader_->features());
  batch_->bytes_read = control_.bytes_read;
  batch_->read_seconds = seconds_busy_;
  batch_->bad_rows = bad_rows_;
  if (format_ == Format::kLibsvm) batch_->zero_based = options_.zero_based;
  batch_->task = task_;
  batch_->first_labels = first_labels_;
  std::swap(batch_->bad_messages, new_messages_);
  if (reader_ != nullptr && !reader_->note().empty() && !is_noted_) {
    batch_->notes.push_back(reader_->note());
    is_noted_ = true;
  }
  for (const std::uint32_t id : labels_.take_new()) batch_->new_classes.emplace_back(id, labels_.names()[id]);
  keep_table();
  batch_->table = table_;
  if (table_ == nullptr) return;
  const std::vector<Encoding::Value>& values = layout_.encoding().values();
  for (; told_values_ < values.size(); ++told_values_) batch_->new_values.push_back(values[told_values_]);
}

void RowFeed::hand_over() {
  if (!on_wait || batch_ == nullptr || batch_->rows.size() == 0) return;
  stamp();
  batch_ = nullptr;
  begin(on_wait());
}

}  // namespace alder
