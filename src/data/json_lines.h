#pragma once

#include <memory>

#include "data/row_reader.h"
#include "data/table_layout.h"
#include "io/lines.h"

namespace alder {

/// Reads JSON lines: an object on each line, taken apart as JsonRecord says; the names of its cells are columns. Those
/// of the first records are all columns there are, in the order in which they come first; later ones are not read. A
/// column that is not in a record is missing there, like one that is null; of two of one name the first counts. The
/// layout is shared by the files of a stream and must outlive the reader.
std::unique_ptr<RowReader> read_json_lines(Lines lines, TableLayout& layout);

}  // namespace alder
