#include "archive/json.h"

#include <cstring>

#include <gtest/gtest.h>

#include "alder/registry.h"

#include "archive/archive.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

// Text that would need more stack than there is, if it were copied or destroyed as a value.
constexpr std::size_t kManyLevels = 200000;

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string nested_objects(std::size_t levels) {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) text += R"({"a":)";
  return text + "1" + std::string(levels, '}');
}

TEST(ParseJson, TakesSomeLevelsAndNotMany) {
  EXPECT_EQ(parse_json(nested(60)).dump(), nested(60));
  EXPECT_EQ(parse_json(nested_objects(60)).dump(), nested_objects(60));
  for (const std::size_t levels : {std::size_t{70}, kManyLevels}) {
    const std::string message = "it is JSON of more than 64 levels; expected fewer";
    EXPECT_EQ(message_of([levels] { parse_json(nested(levels)); }), message);
    EXPECT_EQ(message_of([levels] { parse_json(nested_objects(levels)); }), message);
    EXPECT_EQ(message_of([levels] { parse_json(std::string(levels, '[')); }), message);
  }
}

TEST(ParseJson, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "{]", "1e999", "nul", "\"\xff\"", "1 2"}) {
    EXPECT_EQ(message_of([text] { parse_json(text); }).substr(0, 14), "it is no JSON:") << text;
  }
}

TEST(ParseJson, IsWhatReadsOptionsAndModels) {
  EXPECT_EQ(message_of([] { (void)make_learner("alder", nested(kManyLevels)); }),
            "the options of alder: it is JSON of more than 64 levels; expected fewer; expected {\"name\": value, ...}");
  std::string bytes(8, '\0');
  const std::string header = R"({"__metadata__":)" + nested(kManyLevels) + "}";
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_EQ(message_of([&] { (void)Archive::decode(bytes + header); }),
            "not a sound alder model: its header is not JSON");
}

}  // namespace
}  // namespace alder
