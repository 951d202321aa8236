#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alder/encoding.h"

namespace alder {

/// The cells of the first records of a table, as text; those of a column that is not there are empty.
using SampleRows = std::vector<std::vector<std::string>>;

/// How much of a table is looked at to find out what its columns are.
inline constexpr std::size_t kSampleRows = 512;
inline constexpr std::size_t kSampleBytes = std::size_t{1} << 20U;

/// What column `place` of these records is, by its cells. `name` may say that it is an identifier.
Column find_column(const SampleRows& sample, std::size_t place, const std::string& name, bool has_decimal_comma);

/// The same for a kind that is known: its offset, and the order of day and month.
Column describe_column(ColumnKind kind, const SampleRows& sample, std::size_t place, const std::string& name,
                       bool has_decimal_comma);

/// Whether the first record is a line of names: a word where numbers follow or, in a table of words, words of which
/// none comes again below. Records have one length.
bool is_header(const SampleRows& sample, bool has_decimal_comma);

/// Whether the numbers of these records have decimal commas.
bool has_decimal_commas(const SampleRows& sample);

}  // namespace alder
