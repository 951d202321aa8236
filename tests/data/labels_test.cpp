#include "data/labels.h"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/input.h"
#include "support.h"

namespace alder {
namespace {

using test::error_of;

constexpr double kNone = -7.0;

struct Mapped {
  std::vector<double> targets;  // kNone: there is none
  std::vector<std::string> classes;
  std::string error = "(no error)";
};

// The labels of a LIBSVM file without features, separated by spaces here.
Mapped mapped(std::string labels, InputOptions options = {}) {
  for (char& c : labels) c = c == ' ' ? '\n' : c;
  options.format = Format::kLibsvm;
  Mapped result;
  for (const bool read_ahead : {true, false}) {
    options.read_ahead = read_ahead;
    const auto input = read_input(memory_bytes(labels), "f", options);
    Mapped found;
    Example example;
    found.error = error_of([&] {
      while (input->next(example)) found.targets.push_back(std::isnan(example.target) ? kNone : example.target);
    });
    found.classes = input->classes();
    if (!read_ahead) {
      EXPECT_EQ(found.targets, result.targets);
      EXPECT_EQ(found.classes, result.classes);
      EXPECT_EQ(found.error, result.error);
    }
    result = found;
  }
  return result;
}

using Values = std::vector<double>;
using Names = std::vector<std::string>;

TEST(Labels, AreNumberedInTheOrderOfTheirFirstAppearance) {
  EXPECT_EQ(mapped("+1 -1 +1").targets, (Values{0, 1, 0}));
  EXPECT_EQ(mapped("b a c a b").targets, (Values{0, 1, 2, 1, 0}));
  EXPECT_EQ(mapped("b a c a b").classes, (Names{"b", "a", "c"}));
  EXPECT_EQ(mapped("").classes, Names());
}

TEST(Labels, NumbersAreTheSameHoweverWritten) {
  const Mapped all = mapped("+1 1 1.0 1e0 -1 -1.00 1 0 -0 0.0");
  EXPECT_EQ(all.targets, (Values{0, 0, 0, 0, 1, 1, 0, 2, 2, 2}));
  EXPECT_EQ(all.classes, (Names{"+1", "-1", "0"}));
}

TEST(Labels, WhatIsNoFiniteNumberIsText) {
  EXPECT_EQ(mapped("nan inf nan 1x 1 x1").targets, (Values{0, 1, 0, 2, 3, 4}));
  EXPECT_EQ(mapped("yes Yes yes").targets, (Values{0, 1, 0}));
}

// More ways to write the same number than are remembered.
TEST(Labels, MayBeWrittenInManyWays) {
  std::string text = "0 ";
  for (int i = 0; i < 5000; ++i) text += "1." + std::string(static_cast<std::size_t>(i), '0') + " 0 ";
  const Mapped found = mapped(text);
  EXPECT_EQ(found.classes, (Names{"0", "1."}));
  ASSERT_EQ(found.targets.size(), 10'001U);
  for (std::size_t i = 1; i < found.targets.size(); ++i) ASSERT_EQ(found.targets[i], i % 2 == 1 ? 1.0 : 0.0);
}

TEST(Labels, AreNotHeldBack) {
  const auto input = read_input(memory_bytes("7\n7\n"), "f", {.read_ahead = false});
  Example example;
  ASSERT_TRUE(input->next(example));
  EXPECT_EQ(example.target, 0.0);
  EXPECT_EQ(input->classes(), Names{"7"});
}

TEST(Labels, ThousandsAreClasses) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("class{} ", i % 5000);
  const Mapped found = mapped(text);
  EXPECT_EQ(found.classes.size(), 5000U);
  for (std::size_t i = 0; i < found.targets.size(); ++i) ASSERT_EQ(found.targets[i], static_cast<double>(i % 5000));
}

TEST(Labels, ThereAreNotMoreThanAMillionClasses) {
  std::string text;
  for (std::uint32_t i = 0; i <= kMostClasses; ++i) text += fmt::format("{}\n", i);
  const auto input = read_input(memory_bytes(text), "f", {.format = Format::kLibsvm, .skip_bad = 5});
  std::size_t rows = 0;
  EXPECT_EQ(
      error_of([&] {
        for (Examples read = input->read(256); !read.empty(); read = input->read(256)) rows += read.size();
      }),
      "f:1048577: label '1048576' is one class more than the 1048576 that there can be; expected labels that name "
      "classes");
  EXPECT_EQ(rows, kMostClasses);
}

TEST(Labels, ClassesCanBeGiven) {
  const InputOptions options{.classes = {"spam", "ham"}};
  EXPECT_EQ(mapped("ham spam ham eggs", options).targets, (Values{1, 0, 1, 2}));
  EXPECT_EQ(mapped("ham eggs", options).classes, (Names{"spam", "ham", "eggs"}));
  EXPECT_EQ(mapped("", options).classes, (Names{"spam", "ham"}));
  EXPECT_EQ(mapped("1.0 2", {.classes = {"2", "1"}}).targets, (Values{1, 0}));
  EXPECT_EQ(mapped("1.0 2", {.classes = {"2", "1"}}).classes, (Names{"2", "1"}));
}

TEST(Labels, AGivenClassWithoutANameIsTheNextToCome) {
  const Mapped found = mapped("+1 b a +1", {.classes = {"", "1", ""}});
  EXPECT_EQ(found.targets, (Values{1, 0, 2, 1}));
  EXPECT_EQ(found.classes, (Names{"b", "1", "a"}));
}

TEST(Labels, OthersThanTheGivenMayBeBadRows) {
  InputOptions options{.classes = {"-1", "+1"}, .only_classes = true};
  EXPECT_EQ(mapped("-1 +1 3", options).error, "f:3: label '3'; expected -1 or +1");
  EXPECT_EQ(mapped("-1 +1 3", options).targets, (Values{0, 1}));
  options.classes = {"a", "b", "\xff"};
  EXPECT_EQ(mapped("a \x01", options).error, "f:2: label '\\x01'; expected a, b or '\\xff'");
  options.classes = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(mapped("a x", options).error, "f:2: label 'x'; expected a, b, c, d, e or another of the 7 classes");
  options.skip_bad = 2;
  EXPECT_EQ(mapped("a x g y", options).targets, (Values{0, 6}));
  EXPECT_EQ(error_of([] { mapped("1", {.only_classes = true}); }),
            "no labels but those of given classes are wanted, and none is given");
}

TEST(Labels, GivenClassesMustDiffer) {
  EXPECT_EQ(error_of([] {
              mapped("1", {.classes = {"1", "x", "+1.0"}});
            }),
            "classes '1' and '+1.0' are the same; expected labels that differ");
}

TEST(Labels, AMissingLabelIsAnError) {
  EXPECT_EQ(mapped("1:0.5").error, "f:1: no label; expected one");
  EXPECT_EQ(mapped("1 1:0.5").error, "f:2: no label; expected 1 or another");
  EXPECT_EQ(mapped("1 0 1:0.5").error, "f:3: no label; expected 1, 0 or another");
}

TEST(Labels, OptionalLabelsMayBeMissingOrUnknown) {
  InputOptions options{.classes = {"-1", "+1"}, .labels_optional = true};
  EXPECT_EQ(mapped("1 1:0.5 3 -1 yes", options).targets, (Values{1, kNone, kNone, 0, kNone}));
  EXPECT_EQ(mapped("1 3", options).classes, (Names{"-1", "+1"}));
  options.classes = {"", "1"};
  EXPECT_EQ(mapped("1 2 0 -1", options).targets, (Values{1, kNone, kNone, kNone}));
  EXPECT_EQ(mapped("1", {.labels_optional = true}).targets, Values{kNone});
}

Values sorted_targets(const std::string& labels, Names& names) {
  std::string text = labels;
  for (char& c : text) c = c == ' ' ? '\n' : c;
  const auto input = read_input(memory_bytes(text), "f", {.format = Format::kLibsvm});
  Dataset rows = Dataset::read(*input);
  names = sort_classes(rows, input->classes());
  return {rows.targets().begin(), rows.targets().end()};
}

TEST(SortClasses, ByNumberOrElseByText) {
  Names names;
  EXPECT_EQ(sorted_targets("+1 -1 +1", names), (Values{1, 0, 1}));
  EXPECT_EQ(names, (Names{"-1", "+1"}));
  EXPECT_EQ(sorted_targets("10 9 -2 10", names), (Values{2, 1, 0, 2}));
  EXPECT_EQ(names, (Names{"-2", "9", "10"}));
  EXPECT_EQ(sorted_targets("10 9x -2", names), (Values{1, 2, 0}));
  EXPECT_EQ(sorted_targets("yes no", names), (Values{1, 0}));
  EXPECT_EQ(names, (Names{"no", "yes"}));
}

TEST(SortClasses, OneAloneIsPositiveIfItIsANumberAboveZero) {
  Names names;
  for (const std::string one : {"1", "+1", "0.5"}) {
    EXPECT_EQ(sorted_targets(one + " " + one, names), (Values{1, 1}));
    EXPECT_EQ(names, (Names{"", one}));
  }
  for (const std::string other : {"-1", "0", "yes"}) {
    EXPECT_EQ(sorted_targets(other + " " + other, names), (Values{0, 0}));
    EXPECT_EQ(names, Names{other});
  }
  EXPECT_EQ(sorted_targets("", names), Values());
  EXPECT_EQ(names, Names());
}

// An input may have read further than it was asked for.
TEST(SortClasses, LeavesOutNamesOfRowsThatAreNotThere) {
  const auto input = read_input(memory_bytes("b\na\nc\n"), "f", {.format = Format::kLibsvm});
  Dataset rows;
  Example example;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(input->next(example));
    rows.append(example);
  }
  EXPECT_EQ(sort_classes(rows, {"b", "a", "c"}), (Names{"a", "b"}));
  EXPECT_EQ(rows[0].target, 1.0);
}

}  // namespace
}  // namespace alder
