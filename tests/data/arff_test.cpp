#include "data/arff.h"

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

const std::string kHead =
    "% made up\n\n@RELATION 'a b'\n@attribute x real\n@Attribute 'the job' {a, 'b c' ,\"d\"}\n@attribute "
    "class{no,yes}\n@DATA\n";

std::string arff_error(const std::string& text) {
  return error_of([&] { named_rows(text); });
}

TEST(ArffReader, AttributesAreColumns) {
  EXPECT_EQ(named_rows(kHead + "1.5,a,yes\n% comment\n\n 2 , 'b c',no % more\n3\t\"d\"\tyes\n"),
            (Rows{"yes: x=1.5, the job=a=1", "no: x=2, the job=b c=1", "yes: x=3, the job=d=1"}));
}

TEST(ArffReader, AQuestionMarkIsMissing) {
  EXPECT_EQ(named_rows("@relation r\n@attribute j {a,b}\n@attribute s string\n@attribute class {no,yes}\n@data\n"
                       "?,?,yes\na,\"q\",no\n"),
            (Rows{"yes: j missing=1, s missing=1", "no: j=a=1, s=q=1"}));
}

TEST(ArffReader, SparseRecordsLeaveOutZerosAndFirstValues) {
  EXPECT_EQ(named_rows(kHead + "{0 2, 1 'b c', 2 yes}\n{}\n{ 2 yes }, {2}\n"),
            (Rows{"yes: x=2, the job=b c=1", "no: the job=a=1", "yes: the job=a=1 x2"}));
}

TEST(ArffReader, WeightsStandInBraces) {
  EXPECT_EQ(named_rows(kHead + "1,a,yes,{2.5}\n2,a,no, {0}\n"),
            (Rows{"yes: x=1, the job=a=1 x2.5", "no: x=2, the job=a=1 x0"}));
  EXPECT_EQ(arff_error(kHead + "1,a,yes,{x}\n"), "f:8: 'x'; expected a weight, a number from 0 to 1000000");
}

TEST(ArffReader, BackslashesInQuotes) {
  EXPECT_EQ(
      named_rows("@relation r\n@attribute j {'it\\'s',b}\n@attribute y {'\\\\',1}\n@data\n'it\\'s','\\\\'\nb,1\n"),
      (Rows{"\\: j=it's=1", "1: j=b=1"}));
}

TEST(ArffReader, TheLabelIsTheLastAttributeWithoutAName) {
  EXPECT_EQ(named_rows("@relation r\n@attribute a numeric\n@attribute b integer\n@data\n1,2\n3,4\n"),
            (Rows{"2: a=1", "4: a=3"}));
  InputOptions options;
  options.label_column = "a";
  EXPECT_EQ(named_rows("@relation r\n@attribute a numeric\n@attribute b integer\n@data\n1,2\n3,4\n", options),
            (Rows{"1: b=2", "3: b=4"}));
}

TEST(ArffReader, DatesAreTimes) {
  const Rows rows =
      named_rows("@relation r\n@attribute d date \"yyyy-MM-dd\"\n@attribute y {0,1}\n@data\n2024-03-05,1\n");
  EXPECT_NE(rows.at(0).find("d year sin"), std::string::npos);
}

TEST(ArffReader, WhatIsNoRecordIsRejected) {
  EXPECT_EQ(arff_error(kHead + "x,a,yes\n"), "f:8: 'x' in attribute 1 'x'; expected a number or ?");
  EXPECT_EQ(arff_error(kHead + "1,e,yes\n"), "f:8: 'e' in attribute 2 'the job'; expected one of the declared values");
  EXPECT_EQ(arff_error(kHead + "1,a\n"), "f:8: 2 values; expected 3, as many as there are attributes");
  EXPECT_EQ(arff_error(kHead + "1,a,yes,no\n"), "f:8: 4 values; expected 3, as many as there are attributes");
  EXPECT_EQ(arff_error(kHead + "1,'a,yes\n"),
            "f:8: a quote that is not closed in attribute 2 'the job'; expected its end");
  EXPECT_EQ(arff_error(kHead + "1,'a'b,yes\n"),
            "f:8: text behind a closing quote in attribute 2 'the job'; expected a comma there");
  for (const std::string line :
       {"{3 1}", "{0 1", "{x 1}", "{0}", "{1 a, 0 1}", "{0 1, 0 2}", "{0 1} x", "{", "{-1 2}"}) {
    EXPECT_EQ(arff_error(kHead + line + "\n").substr(0, 5), "f:8: ") << line;
  }
}

TEST(ArffReader, AWrongHeadIsAnError) {
  EXPECT_EQ(
      arff_error("@relation r\n@attribute a relational\n@data\n"),
      "f:2: an attribute of type 'relational'; expected numeric, real, integer, string, date, or values in '{' and "
      "'}'");
  EXPECT_EQ(arff_error("@relation r\n@attribute a {b\n@data\n"),
            "f:2: values without a '}' behind them; expected it in the line");
  EXPECT_EQ(arff_error("@relation r\n@attribute\n"),
            "f:2: an attribute without a name; expected '@attribute name type'");
  EXPECT_EQ(arff_error("@relation r\n1,2\n"),
            "f:2: '1,2'; expected '@relation', '@attribute' or '@data' in the head of ARFF text");
  EXPECT_EQ(arff_error("@relation r\n@attribute a real\n"),
            "f:2: the end of the file in the head of ARFF text; expected a line '@data' before it");
  EXPECT_EQ(arff_error("@relation r\n@data\n1\n"), "f:2: no attributes; expected some before '@data'");
}

}  // namespace
}  // namespace alder
