#include "data/input.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "alder/error.h"

#include "data/read_ahead.h"
#include "io/input_file.h"

namespace alder {
namespace {

class PartsInput final : public Input {
 public:
  PartsInput(std::vector<Part> parts, const InputOptions& options, std::optional<std::uint64_t> bytes_total)
      : feed_(std::move(parts), options), task_(options.task), classes_(options.classes), bytes_total_(bytes_total) {
    if (options.read_ahead) {
      source_ = std::make_unique<ReadAhead>(feed_, std::max<std::size_t>(1, options.rows_at_once));
    } else {
      source_ = std::make_unique<ReadOnDemand>(feed_);
    }
  }

  Examples read(std::size_t most) override {
    if (peeked_at_ < peeked_.size()) {
      const std::size_t count = std::min(most, peeked_.size() - peeked_at_);
      peeked_at_ += count;
      return peeked_.examples(peeked_at_ - count, count, rows_);
    }
    if (!has_row()) {
      if (batch_->failure != nullptr) std::rethrow_exception(batch_->failure);
      return {};
    }
    const std::size_t count = std::min(most, batch_->rows.size() - at_);
    texts_ = std::span(batch_->texts).subspan(std::min(at_, batch_->texts.size()), batch_->texts.empty() ? 0 : count);
    at_ += count;
    return batch_->rows.examples(at_ - count, count, rows_);
  }

  const Dataset& peek(std::size_t rows) override {
    if (peeked_at_ > 0) {
      Dataset rest;
      for (; peeked_at_ < peeked_.size(); ++peeked_at_) rest.append(peeked_[peeked_at_]);
      peeked_ = std::move(rest);
      peeked_at_ = 0;
    }
    while (peeked_.size() < rows && has_row()) peeked_.append(batch_->rows[at_++]);
    return peeked_;
  }

  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }
  [[nodiscard]] std::size_t features_seen() const override { return batch_ == nullptr ? 0 : batch_->features; }
  [[nodiscard]] std::string feature_name(FeatureIndex feature) const override {
    if (encoding_ != nullptr) return encoding_->feature_name(feature);
    return fmt::format("feature {}", std::uint64_t{feature} + (zero_based().value_or(false) ? 0 : 1));
  }
  [[nodiscard]] std::optional<bool> zero_based() const override {
    return batch_ == nullptr ? std::nullopt : batch_->zero_based;
  }
  [[nodiscard]] std::span<const std::string> texts() const override { return texts_; }
  [[nodiscard]] const std::string& header_text() const override {
    static const std::string none;
    return table_ == nullptr ? none : table_->header_text;
  }
  [[nodiscard]] char separator() const override { return table_ == nullptr ? '\t' : table_->separator; }
  [[nodiscard]] std::shared_ptr<const Encoding> encoding() const override { return encoding_; }
  [[nodiscard]] Task task() const override {
    return (batch_ == nullptr ? task_ : batch_->task).value_or(Task::kClassification);
  }
  [[nodiscard]] const std::optional<FirstLabels>& first_labels() const override {
    static const std::optional<FirstLabels> none;
    return batch_ == nullptr ? none : batch_->first_labels;
  }
  [[nodiscard]] std::optional<LabelColumn> label_column() const override {
    return table_ == nullptr ? std::nullopt : table_->label;
  }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }
  [[nodiscard]] std::uint64_t bad_rows() const override { return batch_ == nullptr ? 0 : batch_->bad_rows; }
  [[nodiscard]] const std::vector<std::string>& bad_messages() const override { return bad_messages_; }
  [[nodiscard]] double read_seconds() const override { return batch_ == nullptr ? 0.0 : batch_->read_seconds; }
  [[nodiscard]] double wait_seconds() const override { return seconds_waited_; }
  [[nodiscard]] std::uint64_t bytes_read() const override { return batch_ == nullptr ? 0 : batch_->bytes_read; }
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const override { return bytes_total_; }
  void interrupt() noexcept override { feed_.interrupt(); }

 private:
  using Clock = std::chrono::steady_clock;

  // Whether batch_ has a row at at_; if not, it is the last batch, and its failure is how the rows ended.
  bool has_row() {
    while (batch_ == nullptr || at_ == batch_->rows.size()) {
      if (batch_ != nullptr && batch_->is_last) return false;
      const Clock::time_point begin = Clock::now();
      batch_ = &source_->next();
      seconds_waited_ += std::chrono::duration<double>(Clock::now() - begin).count();
      at_ = 0;
      for (const auto& [id, name] : batch_->new_classes) {
        if (id >= classes_.size()) classes_.resize(id + std::size_t{1});
        classes_[id] = name;
      }
      if (encoding_ == nullptr && batch_->table != nullptr) {
        table_ = batch_->table;
        encoding_ = std::make_shared<Encoding>(table_->encoding);
      }
      notes_.insert(notes_.end(), batch_->notes.begin(), batch_->notes.end());
      for (const Encoding::Value& value : batch_->new_values) encoding_->append(value);
      bad_messages_.insert(bad_messages_.end(), batch_->bad_messages.begin(), batch_->bad_messages.end());
    }
    return true;
  }

  RowFeed feed_;
  std::unique_ptr<BatchSource> source_;  // after the feed: it uses it to the end
  const RowBatch* batch_ = nullptr;
  std::size_t at_ = 0;
  double seconds_waited_ = 0.0;
  Dataset peeked_;
  std::size_t peeked_at_ = 0;
  std::vector<Row> rows_;  // what was read last
  std::span<const std::string> texts_;
  std::shared_ptr<const TableInfo> table_;
  std::shared_ptr<Encoding> encoding_;
  std::optional<Task> task_;  // that was given
  std::vector<std::string> notes_;
  std::vector<std::string> classes_;
  std::vector<std::string> bad_messages_;
  std::optional<std::uint64_t> bytes_total_;
};

}  // namespace

std::unique_ptr<Input> make_input(std::vector<Part> parts, const InputOptions& options,
                                  std::optional<std::uint64_t> bytes_total) {
  return std::make_unique<PartsInput>(std::move(parts), options, bytes_total);
}

std::unique_ptr<Input> read_input(std::unique_ptr<ByteSource> source, std::string name, const InputOptions& options) {
  // A function is copied, a source is not.
  const auto shared = std::make_shared<std::unique_ptr<ByteSource>>(std::move(source));
  return make_input({{std::move(name), [shared](ReadControl&) { return std::move(*shared); }}}, options);
}

std::unique_ptr<Input> open_input(const std::vector<std::string>& paths, const InputOptions& options) {
  if (paths.empty()) throw Error("no file; expected at least one, or - for standard input");
  std::vector<Part> parts;
  std::optional<std::uint64_t> total = 0;
  for (const std::string& path : paths) {
    const std::optional<std::uint64_t> size = file_size(path);
    total = total && size ? std::optional(*total + *size) : std::nullopt;
    parts.push_back({display_name(path), [path](ReadControl& control) { return open_bytes(path, &control); }});
  }
  return make_input(std::move(parts), options, total);
}

}  // namespace alder
