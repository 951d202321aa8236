#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/row_reader.h"
#include "io/bytes.h"
#include "io/lines.h"

namespace alder {

/// Reads LIBSVM text: `label index:value index:value …`, separated by spaces or tabs. Indices ascend; `#` starts a
/// comment; a row without features is legal, and a row that begins with `index:value` has no label. A number behind the
/// label is the row's weight: `+1 2.5 1:0.3`. `qid:N` before the features, a query of ranking, is left out.
///
/// Indices count from 0 or from 1, as `zero_based` says. If it is empty, it becomes what the first rows tell, about
/// 1 MB, on a pipe those that are there already: an index 0 among them means from 0. Index 0 in text that counts from 1
/// makes a bad row. Where the text counts from makes no difference to features: the lowest possible index is feature 0.
std::unique_ptr<RowReader> read_libsvm(Lines lines, std::optional<bool>& zero_based);

/// The same from anywhere; `name` is for messages.
std::unique_ptr<RowReader> read_libsvm(std::unique_ptr<ByteSource> source, std::string name, LineBuffer buffer = {},
                                       std::optional<bool> zero_based = std::nullopt);

}  // namespace alder
