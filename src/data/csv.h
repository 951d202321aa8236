#pragma once

#include <memory>
#include <string>

#include "data/csv_layout.h"
#include "data/row_reader.h"
#include "io/bytes.h"
#include "io/lines.h"

namespace alder {

/// Reads CSV text as open_input describes it; zeros are not listed in its rows. The layout is shared by the files of a
/// stream and must outlive the reader.
std::unique_ptr<RowReader> read_csv(Lines lines, CsvLayout& layout);

/// One file from anywhere; `name` is for messages.
std::unique_ptr<RowReader> read_csv(std::unique_ptr<ByteSource> source, std::string name, CsvLayout& layout,
                                    LineBuffer buffer = {});

}  // namespace alder
