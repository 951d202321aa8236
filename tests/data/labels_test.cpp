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
  std::optional<Classes> classes;
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

std::string repeated(const std::string& label, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += label + " ";
  return text;
}

using Values = std::vector<double>;

TEST(Labels, TheSmallerOfTwoNumbersIsNegative) {
  EXPECT_EQ(mapped("+1 -1 +1").targets, (Values{1, 0, 1}));
  EXPECT_EQ(mapped("-1 +1").targets, (Values{0, 1}));
  EXPECT_EQ(mapped("0 0 1").targets, (Values{0, 0, 1}));
  EXPECT_EQ(mapped("1 2 2 1").targets, (Values{0, 1, 1, 0}));
  EXPECT_EQ(mapped("2 1").targets, (Values{1, 0}));
  EXPECT_EQ(mapped("10 9").targets, (Values{1, 0}));
  EXPECT_EQ(mapped("-2 -1.5").targets, (Values{0, 1}));
  EXPECT_EQ(mapped("-1 0").targets, (Values{0, 1}));
}

TEST(Labels, TheSmallerOfTwoTextsIsNegative) {
  EXPECT_EQ(mapped("yes no yes").targets, (Values{1, 0, 1}));
  EXPECT_EQ(mapped("b a").targets, (Values{1, 0}));
  EXPECT_EQ(mapped("10 9x").targets, (Values{0, 1}));
  EXPECT_EQ(mapped("nan inf").targets, (Values{1, 0}));
}

TEST(Labels, NumbersAreTheSameHoweverWritten) {
  const Mapped all = mapped("+1 1 1.0 1e0 -1 -1.00 1");
  EXPECT_EQ(all.targets, (Values{1, 1, 1, 1, 0, 0, 1}));
  EXPECT_EQ(all.classes, (Classes{"-1", "+1"}));
  EXPECT_EQ(mapped("0 1 -0 0.0").targets, (Values{0, 1, 0, 0}));
}

TEST(Labels, ClassesAreNamedAsFirstWritten) {
  EXPECT_EQ(mapped("1.0 0 1").classes, (Classes{"0", "1.0"}));
  EXPECT_EQ(mapped("spam ham").classes, (Classes{"ham", "spam"}));
  EXPECT_EQ(mapped("").classes, std::nullopt);
}

TEST(Labels, AThirdLabelIsAnError) {
  EXPECT_EQ(mapped("-1 +1 3").error, "f:3: label '3'; expected -1 or +1");
  EXPECT_EQ(mapped("-1 +1 3").targets, (Values{0, 1}));
  EXPECT_EQ(mapped("yes no maybe").error, "f:3: label 'maybe'; expected no or yes");
  EXPECT_EQ(mapped("1 0 -1").error, "f:3: label '-1'; expected 0 or 1");
  EXPECT_EQ(mapped("\xff z \x01").error, "f:3: label '\\x01'; expected z or '\\xff'");
}

TEST(Labels, OneLabelAloneIsPositiveOnlyIfItIsOne) {
  for (const std::string one : {"1", "+1", "1.0"}) {
    EXPECT_EQ(mapped(one + " " + one).targets, (Values{1, 1}));
    EXPECT_EQ(mapped(one).classes, (Classes{"", one}));
  }
  for (const std::string other : {"-1", "0", "2", "yes"}) {
    EXPECT_EQ(mapped(other + " " + other).targets, (Values{0, 0}));
    EXPECT_EQ(mapped(other).classes, (Classes{other, ""}));
  }
}

