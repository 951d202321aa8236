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

constexpr std::size_t kBatchBytes = std::size_t{1} << 16;
// What is held back to meet a second label.
constexpr std::size_t kHeldRows = std::size_t{1} << 16;
constexpr std::size_t kHeldBytes = std::size_t{1} << 24;
constexpr std::size_t kMessages = 10;

const char* format_name(Format format) {
  return format == Format::kCsv ? "CSV" : "LIBSVM";
}

}  // namespace

RowFeed::RowFeed(std::vector<Part> parts, const InputOptions& options)
    : options_(options),
      parts_(std::move(parts)),
      layout_({options.label_column, options.separator, options.labels_optional, options.features}),
      labels_(options.classes, options.labels_optional),
      format_(options.format) {
  if (format_ == Format::kAuto && options.separator != 0) format_ = Format::kCsv;
  control_.before_wait = [this] { hand_over(); };
}

void RowFeed::fill(RowBatch& batch, std::size_t rows) {
  since_ = Clock::now();
  seconds_waited_ = control_.seconds_waited;
  begin(batch);
  const auto has_room = [&] { return batch_->rows.size() < rows && batch_->rows.bytes() < kBatchBytes; };
  try {
    if (control_.interrupted()) throw Interrupted();
    do {
      append_row();
    } while (!batch_->is_last && (!labels_.decided() || has_room()));
  } catch (const Interrupted&) {
    if (batch_ == nullptr) throw;
    batch_->is_last = true;
  } catch (...) {
    if (batch_ == nullptr) throw;
    batch_->is_last = true;
    batch_->failure = std::current_exception();
  }
  if (batch_->is_last) decide_labels();
  stamp();
  batch_ = nullptr;
}

// Adds one row to the batch, or finds that there are no more.
void RowFeed::append_row() {
  RawRow raw;
  while (reader_ != nullptr || open_next()) {
    try {
      if (!reader_->next(raw)) {
        features_ = std::max(features_, reader_->features());
        reader_.reset();
        continue;
      }
      const bool was_decided = labels_.decided();
      const double target = labels_.map(raw.label, *reader_);
      if (!was_decided && labels_.decided()) relabel();
      batch_->rows.append({raw.row, target});
      ++rows_;
      if (!was_decided && (rows_ >= kHeldRows || batch_->rows.bytes() >= kHeldBytes)) decide_labels();
      return;
    } catch (const BadRow& bad) {
      skip_bad_row(bad);
    }
  }
  batch_->is_last = true;
}

void RowFeed::decide_labels() {
  if (labels_.decided()) return;
  labels_.assume(rows_);
  relabel();
}

// All rows of the batch were mapped to class 1 before it was known what their common label means.
void RowFeed::relabel() {
  const double target = labels_.first();
  for (std::size_t i = 0; i < batch_->rows.size(); ++i) batch_->rows.set_target(i, target);
}

bool RowFeed::open_next() {
  while (next_part_ < parts_.size()) {
    const Part& part = parts_[next_part_++];
    Lines lines(part.open(control_), part.name);
    std::string_view line;
    if (!lines.next_filled(line)) continue;
    const Format format = tell_format(lines, line);
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
  batch.classes.reset();
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
  std::optional<Classes> classes = labels_.classes();
  if (classes != told_classes_) {
    told_classes_ = classes;
    batch_->classes = std::move(classes);
  }
  if (told_csv_ == nullptr && layout_.is_known()) told_csv_ = std::make_shared<const CsvLayout>(layout_);
  batch_->csv = told_csv_;
}

void RowFeed::hand_over() {
  if (!on_wait || batch_ == nullptr || !labels_.decided() || batch_->rows.size() == 0) return;
  stamp();
  batch_ = nullptr;
  begin(on_wait());
}

}  // namespace alder
