#pragma once

#include <cstddef>

#include "alder/encoding.h"

#include "archive/archive.h"

namespace alder {

/// Writes the settings `columns` and `values`: of an encoding, with its values below this feature; and back.
void save_encoding(const Encoding& encoding, std::size_t features, Archive& archive);
Encoding load_encoding(const Archive& archive);

}  // namespace alder
