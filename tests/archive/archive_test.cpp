#include "archive/archive.h"

#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

Archive sample() {
  Archive archive;
  archive.settings()["learner"] = "sample \"quoted\" \\ \"checksum\":\"";
  archive.settings()["third"] = 1.0 / 3.0;
  archive.put("doubles", std::vector<double>{0.1, -1e300, 5e-324});
  archive.put("floats", std::vector<float>{0.1F, 3.0F});
  archive.put("counts", std::vector<std::uint64_t>{~std::uint64_t{0}});
  archive.put("empty", std::vector<std::uint32_t>{});
  return archive;
}

// A file with this header and data, and the right checksum.
std::string file_with(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes += header + data;
  const std::size_t at = bytes.find(R"("checksum":")");
  if (at != std::string::npos) bytes.replace(at + 12, 16, Archive::checksum(bytes));
  return bytes;
}

std::string metadata(const std::string& version = "1", const std::string& settings = "{}") {
  return R"("__metadata__":{"format":"alder","format_version":")" + version +
         R"(","alder_version":"9.9","checksum":"0000000000000000","settings":")" + settings + R"("})";
}

std::string braced(const std::string& inside) {
  return fmt::format("{{{}}}", inside);
}

TEST(Archive, GivesBackWhatWasPutToTheBit) {
  const Archive archive = Archive::decode(sample().encode());
  EXPECT_EQ(archive.settings(), sample().settings());
  EXPECT_EQ(archive.settings()["third"].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(archive.get<double>("doubles"), (std::vector<double>{0.1, -1e300, 5e-324}));
  EXPECT_EQ(archive.get<float>("floats", 2), (std::vector<float>{0.1F, 3.0F}));
  EXPECT_EQ(archive.get<std::uint64_t>("counts"), std::vector<std::uint64_t>{~std::uint64_t{0}});
  EXPECT_TRUE(archive.get<std::uint32_t>("empty").empty());
  EXPECT_EQ(archive.encode(), sample().encode());
}

TEST(Archive, TensorsAreAligned) {
  const std::string bytes = sample().encode();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
}

TEST(Archive, EveryTruncationAndEveryFlippedBitIsNoticed) {
  const std::string bytes = sample().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(message_of([&] { (void)Archive::decode(bytes.substr(0, size)); }), "nothing thrown") << size;
  }
  EXPECT_NE(message_of([&] { (void)Archive::decode(bytes + '\0'); }), "nothing thrown");
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(message_of([&] { (void)Archive::decode(flipped); }), "nothing thrown") << bit;
  }
}

TEST(Archive, SaysWhatIsWrong) {
  const std::string prefix = "not a sound alder model: ";
  EXPECT_EQ(message_of([] { (void)Archive::decode(""); }), prefix + "it ends before its header");
  EXPECT_EQ(message_of([] { (void)Archive::decode("+1 1:0.5 2:0.25\n"); }), prefix + "it begins as a text does");
  EXPECT_EQ(message_of([] { (void)Archive::decode(file_with("[1]", "")); }), prefix + "its header is not JSON");
  EXPECT_EQ(message_of([] { (void)Archive::decode(file_with(braced(metadata("3")), "")); }),
            "a model of format version 3, written by alder 9.9; this is alder 0.1.0, which reads versions 1 to 2");
  EXPECT_EQ(message_of([] { (void)Archive::decode(file_with(braced(metadata("1", "[")), "")); }),
            prefix + "its settings are not JSON");
  const Archive archive = sample();
  EXPECT_EQ(message_of([&] { (void)archive.get<double>("nothing"); }), prefix + "tensor nothing is missing");
  EXPECT_EQ(message_of([&] { (void)archive.get<float>("doubles"); }),
            prefix + "tensor doubles is of type F64; expected F32");
  EXPECT_EQ(message_of([&] { (void)archive.get<double>("doubles", 4); }),
            prefix + "tensor doubles has 3 numbers; expected 4");
  EXPECT_EQ(message_of([&] { (void)Archive::read<double>(archive.settings(), "learner"); }).substr(0, 45),
            prefix + "the setting learner ");
}

TEST(Archive, ClaimsThatDoNotFitTheFileAreRefusedWithoutAllocatingForThem) {
  const auto with_tensor = [](const std::string& entry) {
    return message_of([&] { (void)Archive::decode(file_with(braced(metadata() + R"(,"t":)" + entry), "12345678")); });
  };
  EXPECT_EQ(with_tensor(R"({"dtype":"F64","shape":[1],"data_offsets":[0,8]})"), "nothing thrown");
  const std::string fit = "not a sound alder model: tensor t does not fit into the file or its shape";
  EXPECT_EQ(with_tensor(R"({"dtype":"F64","shape":[1],"data_offsets":[0,18446744073709551608]})"), fit);
  EXPECT_EQ(with_tensor(R"({"dtype":"F64","shape":[2305843009213693953],"data_offsets":[0,8]})"), fit);
  EXPECT_EQ(with_tensor(R"({"dtype":"F64","shape":[2],"data_offsets":[0,8]})"), fit);
  EXPECT_EQ(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"), fit);
  EXPECT_EQ(with_tensor(R"({"dtype":"F32","shape":[1],"data_offsets":[8,4]})"), fit);
  EXPECT_NE(with_tensor(R"({"dtype":"F64","shape":[-1],"data_offsets":[0,8]})"), "nothing thrown");
  EXPECT_NE(with_tensor(R"({"dtype":"F64","shape":[1.5],"data_offsets":[0,8]})"), "nothing thrown");
  EXPECT_NE(with_tensor(R"({"dtype":"I8","shape":[8],"data_offsets":[0,8]})"), "nothing thrown");
  EXPECT_NE(with_tensor(R"({"dtype":"F64"})"), "nothing thrown");
  EXPECT_NE(with_tensor("7"), "nothing thrown");
  EXPECT_EQ(message_of([&] { (void)Archive::decode(file_with(braced(metadata()), "12345678")); }),
            "not a sound alder model: it goes on behind its last tensor");
}

}  // namespace
}  // namespace alder
