#pragma once

#include <string_view>

#include "alder/input.h"

namespace alder {

/// The format of a file by its first line that is neither blank nor a comment. LIBSVM: the second word begins with an
/// index and a colon, or is a number, the weight, and the third begins so, or there is only one word and no separator
/// in it; CSV: there is a comma, a semicolon or a tab. kAuto: neither.
Format format_of(std::string_view line);

}  // namespace alder
