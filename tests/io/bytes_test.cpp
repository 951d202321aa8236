#include "io/bytes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <bzlib.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "data/support.h"
#include "io/input_file.h"

namespace alder {
namespace {

using test::error_of;
using test::PiecewiseBytes;
using test::read_all;
using test::TemporaryFolder;

std::string gzip(const std::string& text) {
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&zlib, text.size()) + 32, '\0');
  std::string input = text;
  zlib.next_in = reinterpret_cast<Bytef*>(input.data());
  zlib.avail_in = static_cast<uInt>(input.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string zstd(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
  EXPECT_FALSE(ZSTD_isError(size));
  ZSTD_freeCCtx(context);
  out.resize(size);
  return out;
}

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

std::string bzip2(const std::string& text) {
  std::string input = text;
  auto size = static_cast<unsigned>(text.size() + text.size() / 100 + 600);
  std::string out(size, '\0');
  EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, input.data(), static_cast<unsigned>(input.size()), 9, 0, 0),
            BZ_OK);
  out.resize(size);
  return out;
}

// The beginning of an xz file whose dictionary would take 512 MiB.
std::string xz_with_large_dictionary() {
  lzma_options_lzma options{};
  lzma_lzma_preset(&options, 0);
  options.dict_size = std::uint32_t{1} << 29;
  std::array<lzma_filter, 2> filters = {lzma_filter{LZMA_FILTER_LZMA2, &options},
                                        lzma_filter{LZMA_VLI_UNKNOWN, nullptr}};
  lzma_stream_flags flags{};
  flags.check = LZMA_CHECK_CRC32;
  std::array<std::uint8_t, LZMA_STREAM_HEADER_SIZE> header{};
  EXPECT_EQ(lzma_stream_header_encode(&flags, header.data()), LZMA_OK);
  lzma_block block{};
  block.check = LZMA_CHECK_CRC32;
  block.compressed_size = LZMA_VLI_UNKNOWN;
  block.uncompressed_size = LZMA_VLI_UNKNOWN;
  block.filters = filters.data();
  EXPECT_EQ(lzma_block_header_size(&block), LZMA_OK);
  std::vector<std::uint8_t> block_header(block.header_size);
  EXPECT_EQ(lzma_block_header_encode(&block, block_header.data()), LZMA_OK);
  std::string out(header.begin(), header.end());
  out.append(block_header.begin(), block_header.end());
  return out + std::string(64, '\0');
}

// Some text that does not compress to nothing and is longer than every internal buffer.
std::string long_text() {
  std::string text;
  std::uint64_t state = 1;
  while (text.size() < 700'000) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(state >> 33) + " ";
  }
  return text;
}

std::string decompress(const std::string& bytes, std::size_t piece, std::size_t buffer_size) {
  return read_all(*decompressed(std::make_unique<PiecewiseBytes>(bytes, piece), "f"), buffer_size);
}

struct Codec {
  std::string name;
  std::function<std::string(const std::string&)> compress;
};

class Compression : public testing::TestWithParam<Codec> {};

TEST_P(Compression, RoundTripsAFile) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  const std::string path = folder.write("name-says-nothing.txt", GetParam().compress(text));
  EXPECT_EQ(read_all(*open_bytes(path)), text);
}

TEST_P(Compression, RoundTripsAnEmptyFile) {
  EXPECT_EQ(decompress(GetParam().compress(""), 100, 100), "");
}

TEST_P(Compression, RoundTripsByteByByte) {
  const std::string text = long_text().substr(0, 5000);
  EXPECT_EQ(decompress(GetParam().compress(text), 1, 4096), text);
  EXPECT_EQ(decompress(GetParam().compress(text), 4096, 1), text);
  EXPECT_EQ(decompress(GetParam().compress(text), 1, 1), text);
}

TEST_P(Compression, JoinsConcatenatedMembers) {
  const std::string members = GetParam().compress("first ") + GetParam().compress("") + GetParam().compress("second");
  for (const std::size_t piece : {1, 7, 1000}) EXPECT_EQ(decompress(members, piece, 64), "first second");
  const std::string text = long_text();
  EXPECT_EQ(decompress(GetParam().compress(text) + GetParam().compress(text), 1 << 20, 1 << 12), text + text);
}

TEST_P(Compression, EndsForGood) {
  const auto source = decompressed(std::make_unique<PiecewiseBytes>(GetParam().compress("text"), 3), "f");
  EXPECT_EQ(read_all(*source), "text");
  std::array<char, 4> buffer{};
  EXPECT_EQ(source->read(buffer), 0U);
  EXPECT_EQ(source->read(buffer), 0U);
}

TEST_P(Compression, EveryTruncationIsAnError) {
  const std::string whole = GetParam().compress("some text, some more text, and some text again");
  for (std::size_t size = 6; size < whole.size(); ++size) {
    const std::string message = error_of([&] { decompress(whole.substr(0, size), 1000, 1000); });
    EXPECT_EQ(message, "f: truncated " + GetParam().name + " data") << size;
  }
}

TEST_P(Compression, TruncationInTheSecondMemberIsAnError) {
  const std::string first = GetParam().compress("first");
  const std::string both = first + GetParam().compress("second");
  for (std::size_t size = first.size() + 1; size < both.size(); ++size) {
    EXPECT_EQ(error_of([&] { decompress(both.substr(0, size), 5, 1000); }), "f: truncated " + GetParam().name + " data")
        << size;
  }
}

