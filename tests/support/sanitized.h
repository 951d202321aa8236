#pragma once

namespace alder::testing {

/// Whether this is compiled with AddressSanitizer, which makes learning some twenty times slower: tests that try many
/// cases then try fewer.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace alder::testing
