#include "data/row_feed.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "base/text.h"
#include "data/csv.h"
#include "data/format.h"
#include "data/libsvm.h"

namespace alder {
namespace {

constexpr std::size_t kBytesOfRow = 256;
constexpr std::size_t kMessages = 10;

const char* format_name(Format format) {
  return format == Format::kCsv ? "CSV" : "LIBSVM";
}

}  // namespace

RowFeed::RowFeed(std::vector<Part> parts, const InputOptions& options)
    : options_(options),
      parts_(std::move(parts)),
      layout_(
          {options.label_column, options.separator, options.labels_optional, options.features, options.weight_column}),
      labels_(options),
      format_(options.format) {
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
        reader_.reset();
        continue;
      }
      batch_->rows.append({raw.row, labels_.map(raw.label, *reader_), raw.weight.value_or(1.0)});
      return;
    } catch (const BadRow& bad) {
      skip_bad_row(bad);
    }
  }
  if (weights_) weights_->expect_end();
  batch_->is_last = true;
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
    const Format format = tell_format(lines, line);
    if (format == Format::kLibsvm && !options_.weight_column.empty()) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("{}: LIBSVM text, which has no columns; expected CSV with weights in column {}",
                              lines.where(), options_.weight_column));
    }
    lines.put_back();
    reader_ = format == Format::kCsv ? read_csv(std::move(lines), layout_) : read_libsvm(std::move(lines));
    if (options_.precision == Precision::kFloat) reader_->expect_floats();
    return true;
  }
  return false;
}

Format RowFeed::tell_format(Lines& lines, std::string_view line) {
  if (format_ != Format::kAuto && format_file_.empty()) return format_;
  const Format found = format_of(line);
  if (format_ == Format::kAuto) {
    if (found == Format::kAuto) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("{}: {} is neither LIBSVM nor CSV; expected 'label index:value ...', or fields with tab, "
                              "semicolon or comma between them",
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
  batch.is_last = false;
  batch.failure = nullptr;
  batch_ = &batch;
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
  std::swap(batch_->bad_messages, new_messages_);
  for (const std::uint32_t id : labels_.take_new()) batch_->new_classes.emplace_back(id, labels_.names()[id]);
  if (told_csv_ == nullptr && layout_.is_known()) told_csv_ = std::make_shared<const CsvLayout>(layout_);
  batch_->csv = told_csv_;
}

void RowFeed::hand_over() {
  if (!on_wait || batch_ == nullptr || batch_->rows.size() == 0) return;
  stamp();
  batch_ = nullptr;
  begin(on_wait());
}

}  // namespace alder