TEST(Labels, RowsAreHeldBackUntilThereAreTwoLabels) {
  const Mapped found = mapped(repeated("1", 65'535) + "2 1");
  EXPECT_EQ(found.error, "(no error)");
  ASSERT_EQ(found.targets.size(), 65'537U);
  EXPECT_EQ(found.targets.front(), 0.0);
  EXPECT_EQ(found.targets[65'534], 0.0);
  EXPECT_EQ(found.targets[65'535], 1.0);
  EXPECT_EQ(found.targets.back(), 0.0);
}

TEST(Labels, WhatWasAssumedMayTurnOutRight) {
  const Mapped found = mapped(repeated("1", 65'536) + "0 1 0");
  EXPECT_EQ(found.error, "(no error)");
  EXPECT_EQ(found.targets.front(), 1.0);
  EXPECT_EQ(Values(found.targets.end() - 3, found.targets.end()), (Values{0, 1, 0}));
  EXPECT_EQ(found.classes, (Classes{"0", "1"}));
}

TEST(Labels, WhatWasAssumedMayTurnOutWrong) {
  const Mapped one = mapped(repeated("1", 65'536) + "2");
  EXPECT_EQ(one.error,
            "f:65537: label '2', but '1', the only label of the first 65536 rows, was taken for the positive class; "
            "expected a smaller label, or both given by --labels NEGATIVE,POSITIVE");
  EXPECT_EQ(one.targets.size(), 65'536U);
  const Mapped zero = mapped(repeated("0", 65'537) + "-1", {.skip_bad = 5});
  EXPECT_EQ(zero.error,
            "f:65538: label '-1', but '0', the only label of the first 65536 rows, was taken for the negative class; "
            "expected a larger label, or both given by --labels NEGATIVE,POSITIVE");
}

TEST(Labels, LongRowsAreHeldBackUpToTheirBytes) {
  std::string row = "1";
  for (int j = 1; j <= 1000; ++j) row += fmt::format(" {}:1", j);  // 12,016 bytes held
  std::string text;
  for (int i = 0; i < 1500; ++i) text += row + "\n";
  EXPECT_EQ(error_of([&] { Dataset::read(*read_input(memory_bytes(text + "2\n"), "f")); }),
            "f:1501: label '2', but '1', the only label of the first 1397 rows, was taken for the positive class; "
            "expected a smaller label, or both given by --labels NEGATIVE,POSITIVE");
}

TEST(Labels, ClassesCanBeGiven) {
  const InputOptions options{.classes = Classes{"spam", "ham"}};
  EXPECT_EQ(mapped("ham spam ham", options).targets, (Values{1, 0, 1}));
  EXPECT_EQ(mapped("ham", options).classes, (Classes{"spam", "ham"}));
  EXPECT_EQ(mapped("ham eggs", options).error, "f:2: label 'eggs'; expected spam or ham");
  EXPECT_EQ(mapped("1.0 2", {.classes = Classes{"2", "1"}}).targets, (Values{1, 0}));
}

TEST(Labels, AGivenClassMayBeUnmet) {
  EXPECT_EQ(mapped("1 0", {.classes = Classes{"", "1"}}).classes, (Classes{"0", "1"}));
  EXPECT_EQ(mapped("1 2", {.classes = Classes{"", "1"}}).error,
            "f:2: label '2', but '1', the only class that was given, was taken for the positive class; expected a "
            "smaller label, or both given by --labels NEGATIVE,POSITIVE");
}

TEST(Labels, GivenClassesMustDiffer) {
  EXPECT_EQ(error_of([] {
              mapped("1", {.classes = Classes{"1", "+1.0"}});
            }),
            "classes '1' and '+1.0' are the same; expected two labels that differ");
}

TEST(Labels, AMissingLabelIsAnError) {
  EXPECT_EQ(mapped("1:0.5").error, "f:1: no label; expected one");
  EXPECT_EQ(mapped("1 1:0.5").error, "f:2: no label; expected 1 or another");
  EXPECT_EQ(mapped("1 0 1:0.5").error, "f:3: no label; expected 0 or 1");
}

TEST(Labels, OptionalLabelsMayBeMissingOrUnknown) {
  InputOptions options{.classes = Classes{}, .labels_optional = true};
  EXPECT_EQ(mapped("1 1:0.5 3 -1 yes", options).targets, (Values{1, kNone, kNone, 0, kNone}));
  options.classes = Classes{"", "1"};
  EXPECT_EQ(mapped("1 2 0 -1", options).targets, (Values{1, kNone, 0, kNone}));
}

TEST(Labels, OptionalLabelsNeedClasses) {
  EXPECT_EQ(error_of([] { mapped("1", {.labels_optional = true}); }),
            "optional labels without classes; expected the two classes of the model");
}

}  // namespace
}  // namespace alder
