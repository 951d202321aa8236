#define ZLIB_CONST  // lets zlib promise not to write to its input

#include "io/bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "alder/error.h"

#include "io/foreign.h"

namespace alder {
namespace {

constexpr std::size_t kCompressedBuffer = std::size_t{1} << 16;
constexpr std::size_t kCodecHead = 6;  // the longest magic number of a compression; what is shorter is plain
// What decompression may allocate, so that a hostile file cannot exhaust the memory.
constexpr int kMemoryLimitLog2 = 28;
constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << kMemoryLimitLog2;

enum class Codec { kPlain, kGzip, kZstd, kXz, kBzip2 };

struct Magic {
  Codec codec;
  std::string_view bytes;
  std::string_view mask;  // the bits that matter
};

// The first bytes of compressed data. A block of bzip2 begins with the digits of pi and its end with those of its root.
// A skippable frame of zstd, 0x184D2A50 to 0x184D2A5F, is what parallel compressors put first.
constexpr std::array kMagic = [] {
  using namespace std::string_view_literals;
  return std::array{
      Magic{Codec::kGzip, "\x1f\x8b"sv, "\xff\xff"sv},
      Magic{Codec::kZstd, "\x28\xb5\x2f\xfd"sv, "\xff\xff\xff\xff"sv},
      Magic{Codec::kZstd, "\x50\x2a\x4d\x18"sv, "\xf0\xff\xff\xff"sv},
      Magic{Codec::kXz, "\xfd\x37zXZ\0"sv, "\xff\xff\xff\xff\xff\xff"sv},
      Magic{Codec::kBzip2, "BZh0\x31\x41"sv, "\xff\xff\xff\xf0\xff\xff"sv},
      Magic{Codec::kBzip2, "BZh0\x17\x72"sv, "\xff\xff\xff\xf0\xff\xff"sv},
  };
}();

// The compression that data with this beginning has, or may turn out to have if it is short.
Codec codec_of(std::string_view head) {
  const auto matches = [&](const Magic& magic) {
    for (std::size_t i = 0; i < std::min(head.size(), magic.bytes.size()); ++i) {
      if ((head[i] & magic.mask[i]) != magic.bytes[i]) return false;
    }
    return true;
  };
  const auto* const found = std::find_if(kMagic.begin(), kMagic.end(), matches);
  return found == kMagic.end() ? Codec::kPlain : found->codec;
}

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = bytes_.copy(buffer.data(), buffer.size(), at_);
    at_ += count;
    return count;
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

// Gives back the bytes that were read to see the format, then the rest.
class HeadedBytes final : public ByteSource {
 public:
  explicit HeadedBytes(std::unique_ptr<ByteSource> rest) : rest_(std::move(rest)) {
    // A pipe may deliver them one at a time, and a live one the first row long before the second: no more is read than
    // it takes to know.
    while (is_open()) {
      const std::size_t count = rest_->read(std::span(head_).subspan(size_));
      if (count == 0) break;
      size_ += count;
    }
  }

  [[nodiscard]] std::string_view head() const { return {head_.data(), size_}; }

  std::size_t read(std::span<char> buffer) override {
    if (given_ == size_) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), size_ - given_);
    std::copy_n(head_.data() + given_, count, buffer.data());
    given_ += count;
    return count;
  }

  bool ready() override { return given_ < size_ || rest_->ready(); }
  [[nodiscard]] bool always_ready() const override { return rest_->always_ready(); }

 private:
  // Whether it takes more bytes to know what this is.
  [[nodiscard]] bool is_open() const {
    return (size_ < kCodecHead && codec_of(head()) != Codec::kPlain) || may_be_foreign(head());
  }

  std::unique_ptr<ByteSource> rest_;
  std::array<char, kForeignHead> head_{};
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

// What the formats share: refilling the input, going on after the end of a member, noticing truncation.
class Decompressor : public ByteSource {
 public:
  Decompressor(std::unique_ptr<ByteSource> source, std::string name, std::string_view format)
      : source_(std::move(source)), name_(std::move(name)), format_(format), buffer_(kCompressedBuffer) {}

