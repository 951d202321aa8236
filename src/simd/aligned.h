#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace alder {

/// The widest vector that any target uses, in bytes; every array given to the primitives starts on it.
inline constexpr std::size_t kAlignment = 64;
/// The primitives work on whole vectors: arrays are readable and writable up to the next multiple of this many
/// elements, whatever the element type. 16 floats are one AVX-512 vector.
inline constexpr std::size_t kLanes = 16;

/// The length that an array of n elements must have room for.
constexpr std::size_t padded(std::size_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kAlignment}); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace alder
