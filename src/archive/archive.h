#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace alder {

/// The content of a model file: settings as JSON, numbers in bulk as named tensors. The bytes are a safetensors file
/// (docs/model-format.md).
///
/// Reading trusts nothing: what is missing, of another type or of another size than asked for is an Error, and no
/// allocation is larger than the bytes given.
///
/// Settings are read and written by part and key, so that learners need not know JSON, which takes long to compile.
class Archive {
 public:
  using Json = nlohmann::ordered_json;

  Archive();
  Archive(const Archive& other);
  Archive& operator=(const Archive& other);
  Archive(Archive&& other) noexcept;
  Archive& operator=(Archive&& other) noexcept;
  ~Archive();

  /// settings[part][key]. T is double, std::uint64_t, bool or std::string; reading is an Error if there is none, or one
  /// of another type.
  template <class T>
  void set(const char* part, const char* key, const T& value);
  template <class T>
  [[nodiscard]] T setting(const char* part, const char* key) const;
  [[nodiscard]] bool has_setting(const char* part, const char* key) const;
  /// Whether there is settings[part].
  [[nodiscard]] bool has_part(const char* part) const;
  /// settings[part], an object; an Error if there is none.
  [[nodiscard]] const Json& object(const char* part) const;
  void set_object(const char* part, const Json& object);
  /// The same as JSON text.
  [[nodiscard]] std::string object_text(const char* part) const;
  /// settings[key], a text.
  void set_text(const char* key, const std::string& value);

  /// All settings, an object. To look into it, include <nlohmann/json.hpp>.
  [[nodiscard]] const Json& settings() const { return *settings_; }
  [[nodiscard]] Json& settings() { return *settings_; }
  /// A setting of any object as a T. An Error if it is missing or of another type.
  template <class T>
  [[nodiscard]] static T read(const Json& object, const char* key);

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

  /// Adds all tensors of another archive, with `prefix` before their names.
  void put_all(const std::string& prefix, const Archive& other);
  /// An archive of the tensors whose names begin with `prefix`, without it, and without settings.
  [[nodiscard]] Archive with_prefix(const std::string& prefix) const;

  /// The names of all tensors, and how many numbers each has.
  [[nodiscard]] std::map<std::string, std::size_t> sizes() const;
  /// The safetensors type of a tensor: F32, F64, U32 or U64.
  [[nodiscard]] const std::string& type(const std::string& name) const { return tensors_.at(name).type; }
  /// The version of alder that encoded the bytes it was decoded from; empty if it was not decoded.
  [[nodiscard]] const std::string& written_by() const { return written_by_; }

  /// The version of the format that it was decoded from: 1 or 2.
  [[nodiscard]] int version() const { return version_; }

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

  std::unique_ptr<Json> settings_;
  std::map<std::string, Tensor> tensors_;
  std::string written_by_;
  int version_ = 2;
};

/// Says what is wrong with an archive's content, for those who restore themselves from it.
[[noreturn]] void throw_bad_archive(const std::string& what);

}  // namespace alder