  std::size_t read(std::span<char> buffer) final {
    while (true) {
      if (input_.empty() && !source_ended_) {
        input_ = std::span<const char>(buffer_).first(source_->read(buffer_));
        source_ended_ = input_.empty();
      }
      if (input_.empty() && between_members_) return 0;
      const Progress progress = step(input_, buffer, source_ended_);
      input_ = input_.subspan(progress.consumed);
      between_members_ = progress.member_ended;
      if (progress.produced > 0) return progress.produced;
      if (progress.consumed == 0 && source_ended_ && !between_members_) {
        throw Error(Error::Kind::kFormat, fmt::format("{}: truncated {} data", name_, format_));
      }
    }
  }

  // Bytes that are there may still be too few to decompress anything.
  bool ready() final { return source_->always_ready(); }
  [[nodiscard]] bool always_ready() const final { return source_->always_ready(); }

 protected:
  struct Progress {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool member_ended = false;  // complete, and all of it delivered
  };

  /// Decompresses a piece. `input` is empty only when `last`, and `output` never is.
  virtual Progress step(std::span<const char> input, std::span<char> output, bool last) = 0;

  [[noreturn]] void fail_corrupt(std::string_view reason) const {
    throw Error(Error::Kind::kFormat, fmt::format("{}: corrupt {} data ({})", name_, format_, reason));
  }
  [[noreturn]] void fail_memory() const {
    throw Error(
        Error::Kind::kFormat,
        fmt::format("{}: this {} data needs more than {} MiB of memory to decompress; compress it with a smaller "
                    "dictionary or window",
                    name_, format_, kMemoryLimit >> 20));
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string_view format_;
  std::vector<char> buffer_;
  std::span<const char> input_;
  bool source_ended_ = false;
  bool between_members_ = false;
};

class GzipBytes final : public Decompressor {
 public:
  GzipBytes(std::unique_ptr<ByteSource> source, const std::string& name)
      : Decompressor(std::move(source), name, "gzip") {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&zlib_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&zlib_); }

 private:
  Progress step(std::span<const char> input, std::span<char> output, bool /*last*/) override {
    // zlib counts in 32 bits; the rest of a larger output is left for the next call.
    const std::size_t room = std::min(output.size(), std::size_t{1} << 30);
    zlib_.next_in = reinterpret_cast<const Bytef*>(input.data());
    zlib_.avail_in = static_cast<uInt>(input.size());
    zlib_.next_out = reinterpret_cast<Bytef*>(output.data());
    zlib_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&zlib_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END) {
      fail_corrupt(zlib_.msg != nullptr ? zlib_.msg : "unknown reason");
    }
    const Progress progress{input.size() - zlib_.avail_in, room - zlib_.avail_out, result == Z_STREAM_END};
    if (progress.member_ended) inflateReset(&zlib_);
    return progress;
  }

  z_stream zlib_{};
};

class ZstdBytes final : public Decompressor {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> source, const std::string& name)
      : Decompressor(std::move(source), name, "zstd"), zstd_(ZSTD_createDStream(), ZSTD_freeDStream) {
    if (zstd_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(zstd_.get(), ZSTD_d_windowLogMax, kMemoryLimitLog2);
  }

 private:
  Progress step(std::span<const char> input, std::span<char> output, bool /*last*/) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t result = ZSTD_decompressStream(zstd_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (code == ZSTD_error_frameParameter_windowTooLarge) fail_memory();
      fail_corrupt(ZSTD_getErrorName(result));
    }
    return {in.pos, out.pos, result == 0};
  }

  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> zstd_;
};

