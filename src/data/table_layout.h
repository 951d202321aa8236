#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alder/encoding.h"
#include "alder/input.h"

#include "data/column_finder.h"

namespace alder {

/// What the cells of a column of a file are for.
struct CellRole {
  enum class Kind : std::uint8_t {
    kNumber,  ///< a number, whose feature is known
    kCell,    ///< another cell of the encoding
    kLabel,
    kWeight,
    kSkipped,
  };
  Kind kind = Kind::kSkipped;
  std::size_t column = 0;  ///< of the encoding
  FeatureIndex feature = 0;
  double offset = 0.0;
};

/// What is known of a file's columns before its rows are read.
struct TableHead {
  std::vector<std::string> names{};                ///< empty: there is no header
  std::size_t columns = 0;                         ///< how many there are
  SampleRows sample{};                             ///< the first records; needed only while nothing is known
  std::vector<std::optional<ColumnKind>> kinds{};  ///< of formats that tell; else empty
  bool has_decimal_comma = false;
  bool is_open = false;  ///< columns may be absent: a record names those that it has
  std::string file{};
  std::string where{};  ///< "file:line", for messages
};

/// What the tables of a stream agree on: found in the first records of the first, or by the model that goes on; held
/// against the others, by name where both have names, else by number.
class TableLayout {
 public:
  /// Throws Error for columns that make no sense.
  explicit TableLayout(const InputOptions& options);

  /// Whether the kinds of columns are known, so that no sample is needed.
  [[nodiscard]] bool is_known() const { return encoding_ != nullptr; }
  /// Whether these fields are the names of columns, if that is known by what was read before; empty: it is not.
  [[nodiscard]] std::optional<bool> is_header(const std::vector<std::string>& fields) const;

  /// Whether one of these fields is the name that was given for a column, or the usual one of a label: then they are a
  /// header.
  [[nodiscard]] bool names_label_column(const std::vector<std::string>& fields) const;

  /// What each column of a file is for. Throws Error for columns that are not as they must be.
  std::vector<CellRole> accept(const TableHead& head);

  /// For rows whose features have names and no columns: one column of names, and nothing else. Throws Error if the
  /// model or a file before has columns. `where` is for messages.
  void accept_names(const std::string& file, const std::string& where);

  /// The names of columns, label and weight that records which name what they have may use: what is known, in the order
  /// of its table, and what was given. Requires is_known().
  [[nodiscard]] std::vector<std::string> known_names() const;
  /// The names that were given for columns, label and weight; numbers are none.
  [[nodiscard]] std::vector<std::string> given_names() const;
  /// Whether rows may have no label, and no weight.
  [[nodiscard]] bool are_labels_optional() const { return labels_optional_; }

  /// How the rows are encoded. Requires is_known().
  [[nodiscard]] Encoding& encoding() { return *encoding_; }
  [[nodiscard]] const Encoding& encoding() const { return *encoding_; }
  /// A row of it.
  [[nodiscard]] RecordRow make_row() {
    return is_fixed_ ? RecordRow(static_cast<const Encoding&>(*encoding_)) : RecordRow(*encoding_);
  }
  /// Whether cells must be numbers: the model knows no columns.
  [[nodiscard]] bool is_plain() const { return is_plain_; }

  [[nodiscard]] const std::optional<LabelColumn>& label() const { return label_; }
  /// What the labels of the sample look like; empty: there was none.
  [[nodiscard]] const std::optional<FirstLabels>& first_labels() const { return first_labels_; }
  /// How messages call a column of a file: "column 3 'height'", or without a header "column 3".
  [[nodiscard]] static std::string column(std::size_t place, const std::vector<std::string>& names);

 private:
  /// The places of label and weight; empty: there is none.
  struct Places {
    std::optional<std::size_t> label;
    std::optional<std::size_t> weight;
  };
  [[nodiscard]] Places find_places(const TableHead& head);
  [[nodiscard]] std::optional<std::size_t> find_label(const TableHead& head, std::optional<std::size_t> weight);
  [[nodiscard]] std::optional<std::size_t> find_given(const std::string& given, const char* what, const TableHead& head,
                                                      bool is_optional) const;
  void establish(const TableHead& head, const Places& places);
  void look_at_labels(const TableHead& head, std::size_t place);
  [[nodiscard]] std::vector<std::optional<ColumnKind>> given_kinds(const TableHead& head) const;
  [[nodiscard]] std::vector<CellRole> match(const TableHead& head, const Places& places) const;
  void expect_columns(const TableHead& head, std::size_t features) const;
  void expect_table(const TableHead& head) const;
  [[nodiscard]] std::string origin() const { return file_.empty() ? "the model" : file_; }

  std::string label_column_;
  std::string weight_column_;
  std::vector<std::pair<std::string, ColumnKind>> given_;
  bool labels_optional_;
  bool is_plain_;
  bool is_fixed_;
  std::size_t features_;  // of a model that knows no columns
  std::unique_ptr<Encoding> encoding_;
  std::string file_;  // where it was found; empty: by a model
  std::optional<LabelColumn> label_;
  std::optional<FirstLabels> first_labels_;
};

}  // namespace alder
