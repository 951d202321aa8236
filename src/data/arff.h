#pragma once

#include <memory>

#include "data/row_reader.h"
#include "data/table_layout.h"
#include "io/lines.h"

namespace alder {

/// Reads Weka's ARFF: @relation, an @attribute for each column, @data, then records: values with commas or tabs between
/// them, '?' for a missing one, or sparse `{place value, …}`, places from 0, where an absent number is 0 and another
/// absent value the first that is declared; a string or date is missing then. `, {weight}` may follow. Lines that begin
/// with '%' are comments. A value that was not declared and a word in a column of numbers make bad rows; a wrong head
/// is an Error. The layout is shared by the files of a stream and must outlive the reader.
std::unique_ptr<RowReader> read_arff(Lines lines, TableLayout& layout);

}  // namespace alder
