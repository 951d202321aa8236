#pragma once

#include <memory>

#include "data/row_reader.h"
#include "data/table_layout.h"
#include "io/lines.h"

namespace alder {

/// Reads Vowpal Wabbit's text: `[label [importance [base]]] ['tag]|namespace[:scale] name[:value] … |namespace …`. The
/// importance is the weight; base and tag are not used. A word that touches the first bar is a tag, too. Features are
/// called "namespace^name", or "name" where the namespace has no name; one without a name is called by its place in its
/// namespace, from 0; a feature that comes again is added. Labels with costs or of several classes make bad rows. The
/// layout is shared by the files of a stream and must outlive the reader.
std::unique_ptr<RowReader> read_vw(Lines lines, TableLayout& layout);

}  // namespace alder
