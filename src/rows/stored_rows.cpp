#include "rows/stored_rows.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "alder/error.h"

#include "archive/archive.h"

namespace alder {
namespace {

// Calls `use` with every row that is stored so.
template <class T, class Use>
void for_each_row(const Archive& archive, const std::string& name, const Use& use) {
  const auto starts = archive.get<std::uint64_t>(name + ".starts");
  const auto features = archive.get<FeatureIndex>(name + ".features");
  const auto stored = archive.get<T>(name + ".values", features.size());
  if (starts.empty() || starts.front() != 0 || starts.back() != features.size()) {
    throw_bad_archive("the rows of " + name + " do not add up");
  }
  if (!std::is_sorted(starts.begin(), starts.end())) throw_bad_archive("the rows of " + name + " overlap");
  const std::vector<double> values(stored.begin(), stored.end());
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::size_t length = starts[i + 1] - starts[i];
    const Row row =
        Row::sparse(std::span(features).subspan(starts[i], length), std::span(values).subspan(starts[i], length));
    try {
      row.check();
    } catch (const Error& error) {
      throw_bad_archive("a row of " + name + " is none: " + error.what());
    }
    use(row);
  }
}

}  // namespace

template <class T>
void save_rows(Archive& archive, const std::string& name, const std::vector<StoredRow<T>>& rows) {
  std::vector<std::uint64_t> starts = {0};
  std::vector<FeatureIndex> features;
  std::vector<T> values;
  for (const StoredRow<T>& row : rows) {
    for (const auto& [feature, value] : row) {
      features.push_back(feature);
      values.push_back(value);
    }
    starts.push_back(features.size());
  }
  archive.put(name + ".starts", starts);
  archive.put(name + ".features", features);
  archive.put(name + ".values", values);
}

template <class T>
std::vector<PreparedRow<T>> load_rows(const Archive& archive, const std::string& name, const Kernel& kernel) {
  std::vector<PreparedRow<T>> queries;
  for_each_row<T>(archive, name, [&](const Row& row) { queries.emplace_back().assign(row, kernel); });
  return queries;
}

void save_plain_rows(Archive& archive, const std::string& name, std::span<const Row> rows) {
  std::vector<StoredRow<double>> stored(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) stored[i].emplace_back(rows[i].feature(j), rows[i].value(j));
  }
  save_rows(archive, name, stored);
}

RowBuffer load_plain_rows(const Archive& archive, const std::string& name) {
  RowBuffer rows;
  for_each_row<double>(archive, name, [&rows](const Row& row) { rows.append(row.as_checked()); });
  return rows;
}

template void save_rows(Archive&, const std::string&, const std::vector<StoredRow<float>>&);
template void save_rows(Archive&, const std::string&, const std::vector<StoredRow<double>>&);
template std::vector<PreparedRow<float>> load_rows(const Archive&, const std::string&, const Kernel&);
template std::vector<PreparedRow<double>> load_rows(const Archive&, const std::string&, const Kernel&);

}  // namespace alder
