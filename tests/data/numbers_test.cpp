#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "alder/input.h"

#include "data/label_finder.h"
#include "data/support.h"

namespace alder {
namespace {

using test::error_of;
using test::TemporaryFolder;

// Rows of one feature whose labels are these.
std::string csv_with(const std::vector<std::string>& labels) {
  std::string text = "x,target\n";
  for (std::size_t i = 0; i < labels.size(); ++i) text += fmt::format("{},{}\n", i, labels[i]);
  return text;
}

template <class Label>
std::vector<std::string> labels_of(int count, const Label& label) {
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) labels.push_back(label(i));
  return labels;
}

// Every fact holds with and without a thread of its own.
class Numbers : public ::testing::TestWithParam<bool> {
 protected:
  // Of which labels are found out, or said.
  [[nodiscard]] static InputOptions options(std::optional<Task> task = std::nullopt) {
    InputOptions options;
    options.read_ahead = GetParam();
    options.task = task;
    return options;
  }
  std::unique_ptr<Input> open(const std::string& text, const InputOptions& options) {
    return open_input({folder_.write("rows", text)}, options);
  }
  Task found(const std::string& text) {
    const auto input = open(text, options());
    input->peek(1);
    return input->task();
  }
  std::vector<double> targets(const std::string& text, const InputOptions& options) {
    const auto input = open(text, options);
    const Dataset rows = Dataset::read(*input);
    return {rows.targets().begin(), rows.targets().end()};
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(ReadAhead, Numbers, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& param) { return param.param ? "on" : "off"; });

constexpr Task kNumbers = Task::kRegression;
constexpr Task kClasses = Task::kClassification;

TEST_P(Numbers, AreFoundByFractionsOrByManyWholeOnes) {
  const auto tenths = [](int different) {
    return csv_with(labels_of(300, [=](int i) { return fmt::format("{}.5", i % different); }));
  };
  EXPECT_EQ(found(tenths(10)), kClasses);
  EXPECT_EQ(found(tenths(11)), kNumbers);
  const auto whole = [](int different) {
    return csv_with(labels_of(300, [=](int i) { return fmt::format("{}", i % different - 5); }));
  };
  EXPECT_EQ(found(whole(100)), kClasses);
  EXPECT_EQ(found(whole(101)), kNumbers);
  // Ways to write a number do not count, and neither do cells without one; a word does.
  EXPECT_EQ(found(csv_with(
                labels_of(300, [](int i) { return i % 2 == 0 ? "1.5" : fmt::format("{:.{}f}", 1.5, 1 + i % 15); }))),
            kClasses);
  EXPECT_EQ(found(csv_with(labels_of(300, [](int i) { return i % 9 == 4 ? "NA" : fmt::format("{}.5", i); }))),
            kNumbers);
  EXPECT_EQ(found(csv_with(labels_of(300, [](int i) { return i == 250 ? "many" : fmt::format("{}.5", i); }))),
            kClasses);
}

TEST_P(Numbers, TheFirst512RecordsDecide) {
  const auto late = [](int first) {
    return csv_with(labels_of(700, [=](int i) { return i < first ? std::to_string(i % 2) : fmt::format("{}.5", i); }));
  };
  EXPECT_EQ(found(late(490)), kNumbers);
  EXPECT_EQ(found(late(512)), kClasses);
  const auto input = open(late(490), options());
  EXPECT_EQ(input->task(), kClasses);
  EXPECT_FALSE(input->first_labels());
  input->peek(1);
  ASSERT_TRUE(input->first_labels());
  EXPECT_EQ(input->first_labels()->rows, 512U);
  EXPECT_EQ(input->first_labels()->different, 24U);
  EXPECT_TRUE(input->first_labels()->are_numbers);
  EXPECT_FALSE(input->first_labels()->are_whole);
}

TEST_P(Numbers, AreFoundInEveryFormat) {
  std::string libsvm;
  std::string vw;
  std::string json;
  std::string arff = "@relation r\n@attribute x numeric\n@attribute class numeric\n@data\n";
  for (int i = 0; i < 40; ++i) {
    libsvm += fmt::format("{}.25 1:{}\n", i, i);
    vw += fmt::format("{}.25 |f a b:{}\n", i, i);
    json += fmt::format("{{\"x\": {}, \"y\": {}.25}}\n", i, i);
    arff += fmt::format("{},{}.25\n", i, i);
  }
  for (const std::string& text : {libsvm, vw, json, arff}) {
    EXPECT_EQ(found(text), kNumbers) << text.substr(0, 40);
    const std::vector<double> all = targets(text, options());
    ASSERT_EQ(all.size(), 40U);
    EXPECT_EQ(all[39], 39.25);
  }
  // Words of ARFF are classes, whatever they look like.
  std::string nominal = "@relation r\n@attribute x numeric\n@attribute class {0";
  for (int i = 1; i < 200; ++i) nominal += fmt::format(",{}", i);
  nominal += "}\n@data\n";
  for (int i = 0; i < 200; ++i) nominal += fmt::format("{},{}\n", i, i);
  EXPECT_EQ(found(nominal), kClasses);
}

TEST_P(Numbers, AreTheTargetsThemselves) {
  EXPECT_EQ(targets("1.5 1:1\n-2e3 1:1\n+7 1:2\n1.5 1:3\n", options(kNumbers)),
            (std::vector<double>{1.5, -2000.0, 7.0, 1.5}));
  // As cells of numbers are written.
  EXPECT_EQ(targets("x,price\n1,\"$1,200.50\"\n2,-3\n", options(kNumbers)), (std::vector<double>{1200.5, -3.0}));
  EXPECT_EQ(targets("x;price\n1,5;0,25\n2,5;1,75\n", options(kNumbers)), (std::vector<double>{0.25, 1.75}));
  EXPECT_EQ(targets("x,y\n1,5\n2,6\n3,5\n", options(kClasses)), (std::vector<double>{0.0, 1.0, 0.0}));
  const auto input = open("x,y\n1,5.5\n", options(kNumbers));
  EXPECT_EQ(input->task(), kNumbers);
  Dataset::read(*input);
  EXPECT_TRUE(input->classes().empty());
  EXPECT_FALSE(input->first_labels());
}

TEST_P(Numbers, LabelsThatAreNoneMakeBadRows) {
  const std::string path = folder_.path("rows");
  const auto message = [&](const std::string& label) {
    return error_of([&] { targets("x,target\n1,2.5\n2," + label + "\n", options(kNumbers)); });
  };
  EXPECT_EQ(message("many"), path + ":3: label 'many'; expected a finite number");
  EXPECT_EQ(message("inf"), path + ":3: label 'inf'; expected a finite number");
  EXPECT_EQ(message("1e999"), path + ":3: label '1e999'; expected a finite number");
  EXPECT_EQ(message("NaN"), path + ":3: no label; expected a finite number");
  EXPECT_EQ(message(""), path + ":3: no label; expected a finite number");
  InputOptions skipping = options(kNumbers);
  skipping.skip_bad = 2;
  EXPECT_EQ(targets("x,target\n1,2.5\n2,many\n3,?\n4,1\n", skipping), (std::vector<double>{2.5, 1.0}));
  InputOptions predicting = options(kNumbers);
  predicting.labels_optional = true;
  const std::vector<double> found = targets("x,target\n1,2.5\n2,many\n3,?\n4,1\n", predicting);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(std::isnan(found[1]) && std::isnan(found[2]));
  EXPECT_EQ(found[3], 1.0);
}

TEST_P(Numbers, NamesOfClassesMeanClasses) {
  InputOptions named = options();
  named.classes = {"0.5", "1.5"};
  const auto input = open(csv_with(labels_of(50, [](int i) { return fmt::format("{}.5", i); })), named);
  input->peek(1);
  EXPECT_EQ(input->task(), kClasses);
  named.task = kNumbers;
  EXPECT_EQ(error_of([&] { open("1 1:1\n", named); }),
            "there are names of classes, but labels are numbers; expected none");
}

TEST(LabelFinder, TextThatEndsWithinARowIsReadUpToIt) {
  EXPECT_EQ(look_at_labels("1.5 1:2\n2.5 1:3\n3.", Format::kLibsvm).rows, 2U);
  EXPECT_EQ(look_at_labels("# 7\n\n1:2\nqid:3 1:2\n2.5 1:3\n", Format::kLibsvm).different, 1U);
  EXPECT_EQ(look_at_labels("1 2 'tag|f a\n'tag |f a\n|f b\n1.0 |f c\n", Format::kVw).different, 1U);
  EXPECT_EQ(look_at_labels("", Format::kLibsvm).task, Task::kClassification);
  EXPECT_FALSE(look_at_labels("", Format::kLibsvm).are_numbers);
}

}  // namespace
}  // namespace alder
