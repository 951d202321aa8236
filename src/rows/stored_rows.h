#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alder/kernel.h"
#include "alder/row.h"
#include "alder/row_buffer.h"

#include "rows/prepared_row.h"

namespace alder {

class Archive;

/// The features and values of a stored row.
template <class T>
using StoredRow = std::vector<std::pair<FeatureIndex, T>>;

/// Writes rows as tensors name.starts, name.features and name.values (compressed sparse rows).
template <class T>
void save_rows(Archive& archive, const std::string& name, const std::vector<StoredRow<T>>& rows);

/// The rows that `save_rows` wrote.
template <class T>
std::vector<PreparedRow<T>> load_rows(const Archive& archive, const std::string& name, const Kernel& kernel);

/// The same for rows as they are, values of 0 that are listed included, in double. The rows are sound.
void save_plain_rows(Archive& archive, const std::string& name, std::span<const Row> rows);
RowBuffer load_plain_rows(const Archive& archive, const std::string& name);

}  // namespace alder
