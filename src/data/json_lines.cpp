#include "data/json_lines.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "data/json_record.h"
#include "data/table_reader.h"
#include "data/text_lines.h"

namespace alder {
namespace {

// Finds names, fast for those that come in the order in which they are.
class Places {
 public:
  // The place of a name; empty: it is not there.
  std::optional<std::size_t> find(std::string_view name) {
    if (next_ < names_.size() && names_[next_] == name) return next_++;
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    next_ = found->second + 1;
    return found->second;
  }
  std::size_t add(std::string_view name) {
    names_.emplace_back(name);
    places_.emplace(name, names_.size() - 1);
    return names_.size() - 1;
  }
  void rewind() { next_ = 0; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> places_;
  std::size_t next_ = 0;
};

class JsonLinesReader final : public TableReader {
 public:
  using TableReader::TableReader;

  bool next(RawRow& raw) override {
    std::string_view line;
    if (!is_accepted() && !start()) return false;
    if (!next_filled_line(line)) return false;
    raw.text = line;
    begin(raw);
    places_.rewind();
    ++row_number_;
    read(line, [this, &raw](std::string_view name, std::optional<std::string_view> text) {
      const std::optional<std::size_t> place = places_.find(name);
      if (!place || last_row_[*place] == row_number_) return;
      last_row_[*place] = row_number_;
      if (text) {
        take(*place, *text, raw);
      } else {
        take_missing(*place);
      }
    });
    for (std::size_t place = 0; place < last_row_.size(); ++place) {
      if (last_row_[place] != row_number_) take_missing(place);
    }
    finish(raw);
    return true;
  }

 private:
  // Finds out what the columns are. False: there are no rows.
  bool start() {
    std::string_view line;
    if (!next_filled_line(line)) return false;
    TableHead head;
    head.file = name();
    head.where = where();
    head.is_open = true;
    expect_record(line, head.where);
    put_back();
    if (layout().is_known()) {
      for (const std::string& name : layout().known_names()) places_.add(name);
    } else {
      take_sample(head);
      if (head.sample.empty()) {
        next_filled_line(line);
        read(line, [](std::string_view, std::optional<std::string_view>) {});
        put_back();
      }
    }
    head.names = places_.names();
    head.columns = head.names.size();
    accept(std::move(head));
    last_row_.assign(roles().size(), 0);
    return true;
  }

  void read(std::string_view line, const JsonRecord::Take& take) {
    try {
      record_.read(line, take);
    } catch (const JsonFault& fault) {
      fail(fault.what(), fault.expected);
    }
  }

  // A file that is one JSON text, on many lines or not, is not wrong in one line only.
  static void expect_record(std::string_view line, const std::string& where) {
    line = trimmed(line);
    const bool is_array = line.starts_with('[');
    if (!is_array && (!line.starts_with('{') || line.ends_with('}'))) return;
    throw Error(Error::Kind::kFormat,
                fmt::format("{}: {}; expected one JSON object on each line, as `jq -c {}` writes them", where,
                            is_array ? "a JSON array" : "a JSON object that does not end in its line",
                            is_array ? "'.[]'" : "."));
  }

  // The cells of the first records. What is wrong with a line is told when it is read.
  void take_sample(TableHead& head) {
    auto [text, is_whole] = ahead(kSampleRows, kSampleBytes);
    // A first record that is longer.
    if (text.find_first_of("\r\n") == std::string_view::npos && !is_whole) {
      const Lines::Ahead longer = ahead(1, JsonRecord::kLongest + 2);
      text = longer.text;
      is_whole = longer.is_whole;
    }
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::size_t cells = 0;
    std::string_view line;
    while (head.sample.size() < kSampleRows && cells < kSampleCells && take_line(text, line, is_whole)) {
      std::vector<std::string> record;
      try {
        places_.rewind();
        record_.read(line, [&](std::string_view name, std::optional<std::string_view> cell) {
          const std::size_t place = place_of(name, head.where);
          if (place >= record.size()) record.resize(place + 1);
          if (cell && record[place].empty()) record[place] = *cell;
        });
      } catch (const JsonFault&) {
        continue;
      }
      cells += record.size();
      head.sample.push_back(std::move(record));
    }
  }

  std::size_t place_of(std::string_view name, const std::string& where) {
    if (const auto found = places_.find(name)) return *found;
    if (places_.names().size() == Encoding::kMostColumns) {
      throw Error(Error::Kind::kFormat,
                  fmt::format("{}: more than {} different keys in the first records; expected at most that many. Rows "
                              "of very many features that are mostly 0 can be written as LIBSVM text",
                              where, Encoding::kMostColumns));
    }
    return places_.add(name);
  }

  JsonRecord record_;
  Places places_;
  std::vector<std::uint64_t> last_row_;  // by place: the last row that had it, from 1
  std::uint64_t row_number_ = 0;
};

}  // namespace

std::unique_ptr<RowReader> read_json_lines(Lines lines, TableLayout& layout) {
  return std::make_unique<JsonLinesReader>(std::move(lines), layout);
}

}  // namespace alder
