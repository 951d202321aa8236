#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "alder/input.h"

#include "data/libsvm.h"
#include "data/support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::OwnedExample;
using test::TemporaryFolder;

const std::string kIndexZero =
    "feature index 0; feature indices count from 1 here; if they count from 0, use --zero-based yes";

std::vector<OwnedExample> rows_of(const std::string& text, std::optional<bool> zero_based = std::nullopt) {
  return collect(*read_libsvm(memory_bytes(text), "f", {}, zero_based));
}

TEST(LibsvmIndices, IndexZeroAmongTheFirstRowsMeansThatAllCountFromZero) {
  const std::vector<OwnedExample> rows = {{{0, 2}, {0.5, -2.0}, 1.0}, {{1}, {1e-3}, -1.0}};
  for (const std::string text :
       {"+1 0:0.5 2:-2\n-1 1:1e-3\n", "# c\n\n+1 00:0.5 2:-2 # 1:1\n-1 1:1e-3", "+1 7 0:0.5 2:-2\n-1 1:1e-3",
        "+1 qid:1 0:0.5 2:-2\r\n-1 1:1e-3", "\t+1 1 qid:1\t0:0.5 2:-2\n-1 1:1e-3", "+1 0:0.5 2:-2\r-1 1:1e-3\r"}) {
    EXPECT_EQ(rows_of(text), rows) << text;
  }
  EXPECT_EQ(rows_of("-1 1:1e-3\n+1 0:0.5 2:-2\n"), (std::vector<OwnedExample>{rows[1], rows[0]}));
  EXPECT_EQ(rows_of("-1 1:1e-3\r+1 0:0.5 2:-2"), (std::vector<OwnedExample>{rows[1], rows[0]}));
  EXPECT_EQ(rows_of("0:1 2:3\n"), (std::vector<OwnedExample>{{{0, 2}, {1.0, 3.0}, kNoTarget}}));
}

TEST(LibsvmIndices, OnlyTheFirstFeatureIsLookedAt) {
  for (const std::string text : {"0 1:0 10:2\n", "0 0 1:0 10:2\n", "0 1:0 10:2 # 0:1\n", "# 0:1\n0 1:0 10:2\n"}) {
    EXPECT_EQ(rows_of(text).at(0).indices, (std::vector<FeatureIndex>{0, 9})) << text;
  }
}

TEST(LibsvmIndices, CountsFromWhereItIsTold) {
  EXPECT_EQ(rows_of("1 1:5\n", true).at(0).indices, (std::vector<FeatureIndex>{1}));
  EXPECT_EQ(rows_of("1 1:5\n", false).at(0).indices, (std::vector<FeatureIndex>{0}));
  EXPECT_EQ(rows_of("1 4294967294:5\n", true).at(0).indices, (std::vector<FeatureIndex>{4294967294U}));
  EXPECT_EQ(error_of([] { rows_of("1 1:1\n1 0:1\n", false); }), "f:2: " + kIndexZero);
}

TEST(LibsvmIndices, SaysWhereItFoundThatItCounts) {
  for (const bool zero_based : {false, true}) {
    std::optional<bool> found;
    const auto reader = read_libsvm(Lines(memory_bytes(zero_based ? "1 0:1" : "1 1:1"), "f"), found);
    EXPECT_EQ(found, zero_based);
  }
}

TEST(LibsvmIndices, AllFilesCountFromWhereTheFirstDoes) {
  const TemporaryFolder folder;
  const std::string zero = folder.write("zero", "1 0:1 2:1\n");
  const std::string open = folder.write("open", "0 1:1\n");
  const auto read = [](const std::vector<std::string>& paths, InputOptions options = {}) {
    std::vector<FeatureIndex> last;
    for (const OwnedExample& example : collect(*open_input(paths, options))) last.push_back(example.indices.back());
    return last;
  };
  EXPECT_EQ(read({zero, open}), (std::vector<FeatureIndex>{2, 1}));
  EXPECT_EQ(read({open}), (std::vector<FeatureIndex>{0}));
  EXPECT_EQ(error_of([&] { read({open, zero}); }), zero + ":1: " + kIndexZero);
  InputOptions options;
  options.zero_based = true;
  EXPECT_EQ(read({open, zero}, options), (std::vector<FeatureIndex>{1, 2}));
}

TEST(LibsvmIndices, MessagesSpeakOfIndicesAsTheyAreWritten) {
  const auto error = [](const std::string& text) { return error_of([&] { rows_of(text, true); }); };
  EXPECT_EQ(error("1 4294967295:1\n"),
            "f:1: feature index '4294967295' is too large; an index from 0 to 4294967294 is expected");
  EXPECT_EQ(error("1 18446744073709551615:1\n"),
            "f:1: feature index '18446744073709551615' is too large; an index from 0 to 4294967294 is expected");
  EXPECT_EQ(error("1 a:1\n"),
            "f:1: feature index 'a' is not a whole number; an index from 0 to 4294967294 is expected");
  EXPECT_EQ(error("1 0:1 0:1\n"), "f:1: feature index 0 is repeated; strictly ascending indices are expected");
  EXPECT_EQ(error("1 3:1 0:1\n"), "f:1: feature index 0 comes after 3; strictly ascending indices are expected");
  EXPECT_EQ(error("1 3:x\n"), "f:1: value 'x' of feature 3 is not a number; a number is expected");
}

TEST(LibsvmIndices, FeaturesAreCountedFromZeroToo) {
  const auto reader = read_libsvm(memory_bytes("1\n1 0:1 6:1\n"), "f");
  collect(*reader);
  EXPECT_EQ(reader->features(), 7U);
}

TEST(LibsvmIndices, AnIndexZeroThatComesTooLateIsAnError) {
  std::string text;
  while (text.size() < 3'000'000) text += "1 1:1 2:0.25\n";
  EXPECT_EQ(error_of([&] { rows_of(text + "1 0:1\n"); }), fmt::format("f:{}: {}", text.size() / 13 + 1, kIndexZero));
  std::string soon = text.substr(0, 13 * 70'000) + "1 0:1\n" + text;
  EXPECT_EQ(rows_of(soon).at(0).indices, (std::vector<FeatureIndex>{1, 2}));
}

}  // namespace
}  // namespace alder
