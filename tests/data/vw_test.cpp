#include "data/vw.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cells.h"
#include "support.h"

namespace alder {
namespace {

using test::error_of;
using test::named_rows;
using Rows = std::vector<std::string>;

InputOptions vw_options() {
  InputOptions options;
  options.format = Format::kVw;
  return options;
}

std::string vw_error(const std::string& text, const InputOptions& options = vw_options()) {
  return error_of([&] { named_rows(text, options); });
}

TEST(VwReader, FeaturesHaveNames) {
  EXPECT_EQ(named_rows("1 |f a b:0.5 |g:2 a:3\n-1 'tag| c\n3 |f\n", vw_options()),
            (Rows{"1: f^a=1, f^b=0.5, g^a=6", "-1: c=1", "3: "}));
}

TEST(VwReader, TheImportanceIsTheWeight) {
  EXPECT_EQ(named_rows("1 2.5 |f a\n-1 0 0.25 tag|f a\n", vw_options()), (Rows{"1: f^a=1 x2.5", "-1: f^a=1 x0"}));
}

TEST(VwReader, AFeatureThatComesAgainIsAdded) {
  EXPECT_EQ(named_rows("1 |f a:2 b a:-0.5 |f b\n", vw_options()), (Rows{"1: f^a=1.5, f^b=2"}));
}

TEST(VwReader, AFeatureWithoutANameIsCalledByItsPlace) {
  EXPECT_EQ(named_rows("1 |f :2 :3\n", vw_options()), (Rows{"1: f^0=2, f^1=3"}));
}

TEST(VwReader, RowsToPredictNeedNoLabel) {
  InputOptions options = vw_options();
  options.labels_optional = true;
  EXPECT_EQ(named_rows("|f a\n'x |f b\nx|f b\n", options), (Rows{"none: f^a=1", "none: f^b=1", "none: f^b=1"}));
  EXPECT_EQ(vw_error("|f a\n"), "f:1: no label; expected one before the '|'");
  EXPECT_EQ(vw_error("1|f a\n"),
            "f:1: '1' touches the '|', so it is a tag and no label; expected a label and a space before the '|'");
}

TEST(VwReader, WhatIsNoRowIsRejected) {
  EXPECT_EQ(vw_error("1 a b\n"), "f:1: no '|' in '1 a b'; expected 'label |namespace name:value ...'");
  EXPECT_EQ(vw_error("1 |f a:x\n"), "f:1: the value of 'a:x' is no number; expected a number behind the ':'");
  EXPECT_EQ(vw_error("1 |f:x a\n"), "f:1: the scale of 'f:x' is no number; expected a number behind the ':'");
  EXPECT_EQ(vw_error("1 |f a:inf\n"), "f:1: the value of 'a:inf' is not finite; expected a number");
  EXPECT_EQ(vw_error("1 -2 |f a\n"), "f:1: '-2'; expected a weight, a number from 0 to 1000000");
  EXPECT_EQ(vw_error("1 2 3 4 |f a\n").substr(0, 22), "f:1: '4' before the '|");
  for (const std::string line : {"1:0.5 2:0.5 |f a", "1:2:0.5 |f a", "1,2 |f a"}) {
    EXPECT_NE(vw_error(line).find("which has costs or several classes; expected one class"), std::string::npos) << line;
  }
  EXPECT_EQ(vw_error("shared |f a\n"), "f:1: a line of an example on several lines; expected one example on each line");
  EXPECT_NE(vw_error("1 |f a:1e308 a:1e308\n").find("add up"), std::string::npos);
}

TEST(VwReader, AModelMustKnowFeaturesByName) {
  Column names;
  names.kind = ColumnKind::kNames;
  InputOptions options = vw_options();
  options.encoding = std::make_shared<const Encoding>(std::vector<Column>{names});
  EXPECT_EQ(named_rows("1 |f a\n", options), (Rows{"1: f^a=1"}));
  options.format = Format::kAuto;
  EXPECT_EQ(vw_error("a,b,label\n1,2,3\n", options),
            "f:1: a table with columns; expected features by name, in Vowpal Wabbit's format, as in the model");
  options.encoding = std::make_shared<const Encoding>(std::vector<Column>{{.name = "a"}});
  EXPECT_EQ(vw_error("1 |f a\n", options),
            "f:1: features by name, without columns; expected a table with the columns of the model");
}

}  // namespace
}  // namespace alder
