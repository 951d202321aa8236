#pragma once

#include <memory>
#include <string>

#include "data/row_reader.h"
#include "io/bytes.h"
#include "io/lines.h"

namespace alder {

/// Reads LIBSVM text: `label index:value index:value …`, separated by spaces or tabs. Indices ascend and count from 1;
/// `#` starts a comment; a row without features is legal, and a row that begins with `index:value` has no label. A
/// number behind the label is the row's weight: `+1 2.5 1:0.3`.
std::unique_ptr<RowReader> read_libsvm(Lines lines);

/// The same from anywhere; `name` is for messages.
std::unique_ptr<RowReader> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LineBuffer buffer = {});

}  // namespace alder
