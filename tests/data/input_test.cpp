#include "data/input.h"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "support.h"

namespace alder {
namespace {

using test::collect;
using test::error_of;
using test::owned;
using test::OwnedExample;
using test::PiecewiseBytes;
using test::TemporaryFolder;

const std::vector<OwnedExample> kTwoRows = {{{0, 2}, {0.5, -2.0}, 0.0}, {{1}, {1e-3}, 1.0}};

// Every fact holds with and without a thread of its own.
class Inputs : public testing::TestWithParam<bool> {
 protected:
  static InputOptions options() {
    InputOptions options;
    options.read_ahead = GetParam();
    return options;
  }
  std::string write(const std::string& name, const std::string& content) { return folder_.write(name, content); }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(ReadAhead, Inputs, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& param) { return param.param ? "on" : "off"; });

std::string gzipped(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

TEST_P(Inputs, ReadFilesOfEitherFormat) {
  EXPECT_EQ(collect(*open_input({write("a", "+1 1:0.5 3:-2\n-1 2:1e-3\n")}, options())), kTwoRows);
  EXPECT_EQ(collect(*open_input({write("a", "a,b,c,label\n0.5,0,-2,1\n0,1e-3,0,-1\n")}, options())), kTwoRows);
  EXPECT_EQ(collect(*open_input({gzipped(folder_.path("a"), "0 1:0.5 3:-2\n-1 2:1e-3\n")}, options())), kTwoRows);
}

TEST_P(Inputs, TheFormatCanBeForced) {
  InputOptions forced = options();
  forced.format = Format::kLibsvm;
  EXPECT_EQ(error_of([&] { collect(*open_input({write("a", "1,2\n")}, forced)); }), "(no error)");
  forced.format = Format::kCsv;
  EXPECT_EQ(error_of([&] { collect(*open_input({write("a", "1\n")}, forced)); }),
            folder_.path("a") + ":1: one column; expected a label and at least one feature");
  forced = options();
  forced.separator = '|';
  EXPECT_EQ(collect(*open_input({write("a", "0.5|0|-2|1\n0|1e-3|0|-1\n")}, forced)), kTwoRows);
}

TEST_P(Inputs, WhatIsNeitherFormatIsAnError) {
  EXPECT_EQ(
      error_of([&] { collect(*open_input({write("a", "# x\ny z 1:2\n")}, options())); }),
      folder_.path("a") +
          ":2: 'y z 1:2' is in no format that is known; expected fields with tab, semicolon or comma between them "
          "(CSV), 'label index:value ...' (LIBSVM), 'label | name:value ...' (VW), a JSON object on each line, or "
          "ARFF");
}

TEST_P(Inputs, SeveralFilesAreOneStream) {
  const std::vector<std::string> paths = {write("a", "2 1:0.5 3:-2\n"), write("b", "\n# nothing\n"), write("c", ""),
                                          gzipped(folder_.path("d"), "1 2:1e-3")};
  const auto input = open_input(paths, options());
  EXPECT_EQ(collect(*input), kTwoRows);
  EXPECT_EQ(input->classes(), (std::vector<std::string>{"2", "1"}));
  EXPECT_EQ(input->features_seen(), 3U);
  EXPECT_EQ(collect(*open_input({write("a", "y,a,b,c\n1,0.5,0,-2\n"), write("b", "y,a,b,c\n0,0,1e-3,0\n")}, options())),
            kTwoRows);
}

TEST_P(Inputs, SeveralFilesHaveOneFormat) {
  const std::vector<std::string> paths = {write("a", "1 1:1\n"), write("b", "1,2\n")};
  EXPECT_EQ(error_of([&] { collect(*open_input(paths, options())); }),
            paths[1] + ":1: this looks like CSV; expected LIBSVM as in " + paths[0]);
}

TEST_P(Inputs, FilesThatAreNotThereAreToldAtOnce) {
  const std::string there = write("there", "1\n");
  EXPECT_EQ(error_of([&] {
              open_input({there, folder_.path("none")}, options());
            }),
            folder_.path("none") + ": No such file or directory");
  EXPECT_EQ(error_of([&] { open_input({folder_.path(".")}, options()); }), folder_.path(".") + ": Is a directory");
  EXPECT_EQ(error_of([&] { open_input({}, options()); }), "no file; expected at least one, or - for standard input");
}

TEST_P(Inputs, AFileWithoutRowsIsAnEnd) {
  const auto input = open_input({write("a", "")}, options());
  Example example;
  EXPECT_FALSE(input->next(example));
  EXPECT_FALSE(input->next(example));
  EXPECT_EQ(input->peek(5).size(), 0U);
  EXPECT_TRUE(input->classes().empty());
  EXPECT_EQ(input->features_seen(), 0U);
}

TEST_P(Inputs, AnErrorComesAfterTheRowsBeforeItAndAgain) {
  for (const int rows : {0, 1, 255, 256, 257, 5000}) {
    std::string text;
    for (int i = 0; i < rows; ++i) text += fmt::format("{} 1:{}\n", i % 2, i);
    const auto input = read_input(memory_bytes(text + "1 1:x\n1 1:1\n"), "f", options());
    Example example;
    for (int i = 0; i < rows; ++i) {
      ASSERT_TRUE(input->next(example));
      ASSERT_EQ(example.row.value(0), i);
    }
    const std::string message =
        fmt::format("f:{}: value 'x' of feature 1 is not a number; a number is expected", rows + 1);
    EXPECT_EQ(error_of([&] { input->next(example); }), message);
    EXPECT_EQ(error_of([&] { input->next(example); }), message);
  }
}

TEST_P(Inputs, BadRowsMayBeLeftOut) {
  InputOptions skipping = options();
  skipping.skip_bad = 3;
  skipping.classes = {"+1", "-1"};
  skipping.only_classes = true;
  const std::string text = "1 2:1 2:1\n+1 1:0.5 3:-2\n1 1:x\n-1 2:1e-3\n3 1:1\n";
  const auto input = read_input(memory_bytes(text), "f", skipping);
  EXPECT_EQ(collect(*input), kTwoRows);
  EXPECT_EQ(input->bad_rows(), 3U);
  EXPECT_EQ(input->bad_messages(), (std::vector<std::string>{
                                       "f:1: feature index 2 is repeated; strictly ascending indices are expected",
                                       "f:3: value 'x' of feature 1 is not a number; a number is expected",
                                       "f:5: label '3'; expected +1 or -1",
                                   }));
  const auto failing = read_input(memory_bytes(text + "1 5:1 5:1\n"), "f", skipping);
  Example example;
  EXPECT_TRUE(failing->next(example));
  EXPECT_TRUE(failing->next(example));
  EXPECT_EQ(error_of([&] { failing->next(example); }),
            "f:6: feature index 5 is repeated; strictly ascending indices are expected");
  EXPECT_EQ(failing->bad_rows(), 3U);
}

TEST_P(Inputs, KeepTheFirstTenMessages) {
  InputOptions skipping = options();
  skipping.skip_bad = 1000;
  std::string text = "1 1:1\n0 1:1\n";
  for (int i = 0; i < 1000; ++i) text += "1 1:x\n";
  const auto input = read_input(memory_bytes(text), "f", skipping);
  EXPECT_EQ(collect(*input).size(), 2U);
  EXPECT_EQ(input->bad_rows(), 1000U);
  ASSERT_EQ(input->bad_messages().size(), 10U);
  EXPECT_EQ(input->bad_messages().back(), "f:12: value 'x' of feature 1 is not a number; a number is expected");
}

TEST_P(Inputs, CannotLeaveOutWhatIsNotAboutARow) {
  InputOptions skipping = options();
  skipping.skip_bad = 10;
  const std::string path = gzipped(folder_.path("a"), "1 1:1\n0 1:1\n");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(error_of([&] { collect(*open_input({path}, skipping)); }), path + ": truncated gzip data");
}

TEST_P(Inputs, PeekingConsumesNothing) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{} 1:{}\n", i % 2, i);
  const std::vector<OwnedExample> all = collect(*read_input(memory_bytes(text), "f", options()));
  const auto input = read_input(memory_bytes(text), "f", options());
  EXPECT_EQ(input->peek(0).size(), 0U);
  EXPECT_EQ(input->peek(500).size(), 500U);
  EXPECT_EQ(input->classes(), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(owned(input->peek(3)[499]), all[499]);
  Example example;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(input->next(example));
    ASSERT_EQ(owned(example), all[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(owned(input->peek(250)[249]), all[549]);
  EXPECT_EQ(input->peek(5000).size(), 700U);
  EXPECT_EQ(collect(*input), std::vector<OwnedExample>(all.begin() + 300, all.end()));
  EXPECT_EQ(input->peek(1).size(), 0U);
}

TEST_P(Inputs, PeekingLeavesAnErrorForLater) {
  const auto input = read_input(memory_bytes("1 1:1\n0 1:2\n1 1:x\n"), "f", options());
  EXPECT_EQ(input->peek(10).size(), 2U);
  Example example;
  EXPECT_TRUE(input->next(example));
  EXPECT_TRUE(input->next(example));
  EXPECT_EQ(error_of([&] { input->next(example); }),
            "f:3: value 'x' of feature 1 is not a number; a number is expected");
}

TEST_P(Inputs, TellWhereLabelsComeFrom) {
  const auto guessed = [&](const std::string& text, const std::string& column = "") {
    InputOptions asked = options();
    asked.label_column = column;
    const auto input = read_input(std::make_unique<PiecewiseBytes>(text), "f", asked);
    EXPECT_FALSE(input->label_column().has_value());
    EXPECT_EQ(input->peek(1).size(), 1U);
    const auto label = input->label_column();
    return label ? fmt::format("{} '{}' {}", label->place + 1, label->name, label->how) : "";
  };
  EXPECT_EQ(guessed("1,2,0\n3,4,1\n"), "3 '' last");
  EXPECT_EQ(guessed("a,b,c\n1,2,0\n3,4,1\n"), "3 'c' last");
  EXPECT_EQ(guessed("y,b,class\n1,2,0\n3,4,1\n"), "3 'class' last");
  EXPECT_EQ(guessed("a,Class,c\n1,0,2\n3,1,4\n"), "2 'Class' name");
  EXPECT_EQ(guessed("a,b,c\n1,2,0\n3,4,1\n", "c"), "3 'c' given");
  EXPECT_EQ(guessed("1,2,0\n3,4,1\n", "-1"), "3 '' given");
  EXPECT_EQ(guessed("0 1:2\n1 1:3\n"), "");
}

TEST_P(Inputs, NameFeaturesAsTheFilesDo) {
  const auto named = read_input(std::make_unique<PiecewiseBytes>("a,y,c\n1,0,2\n3,1,4\n"), "f", options());
  EXPECT_EQ(named->feature_name(1), "feature 2");
  named->peek(1);
  EXPECT_EQ(named->feature_name(0), "a");
  EXPECT_EQ(named->feature_name(1), "c");
  EXPECT_EQ(named->feature_name(5), "c missing");
  EXPECT_EQ(named->feature_name(6), "feature 7");
  const auto numbered = read_input(std::make_unique<PiecewiseBytes>("0 1:2\n1 1:3\n"), "f", options());
  numbered->peek(1);
  EXPECT_EQ(numbered->feature_name(0), "feature 1");
}

TEST_P(Inputs, CountBytesAsTheyAreInTheFiles) {
  const std::string plain = write("a", "1 1:1\n");
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "0 1:0.25\n";
  const std::string packed = gzipped(folder_.path("b"), text);
  const auto input = open_input({plain, packed}, options());
  const std::uint64_t total = 6 + std::filesystem::file_size(packed);
  EXPECT_EQ(input->bytes_total(), total);
  EXPECT_EQ(input->bytes_read(), 0U);
  EXPECT_EQ(collect(*input).size(), 100'001U);
  EXPECT_EQ(input->bytes_read(), total);
  EXPECT_GT(input->read_seconds(), 0.0);
}

TEST_P(Inputs, MayBeGivenUpAtAnyRow) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{} 1:{}\n", i % 2, i);
  const std::string path = write("a", text);
  for (const int rows : {0, 1, 255, 256, 257, 3000}) {
    const auto input = open_input({path}, options());
    Example example;
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(input->next(example));
  }
}

TEST_P(Inputs, InterruptionEndsTheStream) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{} 1:{}\n", i % 2, i);
  const auto input = open_input({write("a", text)}, options());
  Example example;
  ASSERT_TRUE(input->next(example));
  input->interrupt();
  input->interrupt();
  int rest = 0;
  while (input->next(example)) ++rest;
  EXPECT_LE(rest, 5 * 256);
  EXPECT_FALSE(input->next(example));
}

TEST_P(Inputs, LinesMayStraddleBuffersAndBatches) {
  std::string text;
  std::vector<std::string> written;
  for (int i = 0; i < 30'000; ++i) {
    text += fmt::format("{}", i % 3 == 0 ? "yes" : "no");
    for (int j = 1; j <= i % 40; ++j) text += fmt::format(" {}:{}", j * (1 + i % 5), i + j);
    text += "\n";
  }
  const auto input = read_input(std::make_unique<PiecewiseBytes>(text, 9973), "f", options());
  Example example;
  for (int i = 0; i < 30'000; ++i) {
    ASSERT_TRUE(input->next(example));
    ASSERT_EQ(example.target, i % 3 == 0 ? 0.0 : 1.0);
    ASSERT_EQ(example.row.size(), static_cast<std::size_t>(i % 40));
    for (std::size_t j = 0; j < example.row.size(); ++j) {
      ASSERT_EQ(example.row.feature(j), (j + 1) * static_cast<std::size_t>(1 + i % 5) - 1);
      ASSERT_EQ(example.row.value(j), i + static_cast<int>(j) + 1);
    }
  }
  EXPECT_FALSE(input->next(example));
  EXPECT_EQ(input->features_seen(), 195U);
}

TEST_P(Inputs, DeliverAsManyRowsAtOnceAsWanted) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += fmt::format("{} 1:{}\n", i % 2, i);
  InputOptions many = options();
  many.rows_at_once = 4096;
  const auto input = read_input(memory_bytes(text), "f", many);
  EXPECT_EQ(input->read(10'000).size(), GetParam() ? 4096U : 1U);
  EXPECT_EQ(collect(*read_input(memory_bytes(text), "f", many)),
            collect(*read_input(memory_bytes(text), "f", options())));
}

// Every row and its weight, 1 unless it has another.
std::vector<double> weights_of(Input& input) {
  std::vector<double> weights;
  Example example;
  while (input.next(example)) weights.push_back(example.weight);
  return weights;
}

TEST_P(Inputs, RowsMayHaveWeights) {
  const std::vector<double> expected = {2.5, 1.0, 0.0, 1e6};
  EXPECT_EQ(weights_of(*open_input({write("a", "1 2.5 1:1\n0 1:2\n1 0\n0 1e6 2:1\n")}, options())), expected);
  InputOptions column = options();
  column.weight_column = "w";
  EXPECT_EQ(weights_of(*open_input({write("a", "w,x,y\n2.5,1,1\n1,2,0\n0,3,1\n1e6,0,0\n")}, column)), expected);
  InputOptions file = options();
  file.weights_file = write("weights", "2.5\n\n# the second\n 1\n0\n1e6");
  EXPECT_EQ(weights_of(*open_input({write("a", "1 1:1\n0 1:2\n"), write("b", "1\n0 2:1\n")}, file)), expected);
  EXPECT_EQ(weights_of(*open_input({write("a", "x,y\n1,1\n2,0\n3,1\n0,0\n")}, file)), expected);
}

// Learners without a place for weights see none.
TEST_P(Inputs, RowsWithoutWeightsHaveNoArrayOfThem) {
  const auto input = open_input({write("a", "1 1 1:1\n0 1:2\n")}, options());
  for (Examples read = input->read(9); !read.empty(); read = input->read(9)) EXPECT_TRUE(read.weights.empty());
}

TEST_P(Inputs, KeepTheWeightsOfRowsThatArePeekedAt) {
  const auto input = open_input({write("a", "1 1:1\n0 3 1:2\n1 4 1:1\n")}, options());
  EXPECT_EQ(input->peek(2)[1].weight, 3.0);
  EXPECT_EQ(weights_of(*input), (std::vector<double>{1.0, 3.0, 4.0}));
}

TEST_P(Inputs, WeightsThatAreNoneMakeBadRows) {
  const std::string rows = write("a", "1 1:1\n0 1:2\n1 1:x\n1 1:3\n");
  InputOptions file = options();
  file.weights_file = write("weights", "1\nheavy\n3\n4\n");
  const std::string message =
      file.weights_file + ":2: 'heavy', of the row of " + rows + ":2; expected a weight, a number from 0 to 1000000";
  EXPECT_EQ(error_of([&] { collect(*open_input({rows}, file)); }), message);
  file.skip_bad = 2;
  const auto input = open_input({rows}, file);
  EXPECT_EQ(weights_of(*input), (std::vector<double>{1.0, 4.0}));  // the bad row had one, too
  EXPECT_EQ(
      input->bad_messages(),
      (std::vector<std::string>{message, rows + ":3: value 'x' of feature 1 is not a number; a number is expected"}));
  file.skip_bad = 0;
  file.weights_file = write("weights", "1\n1\n");
  EXPECT_EQ(error_of([&] { collect(*open_input({write("a", "1 2 1:1\n0\n")}, file)); }),
            rows + ":1: a weight, 2; expected none beside those of " + file.weights_file);
}

TEST_P(Inputs, ThereAreAsManyWeightsAsRows) {
  const std::string rows = write("a", "1 1:1\n0 1:2\n1 1:3\n");
  InputOptions file = options();
  file.weights_file = write("weights", "1\n2\n");
  EXPECT_EQ(error_of([&] { collect(*open_input({rows}, file)); }),
            file.weights_file + ": 2 weights; expected one for every row, also for that of " + rows + ":3");
  (void)write("weights", "1\n2\n3\n4\n");
  const auto input = open_input({rows}, file);
  Example example;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(input->next(example));
  EXPECT_EQ(error_of([&] { input->next(example); }),
            file.weights_file + ":4: more weights than rows; expected 3, one for every row");
}

TEST_P(Inputs, WeightsComeFromOnePlace) {
  InputOptions both = options();
  both.weight_column = "w";
  both.weights_file = write("weights", "1\n");
  EXPECT_EQ(error_of([&] { open_input({write("a", "w,y\n")}, both); }),
            "weights are given by a column and by a file; expected one of both");
  both.weights_file = "-";
  both.weight_column = "";
  EXPECT_EQ(error_of([&] { open_input({write("a", "w,y\n")}, both); }),
            "the file of weights is -; expected one that is no standard input");
  both.weights_file = folder_.path("none");
  EXPECT_EQ(error_of([&] { open_input({write("a", "w,y\n")}, both); }),
            both.weights_file + ": No such file or directory");
  InputOptions column = options();
  column.weight_column = "2";
  EXPECT_EQ(error_of([&] { collect(*open_input({write("a", "1 1:1\n")}, column)); }),
            folder_.path("a") + ":1: LIBSVM text, which has no columns; expected CSV with weights in column 2");
}

}  // namespace
}  // namespace alder
