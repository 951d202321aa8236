#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace alder {

/// The content of a model file: settings as JSON, numbers in bulk as named tensors. The bytes are a safetensors file
/// (docs/model-format.md).
///
/// Reading trusts nothing: what is missing, of another type or of another size than asked for is an Error, and no
/// allocation is larger than the bytes given.
class Archive {
 public:
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();

  /// T is float, double, std::uint32_t or std::uint64_t.
  template <class T>
  void put(const std::string& name, std::span<const T> values);
  template <class T>
  void put(const std::string& name, const std::vector<T>& values) {
    put(name, std::span<const T>(values));
  }

  /// The tensor of that name and type, as one row of numbers.
  template <class T>
  [[nodiscard]] std::vector<T> get(const std::string& name) const;
  /// The same, which must have `size` numbers.
  template <class T>
  [[nodiscard]] std::vector<T> get(const std::string& name, std::size_t size) const;

  /// A setting as a T. An Error if it is missing or of another type.
  template <class T>
  [[nodiscard]] static T read(const nlohmann::ordered_json& object, const char* key);

  /// The names of all tensors, and how many numbers each has.
  [[nodiscard]] std::map<std::string, std::size_t> sizes() const;
  /// The safetensors type of a tensor: F32, F64, U32 or U64.
  [[nodiscard]] const std::string& type(const std::string& name) const { return tensors_.at(name).type; }
  /// The version of alder that encoded the bytes it was decoded from; empty if it was not decoded.
  [[nodiscard]] const std::string& written_by() const { return written_by_; }

  /// Text in the settings that is not UTF-8 gets replacement characters, since JSON cannot hold it.
  [[nodiscard]] std::string encode() const;
  /// Throws Error for bytes that `encode` cannot have made: wrong format, newer version, wrong checksum.
  static Archive decode(std::string_view bytes);

  /// The checksum of encoded bytes, 16 hexadecimal digits: the CRC-64 of ECMA-182, computed with the digits that hold
  /// it in the file taken as zeros.
  static std::string checksum(std::string_view bytes);

 private:
  struct Tensor {
    std::string type;   // "F32", "F64", "U32", "U64"
    std::string bytes;  // little-endian
  };

  std::map<std::string, Tensor> tensors_;
  std::string written_by_;
};

/// Says what is wrong with an archive's content, for those who restore themselves from it.
[[noreturn]] void throw_bad_archive(const std::string& what);

}  // namespace alder