class XzBytes final : public Decompressor {
 public:
  XzBytes(std::unique_ptr<ByteSource> source, const std::string& name) : Decompressor(std::move(source), name, "xz") {
    if (lzma_stream_decoder(&lzma_, kMemoryLimit, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzBytes() override { lzma_end(&lzma_); }

 private:
  Progress step(std::span<const char> input, std::span<char> output, bool last) override {
    lzma_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    lzma_.avail_in = input.size();
    lzma_.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    lzma_.avail_out = output.size();
    const lzma_ret result = lzma_code(&lzma_, last ? LZMA_FINISH : LZMA_RUN);
    switch (result) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // no progress; the caller knows what that means
      case LZMA_STREAM_END:
        break;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        fail_memory();
      case LZMA_FORMAT_ERROR:
        fail_corrupt("something else follows it");
      case LZMA_OPTIONS_ERROR:
        fail_corrupt("unsupported options");
      default:
        fail_corrupt("checksums or structure do not match");
    }
    // Here a "member" is the whole file: LZMA_CONCATENATED reports one end, when all streams and padding are read.
    return {input.size() - lzma_.avail_in, output.size() - lzma_.avail_out, result == LZMA_STREAM_END};
  }

  lzma_stream lzma_ = LZMA_STREAM_INIT;
};

class Bzip2Bytes final : public Decompressor {
 public:
  Bzip2Bytes(std::unique_ptr<ByteSource> source, const std::string& name)
      : Decompressor(std::move(source), name, "bzip2") {
    begin();
  }
  ~Bzip2Bytes() override { BZ2_bzDecompressEnd(&bzip2_); }

 private:
  void begin() {
    bzip2_ = {};
    if (BZ2_bzDecompressInit(&bzip2_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  Progress step(std::span<const char> input, std::span<char> output, bool /*last*/) override {
    // It counts in 32 bits, as zlib.
    const std::size_t room = std::min(output.size(), std::size_t{1} << 30);
    bzip2_.next_in = const_cast<char*>(input.data());  // it only reads there
    bzip2_.avail_in = static_cast<unsigned>(input.size());
    bzip2_.next_out = output.data();
    bzip2_.avail_out = static_cast<unsigned>(room);
    const int result = BZ2_bzDecompress(&bzip2_);
    if (result == BZ_MEM_ERROR) throw std::bad_alloc();
    if (result == BZ_DATA_ERROR_MAGIC) fail_corrupt("something else follows it");
    if (result != BZ_OK && result != BZ_STREAM_END) fail_corrupt("checksums or structure do not match");
    const Progress progress{input.size() - bzip2_.avail_in, room - bzip2_.avail_out, result == BZ_STREAM_END};
    if (progress.member_ended) {
      BZ2_bzDecompressEnd(&bzip2_);
      begin();
    }
    return progress;
  }

  bz_stream bzip2_{};
};

std::unique_ptr<ByteSource> decompressor(Codec codec, std::unique_ptr<ByteSource> source, const std::string& name) {
  switch (codec) {
    case Codec::kGzip:
      return std::make_unique<GzipBytes>(std::move(source), name);
    case Codec::kZstd:
      return std::make_unique<ZstdBytes>(std::move(source), name);
    case Codec::kXz:
      return std::make_unique<XzBytes>(std::move(source), name);
    case Codec::kBzip2:
      return std::make_unique<Bzip2Bytes>(std::move(source), name);
    case Codec::kPlain:
      break;
  }
  return source;
}

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source, const std::string& name) {
  auto whole = std::make_unique<HeadedBytes>(std::move(source));
  const Codec codec = whole->head().size() < kCodecHead ? Codec::kPlain : codec_of(whole->head());
  if (codec != Codec::kPlain) {
    whole = std::make_unique<HeadedBytes>(decompressor(codec, std::move(whole), name));
  }
  expect_no_foreign(whole->head(), name);
  return whole;
}

std::unique_ptr<ByteSource> memory_bytes(std::string_view bytes) {
  return std::make_unique<MemoryBytes>(bytes);
}

}  // namespace alder