TEST_P(Compression, TruncatedFileIsNamed) {
  const TemporaryFolder folder;
  const std::string whole = GetParam().compress(long_text());
  const std::string path = folder.write("x", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(error_of([&] { read_all(*open_bytes(path)); }), path + ": truncated " + GetParam().name + " data");
}

TEST_P(Compression, CorruptDataIsAnError) {
  std::string bytes = GetParam().compress(long_text());
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 50; ++i) bytes[i] = static_cast<char>(bytes[i] ^ 0x5a);
  const std::string message = error_of([&] { decompress(bytes, 1 << 16, 1 << 16); });
  EXPECT_TRUE(message.starts_with("f: corrupt " + GetParam().name + " data (")) << message;
}

TEST_P(Compression, ForeignBytesAfterTheEndAreAnError) {
  const std::string bytes = GetParam().compress("text") + "and then plain text follows";
  const std::string message = error_of([&] { decompress(bytes, 1000, 1000); });
  EXPECT_TRUE(message.starts_with("f: corrupt " + GetParam().name + " data (")) << message;
}

TEST_P(Compression, RandomDamageIsDataOrAnError) {
  rc::check([&](const std::string& text) {
    std::string bytes = GetParam().compress(text + text + text);
    const auto damages = *rc::gen::container<std::vector<std::pair<std::uint16_t, char>>>(
        3, rc::gen::arbitrary<std::pair<std::uint16_t, char>>());
    for (const auto& [place, byte] : damages) bytes[place % bytes.size()] = byte;
    try {
      decompress(bytes, *rc::gen::inRange<std::size_t>(1, 100), *rc::gen::inRange<std::size_t>(1, 100));
    } catch (const Error&) {
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, Compression,
                         testing::Values(Codec{"gzip", gzip}, Codec{"zstd", zstd}, Codec{"xz", xz},
                                         Codec{"bzip2", bzip2}),
                         [](const testing::TestParamInfo<Codec>& param) { return param.param.name; });

TEST(Bytes, PlainTextPassesThrough) {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string text = std::string("+1 1:0.5 2:3 # no more").substr(0, size);
    for (const std::size_t piece : {1, 2, 5, 6, 7, 100}) {
      EXPECT_EQ(decompress(text, piece, 100), text);
      EXPECT_EQ(decompress(text, piece, 1), text);
    }
  }
}

TEST(Bytes, MemoryIsASource) {
  const std::string text = "some text";
  EXPECT_EQ(read_all(*memory_bytes(text), 2), text);
  EXPECT_EQ(read_all(*memory_bytes("")), "");
}

TEST(Bytes, FilesShorterThanAMagicNumberArePlain) {
  EXPECT_EQ(decompress("\x1f\x8b", 1, 10), "\x1f\x8b");
  EXPECT_EQ(decompress("\x28\xb5\x2f\xfd", 1, 10), "\x28\xb5\x2f\xfd");
  EXPECT_EQ(decompress("\xfd"
                       "7zXZ",
                       1, 10),
            "\xfd"
            "7zXZ");
}

TEST(Bytes, ZstdMayBeginWithASkippableFrame) {
  const std::string skippable("\x5e\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  EXPECT_EQ(decompress(skippable + zstd("text"), 4, 10), "text");
}

TEST(Bytes, XzMayBePadded) {
  EXPECT_EQ(decompress(xz("one ") + std::string(4, '\0') + xz("two"), 4, 10), "one two");
}

TEST(Bytes, TooMuchMemoryIsAnError) {
  const std::string xz_message = error_of([] { decompress(xz_with_large_dictionary(), 1000, 1000); });
  EXPECT_TRUE(xz_message.starts_with("f: this xz data needs more than 256 MiB of memory")) << xz_message;
  const std::string large_window("\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00", 9);  // 512 MiB
  const std::string zstd_message = error_of([&] { decompress(large_window, 1000, 1000); });
  EXPECT_TRUE(zstd_message.starts_with("f: this zstd data needs more than 256 MiB of memory")) << zstd_message;
}

TEST(Bytes, MissingFileIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("none");
  EXPECT_EQ(error_of([&] { open_bytes(path); }), path + ": No such file or directory");
}

TEST(Bytes, DirectoryIsNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.path(".");
  EXPECT_EQ(error_of([&] { open_bytes(path); }), path + ": Is a directory");
}

TEST(Bytes, ForbiddenFileIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.write("secret", "text");
  chmod(path.c_str(), 0);
  EXPECT_EQ(error_of([&] { open_bytes(path); }), path + ": Permission denied");
}

// A writer that gives a pipe one byte at a time.
void write_slowly(int descriptor, const std::string& bytes) {
  for (const char byte : bytes) ASSERT_EQ(write(descriptor, &byte, 1), 1);
  close(descriptor);
}

TEST(Bytes, NamedPipeDeliversByteByByte) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  const std::string text = long_text().substr(0, 3000);
  for (const std::string& bytes : {text, gzip(text), zstd(text), xz(text), bzip2(text)}) {
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { write_slowly(open(path.c_str(), O_WRONLY), bytes); });
    EXPECT_EQ(read_all(*open_bytes(path)), text);
    writer.join();
    unlink(path.c_str());
  }
}

TEST(Bytes, DashIsStandardInput) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  std::thread writer([&] { write_slowly(ends[1], gzip("from a pipe") + "junk"); });
  const std::string message = error_of([] { read_all(*open_bytes("-")); });
  EXPECT_GE(fcntl(STDIN_FILENO, F_GETFD), 0) << "standard input is not ours to close";
  writer.join();
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  EXPECT_TRUE(message.starts_with("standard input: corrupt gzip data (")) << message;
}

}  // namespace
}  // namespace alder
