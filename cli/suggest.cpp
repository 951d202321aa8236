#include "suggest.h"

#include <algorithm>

#include <fmt/format.h>

namespace alder::cli {
namespace {

// Shorter words begin too many others.
constexpr std::size_t kLeastBeginning = 3;

// The least number of letters that are inserted, deleted, replaced or swapped with their neighbour to make one word of
// the other; no letter takes part in two swaps. Row i of the table is that of the first i letters of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& choices) {
  constexpr std::size_t kMostLetters = 64;  // a longer word is no typing error
  if (word.size() > kMostLetters) return "";
  std::string found;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& choice : choices) {
    const bool is_beginning = word.size() >= kLeastBeginning && choice.starts_with(word);
    const std::size_t distance = is_beginning ? 1 : edit_distance(word, choice);
    // A word all of whose letters are replaced has nothing in common with the choice.
    if (distance >= least || distance >= std::max(word.size(), choice.size())) continue;
    least = distance;
    found = choice;
  }
  return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices) {
  const std::string found = closest(word, choices);
  return found.empty() ? "" : fmt::format("; did you mean '{}'?", found);
}

std::string alternatives(const std::vector<std::string>& choices) {
  std::string text = choices.front();
  for (std::size_t i = 1; i < choices.size(); ++i) text += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
  return text;
}

}  // namespace alder::cli
