#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alder::cli {

/// The choice that was meant by a mistyped word: one that begins with it, or the one with the least edit distance, if
/// that is at most a third of its letters, and at least 1. The earlier of equals; empty if none is close.
std::string closest(std::string_view word, const std::vector<std::string>& choices);

/// The end of a message: "; did you mean 'train'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& choices);

/// "a, b or c".
std::string alternatives(const std::vector<std::string>& choices);

}  // namespace alder::cli
