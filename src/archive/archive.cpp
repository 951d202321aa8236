#include "archive/archive.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>
#include <lzma.h>
#include <nlohmann/json.hpp>

#include "alder/error.h"
#include "alder/version.h"

#include "archive/json.h"

namespace alder {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "model files are little-endian; swap the bytes here");

constexpr int kFormatVersion = 2;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDigits = 16;
constexpr char kNoChecksum[] = "0000000000000000";
// What stands before the checksum's digits. Quotes within JSON strings are escaped, so that no other place of the
// header can look like it; tensors come later.
constexpr std::string_view kChecksumKey = R"("checksum":")";

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "F32";
  if constexpr (std::is_same_v<T, double>) return "F64";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "U32";
  if constexpr (std::is_same_v<T, std::uint64_t>) return "U64";
}

std::size_t type_size(const std::string& type) {
  return type == "F64" || type == "U64" ? 8 : 4;
}

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < kLengthBytes) throw_bad_archive("it ends before its header");
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > bytes.size() - kLengthBytes) {
    const auto is_letter = [](char c) { return c >= '\t' && c <= '~'; };
    const bool is_text = std::all_of(bytes.begin(), bytes.begin() + kLengthBytes, is_letter);
    throw_bad_archive(is_text ? "it begins as a text does" : "it ends within its header");
  }
  return length;
}

// Where in the file the digits of the checksum stand.
std::size_t checksum_position(std::string_view bytes) {
  const std::string_view header = bytes.substr(kLengthBytes, header_length(bytes));
  const std::size_t key = header.find(kChecksumKey);
  if (key == std::string_view::npos || header.size() - key < kChecksumKey.size() + kDigits) {
    throw_bad_archive("it has no checksum");
  }
  return kLengthBytes + key + kChecksumKey.size();
}

// An object of the header; `what` begins the message if it is none.
Json parse_object(std::string_view text, const char* what) {
  Json json;
  try {
    json = parse_json(text);
  } catch (const Error&) {  // json is null
  }
  if (!json.is_object()) throw_bad_archive(fmt::format("{} not JSON", what));
  return json;
}

// A size or offset of the header: a whole number, not negative.
std::uint64_t whole_number(const Json& value) {
  if (!value.is_number_unsigned()) throw_bad_archive("a size or offset in its header is not a whole number");
  return value.get<std::uint64_t>();
}

}  // namespace

void throw_bad_archive(const std::string& what) {
  throw Error(Error::Kind::kFormat, "not a sound alder model: " + what);
}

Archive::Archive() : settings_(std::make_unique<Json>(Json::object())) {}
Archive::Archive(const Archive& other)
    : settings_(std::make_unique<Json>(*other.settings_)), tensors_(other.tensors_), written_by_(other.written_by_) {}
Archive& Archive::operator=(const Archive& other) {
  Archive copy(other);
  return *this = std::move(copy);
}
Archive::Archive(Archive&& other) noexcept = default;
Archive& Archive::operator=(Archive&& other) noexcept = default;
Archive::~Archive() = default;

template <class T>
void Archive::set(const char* part, const char* key, const T& value) {
  settings()[part][key] = value;
}

template <class T>
T Archive::setting(const char* part, const char* key) const {
  return read<T>(object(part), key);
}

bool Archive::has_setting(const char* part, const char* key) const {
  return object(part).contains(key);
}

bool Archive::has_part(const char* part) const {
  return settings().contains(part);
}

const Archive::Json& Archive::object(const char* part) const {
  const auto found = settings().find(part);
  if (found == settings().end()) throw_bad_archive(fmt::format("the setting {} is missing", part));
  if (!found->is_object()) {
    throw_bad_archive(fmt::format("the setting {} is {}, of another type than expected", part, found->dump()));
  }
  return *found;
}

void Archive::set_object(const char* part, const Json& object) {
  settings()[part] = object;
}

