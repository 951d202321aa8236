#pragma once

#include <string_view>

#include "alder/input.h"

namespace alder {

/// The format of a file by its first line that is neither blank nor a comment. LIBSVM: the second word begins with an
/// index and a colon, or with qid:, or is a number, the weight, and the third begins so, or there is only one word and
/// no separator in it; JSON: it begins with a brace; ARFF: it begins with @relation or another keyword; Vowpal
/// Wabbit's: there is a bar, with at most three numbers and a tag before it; CSV: there is a comma, a semicolon, a tab
/// or a bar, or there are several words, none of which begins with an index and a colon. kAuto: none of these.
Format format_of(std::string_view line);

}  // namespace alder
