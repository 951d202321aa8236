#include "io/foreign.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "alder/error.h"

#include "data/support.h"
#include "io/bytes.h"
#include "io/input_file.h"

namespace alder {
namespace {

using namespace std::string_literals;
using test::error_of;
using test::PiecewiseBytes;
using test::read_all;
using test::TemporaryFolder;

std::string gzipped(const std::string& bytes) {
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&zlib, bytes.size()) + 32, '\0');
  std::string input = bytes;
  zlib.next_in = reinterpret_cast<Bytef*>(input.data());
  zlib.avail_in = static_cast<uInt>(input.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

// First bytes, and words of the message.
const std::vector<std::pair<std::string, std::vector<std::string>>> kForeign = {
    {"PK\x03\x04\x14\0\0\0"s, {"f: this is a zip archive; expected text such as CSV", "`unzip -p f | alder", ".xlsx"}},
    {"PAR1\x15\x04"s, {"f: this is a Parquet file;", "alder.stream_parquet", "CSV"}},
    {"ARROW1\0\0"s, {"f: this is an Arrow or Feather file;", "CSV"}},
    {"FEA1\0\0"s, {"f: this is a Feather file;", "CSV"}},
    {"SQLite format 3\0\x10\0"s, {"f: this is an SQLite database;", "sqlite3 -header -csv f"}},
    {"\x89HDF\r\n\x1a\n"s, {"f: this is an HDF5 file;", "CSV"}},
    {"%PDF-1.7\n"s, {"f: this is a PDF document;", "CSV"}},
    {"\x93NUMPY\x01\0v\0"s, {"f: this is a NumPy array;", "Python"}},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"s, {"f: this is an Office document, such as .xls;", "CSV"}},
    {"\xff\xfe"s + "1\0 \0"s, {"f: this is UTF-16 text;", "iconv -f UTF-16 -t UTF-8 f"}},
    {"\xfe\xff\0001\0 "s, {"f: this is UTF-16 text;", "iconv -f UTF-16 -t UTF-8 f"}},
    {"\xff\xfe\0\0001\0\0\0"s, {"f: this is UTF-32 text;", "iconv -f UTF-32 -t UTF-8 f"}},
};

TEST(ForeignFiles, AreToldByTheirFirstBytesAlsoWhenCompressed) {
  for (const auto& [bytes, words] : kForeign) {
    for (const std::string& content : {bytes, bytes + std::string(100, 'x'), gzipped(bytes)}) {
      for (const std::size_t piece : {1, 3, 100}) {
        const std::string message =
            error_of([&] { decompressed(std::make_unique<PiecewiseBytes>(content, piece), "f"); });
        for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << message;
      }
    }
  }
}

TEST(ForeignFiles, AreErrorsOfTheFormat) {
  for (const auto& [bytes, words] : kForeign) {
    try {
      decompressed(memory_bytes(bytes), "f");
      ADD_FAILURE() << words[0];
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kFormat);
    }
  }
}

TEST(ForeignFiles, AreNamed) {
  const TemporaryFolder folder;
  const std::string path = folder.write("rows.zip", "PK\x03\x04");
  EXPECT_TRUE(error_of([&] { open_bytes(path); }).starts_with(path + ": this is a zip archive;"));
  EXPECT_NE(error_of([] { expect_no_foreign("PK\x03\x04", "standard input"); }).find("unzip -p FILE |"),
            std::string::npos);
}

TEST(ForeignFiles, TextThatOnlyBeginsLikeThemIsText) {
  for (const std::string text :
       {"P", "PK", "PK,x\n", "PAR,1\n", "PAR", "A", "ARROW,1\n", "FEA,1\n", "SQLite format 3", "SQLite format 3\n",
        "%PDF", "B", "BZ", "BZh9", "BZh9,x\n", "BZh91,y\n", "(", "QRST"}) {
    for (const std::size_t piece : {1, 2, 100}) {
      for (const std::string& content : {text, gzipped(text)}) {
        EXPECT_EQ(read_all(*decompressed(std::make_unique<PiecewiseBytes>(content, piece), "f"), 5), text);
      }
    }
  }
}

TEST(ForeignFiles, NoMoreIsReadThanItTakesToKnow) {
  // A live pipe gives its first row long before the second: this source ends the test if it is asked too early.
  class Once final : public ByteSource {
   public:
    explicit Once(std::string text) : text_(std::move(text)) {}
    std::size_t read(std::span<char> buffer) override {
      if (asked_) throw std::logic_error("asked twice");
      asked_ = true;
      return text_.copy(buffer.data(), buffer.size());
    }

   private:
    std::string text_;
    bool asked_ = false;
  };
  for (const std::string text : {"A\n", "P\n", "B,1\n", "1\n", "Se", "FEB", "BZa"}) {
    EXPECT_NO_THROW(decompressed(std::make_unique<Once>(text), "f")) << text;
  }
}

}  // namespace
}  // namespace alder