std::string Archive::object_text(const char* part) const {
  return object(part).dump();
}

void Archive::set_text(const char* key, const std::string& value) {
  settings()[key] = value;
}

template <class T>
void Archive::put(const std::string& name, std::span<const T> values) {
  Tensor tensor{type_name<T>(), std::string(values.size_bytes(), '\0')};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
  tensors_[name] = std::move(tensor);
}

template <class T>
std::vector<T> Archive::get(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw_bad_archive(fmt::format("tensor {} is missing", name));
  const Tensor& tensor = found->second;
  if (tensor.type != type_name<T>()) {
    throw_bad_archive(fmt::format("tensor {} is of type {}; expected {}", name, tensor.type, type_name<T>()));
  }
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

template <class T>
std::vector<T> Archive::get(const std::string& name, std::size_t size) const {
  std::vector<T> values = get<T>(name);
  if (values.size() != size) {
    throw_bad_archive(fmt::format("tensor {} has {} numbers; expected {}", name, values.size(), size));
  }
  return values;
}

template <class T>
T Archive::read(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) throw_bad_archive(fmt::format("the setting {} is missing", key));
  const bool fits = std::is_same_v<T, std::string>     ? found->is_string()
                    : std::is_same_v<T, double>        ? found->is_number()
                    : std::is_same_v<T, bool>          ? found->is_boolean()
                    : std::is_same_v<T, std::uint64_t> ? found->is_number_unsigned()
                                                       : found->is_object();
  if (!fits) throw_bad_archive(fmt::format("the setting {} is {}, of another type than expected", key, found->dump()));
  return found->get<T>();
}

void Archive::put_all(const std::string& prefix, const Archive& other) {
  for (const auto& [name, tensor] : other.tensors_) tensors_[prefix + name] = tensor;
}

Archive Archive::with_prefix(const std::string& prefix) const {
  Archive archive;
  for (auto i = tensors_.lower_bound(prefix); i != tensors_.end() && i->first.compare(0, prefix.size(), prefix) == 0;
       ++i) {
    archive.tensors_[i->first.substr(prefix.size())] = i->second;
  }
  return archive;
}

std::map<std::string, std::size_t> Archive::sizes() const {
  std::map<std::string, std::size_t> sizes;
  for (const auto& [name, tensor] : tensors_) sizes[name] = tensor.bytes.size() / type_size(tensor.type);
  return sizes;
}

