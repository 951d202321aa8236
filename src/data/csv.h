#pragma once

#include <memory>
#include <string>

#include "alder/input.h"

#include "data/row_reader.h"
#include "data/table_layout.h"
#include "io/bytes.h"
#include "io/lines.h"

namespace alder {

/// How CSV text is read: what is 0 or kAuto is found out.
struct CsvDialect {
  char separator = 0;
  Header header = Header::kAuto;
};

/// Reads CSV text as open_input describes it; zeros are not listed in its rows. The layout is shared by the files of a
/// stream and must outlive the reader.
std::unique_ptr<RowReader> read_csv(Lines lines, TableLayout& layout, const CsvDialect& dialect = {});

/// One file from anywhere; `name` is for messages.
std::unique_ptr<RowReader> read_csv(std::unique_ptr<ByteSource> source, std::string name, TableLayout& layout,
                                    LineBuffer buffer = {});

}  // namespace alder