std::string Archive::encode() const {
  Json header;
  header["__metadata__"] = {{"format", "alder"},
                            {"format_version", std::to_string(kFormatVersion)},
                            {"alder_version", ALDER_VERSION},
                            {"checksum", kNoChecksum},
                            {"settings", settings().dump(-1, ' ', false, Json::error_handler_t::replace)}};
  std::size_t offset = 0;
  // Eight-byte numbers first, so that all tensors are aligned.
  std::vector<const std::string*> order;
  for (const std::size_t size : {std::size_t{8}, std::size_t{4}}) {
    for (const auto& [name, tensor] : tensors_) {
      if (type_size(tensor.type) == size) order.push_back(&name);
    }
  }
  for (const std::string* name : order) {
    const Tensor& tensor = tensors_.at(*name);
    const std::size_t end = offset + tensor.bytes.size();
    header[*name] = {{"dtype", tensor.type},
                     {"shape", {tensor.bytes.size() / type_size(tensor.type)}},
                     {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');

  std::string bytes(kLengthBytes, '\0');
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + offset);
  bytes += text;
  for (const std::string* name : order) bytes += tensors_.at(*name).bytes;
  bytes.replace(checksum_position(bytes), kDigits, checksum(bytes));
  return bytes;
}

std::string Archive::checksum(std::string_view bytes) {
  const std::size_t at = checksum_position(bytes);
  const auto update = [](std::string_view part, std::uint64_t crc) {
    return lzma_crc64(reinterpret_cast<const std::uint8_t*>(part.data()), part.size(), crc);
  };
  std::uint64_t crc = update(bytes.substr(0, at), 0);
  crc = update(std::string_view(kNoChecksum, kDigits), crc);
  crc = update(bytes.substr(at + kDigits), crc);
  return fmt::format("{:016x}", crc);
}

Archive Archive::decode(std::string_view bytes) {
  const std::uint64_t length = header_length(bytes);
  const Json header = parse_object(bytes.substr(kLengthBytes, length), "its header is");
  const auto metadata = read<Json>(header, "__metadata__");
  if (read<std::string>(metadata, "format") != "alder") throw_bad_archive("its format is not \"alder\"");
  const auto version = read<std::string>(metadata, "format_version");
  if (version != "1" && version != std::to_string(kFormatVersion)) {
    throw Error(
        Error::Kind::kVersion,
        fmt::format("a model of format version {}, written by alder {}; this is alder {}, which reads versions 1 to {}",
                    version, read<std::string>(metadata, "alder_version"), ALDER_VERSION, kFormatVersion));
  }
  if (bytes.substr(checksum_position(bytes), kDigits) != checksum(bytes)) {
    throw_bad_archive("its checksum is wrong: the file is damaged");
  }

  Archive archive;
  archive.version_ = version == "1" ? 1 : kFormatVersion;
  archive.written_by_ = read<std::string>(metadata, "alder_version");
  archive.settings() = parse_object(read<std::string>(metadata, "settings"), "its settings are");
  const std::string_view data = bytes.substr(kLengthBytes + length);
  std::uint64_t expected = 0;  // tensors follow each other without gaps, so together they are no larger than the file
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    const auto type = read<std::string>(entry, "dtype");
    if (type != "F32" && type != "F64" && type != "U32" && type != "U64") {
      throw_bad_archive(fmt::format("tensor {} is of the unknown type {}", name, type));
    }
    const Json shape = entry.value("shape", Json());
    const Json offsets = entry.value("data_offsets", Json());
    if (!shape.is_array() || shape.size() != 1 || !offsets.is_array() || offsets.size() != 2) {
      throw_bad_archive(fmt::format("tensor {} is not described as expected", name));
    }
    const std::uint64_t begin = whole_number(offsets[0]);
    const std::uint64_t end = whole_number(offsets[1]);
    if (begin != expected || begin > end || end > data.size() || (end - begin) % type_size(type) != 0 ||
        (end - begin) / type_size(type) != whole_number(shape[0])) {
      throw_bad_archive(fmt::format("tensor {} does not fit into the file or its shape", name));
    }
    expected = end;
    archive.tensors_[name] = {type, std::string(data.substr(begin, end - begin))};
  }
  if (expected != data.size()) throw_bad_archive("it goes on behind its last tensor");
  return archive;
}

#define ALDER_ARCHIVE_TYPE(T)                                         \
  template void Archive::put(const std::string&, std::span<const T>); \
  template std::vector<T> Archive::get(const std::string&) const;     \
  template std::vector<T> Archive::get(const std::string&, std::size_t) const;
ALDER_ARCHIVE_TYPE(float)
ALDER_ARCHIVE_TYPE(double)
ALDER_ARCHIVE_TYPE(std::uint32_t)
ALDER_ARCHIVE_TYPE(std::uint64_t)
#undef ALDER_ARCHIVE_TYPE

#define ALDER_SETTING_TYPE(T)                                     \
  template void Archive::set(const char*, const char*, const T&); \
  template T Archive::setting(const char*, const char*) const;    \
  template T Archive::read(const Json&, const char*);
ALDER_SETTING_TYPE(std::string)
ALDER_SETTING_TYPE(double)
ALDER_SETTING_TYPE(std::uint64_t)
ALDER_SETTING_TYPE(bool)
#undef ALDER_SETTING_TYPE
template Json Archive::read(const Json&, const char*);

}  // namespace alder
