#include "data/json_lines.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cells.h"
#include "data/json_record.h"
#include "support.h"

namespace alder {
namespace {

using test::error_of;
using test::named_rows;
using Rows = std::vector<std::string>;

std::string json_error(const std::string& text, const InputOptions& options = {}) {
  return error_of([&] { named_rows(text, options); });
}

InputOptions json_options() {
  InputOptions options;
  options.format = Format::kJson;
  return options;
}

TEST(JsonLines, KeysAreColumns) {
  EXPECT_EQ(
      named_rows("{\"a\": 1.5, \"b\": \"x\", \"label\": \"yes\"}\n\n{\"b\": \"y\", \"label\": \"no\", \"a\": 2}\n"),
      (Rows{"yes: a=1.5, b=x=1", "no: a=2, b=y=1"}));
}

TEST(JsonLines, ObjectsAndArraysOfNumbersBecomeColumnsOfTheirOwn) {
  EXPECT_EQ(
      named_rows("{\"a\":{\"b\":{\"c\":3}},\"v\":[1,2],\"y\":0}\n{\"a\":{\"b\":{\"c\":4}},\"v\":[5,6,7],\"y\":1}\n"),
      (Rows{"0: a.b.c=3, v.0=1, v.1=2, v.2 missing=1", "1: a.b.c=4, v.0=5, v.1=6"}));
  // v.2 is 7 in the only row that has it: that is what is taken off, since it is missing elsewhere.
}

TEST(JsonLines, OtherArraysAreTheirText) {
  EXPECT_EQ(named_rows("{\"a\":[\"x\", {\"b\": [true]}] ,\"y\":0}\n{\"a\":[],\"y\":1}\n"),
            (Rows{"0: a=[\"x\", {\"b\": [true]}]=1", "1: a missing=1"}));
}

TEST(JsonLines, AnAbsentKeyIsLikeNull) {
  const std::string head = "{\"a\":1,\"b\":\"x\",\"t\":true,\"y\":0}\n";
  const Rows expected = named_rows(head + "{\"a\":null,\"b\":null,\"t\":null,\"y\":1}\n");
  EXPECT_EQ(named_rows(head + "{\"y\":1}\n"), expected);
  EXPECT_EQ(named_rows(head + "{\"t\":null,\"y\":1,\"b\":null}\n").size(), 2U);
  EXPECT_EQ(expected[1], "1: a missing=1, b missing=1, t missing=1");
}

TEST(JsonLines, TheFirstOfTwoKeysCounts) {
  EXPECT_EQ(named_rows("{\"a\":1,\"a\":2,\"y\":0,\"y\":1}\n{\"a\":3,\"y\":1}\n"), (Rows{"0: a=1", "1: a=3"}));
}

TEST(JsonLines, KeysThatAreNotInTheFirstRecordsAreNotRead) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += fmt::format("{{\"a\":{},\"y\":{}}}\n", i % 7 + 1, i % 2);
  text += "{\"new\":5,\"a\":2,\"y\":1}\n";
  EXPECT_EQ(named_rows(text).back(), "1: a=2");
}

TEST(JsonLines, LabelsAreAsWrittenAndLastWithoutAName) {
  EXPECT_EQ(named_rows("{\"a\":1,\"z\":true}\n{\"a\":2,\"z\":false}\n"), (Rows{"true: a=1", "false: a=2"}));
  EXPECT_EQ(named_rows("{\"a\":1,\"z\":1.50}\n{\"a\":2,\"z\":2}\n"), (Rows{"1.50: a=1", "2: a=2"}));
  InputOptions options;
  options.label_column = "a";
  options.weight_column = "w";
  EXPECT_EQ(named_rows("{\"a\":1,\"w\":0.5,\"z\":3}\n{\"z\":4,\"w\":2,\"a\":0}\n", options),
            (Rows{"1: z=3 x0.5", "0: z=4 x2"}));
}

TEST(JsonLines, StringsAreUnescaped) {
  EXPECT_EQ(named_rows("{\"k\\u00e9\":\"a\\n\\\"b\",\"y\":0}\n{\"k\\u00e9\":\"c\",\"y\":1}\n")[0],
            "0: k\xc3\xa9=a\n\"b=1");
}

TEST(JsonLines, ALineThatIsNoObjectIsABadRow) {
  const std::string head = "{\"a\":1,\"y\":0}\n";
  const std::string expected = "; expected one JSON object on each line";
  EXPECT_EQ(json_error(head + "{\"a\":1,\"y\":0} {}\n"), "f:2: text behind the object" + expected);
  EXPECT_EQ(json_error(head + "{\"a\":\"x}\n"), "f:2: a string that is not closed" + expected);
  EXPECT_EQ(json_error(head + "{\"a\":tru,\"y\":0}\n"),
            "f:2: the value 'tru'; expected a JSON number, a string in double quotes, true, false or null");
  for (const std::string line :
       {"{\"a\":1", "{\"a\" 1}", "{a:1}", "{\"a\":1,}", "{\"a\":[1 2]}", "{\"a\":01}", "{'a':1}", "{\"a\":1.}",
        "{\"a\":+1}", "{\"a\":[1,2}", "{\"a\":NaN}", "7", "x", "[]", "{\"z\":[tru]}", "{\"z\":{\"q\":nul}}"}) {
    InputOptions options;
    options.skip_bad = 1;
    EXPECT_EQ(named_rows(head + line + "\n{\"a\":2,\"y\":1}\n", options).size(), 2U) << line;
    EXPECT_EQ(json_error(head + line + "\n").substr(0, 5), "f:2: ") << line;
  }
}

TEST(JsonLines, ABadFirstLineCanBeSkipped) {
  InputOptions options = json_options();
  options.skip_bad = 2;
  EXPECT_EQ(named_rows("{\"a\":x}\n{\"a\":1,\"y\":1}\n{\"a\":2,\"y\":0}\n", options), (Rows{"1: a=1", "0: a=2"}));
  EXPECT_EQ(json_error("{x}\n{y}\n{z}\n", options), json_error("\n\n{z}\n", json_options()));
}

TEST(JsonLines, OneJsonTextOnManyLinesIsToldApart) {
  EXPECT_EQ(json_error("[{\"a\":1},\n{\"a\":2}]\n"),
            "f:1: a JSON array; expected one JSON object on each line, as `jq -c '.[]'` writes them");
  EXPECT_EQ(
      json_error("{\n \"a\": 1,\n \"y\": 2\n}\n"),
      "f:1: a JSON object that does not end in its line; expected one JSON object on each line, as `jq -c .` writes "
      "them");
}

TEST(JsonLines, HostileRecordsAreRefused) {
  std::string keys = "{\"y\":1";
  for (std::size_t i = 0; i < Encoding::kMostColumns; ++i) keys += fmt::format(",\"{}\":1", i);
  EXPECT_EQ(json_error(keys + "}\n").substr(0, 36), "f:1: more than 262144 different keys");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  const std::string too_deep = "f:1: objects or arrays within each other, more than 64; expected at most 64";
  EXPECT_EQ(json_error(deep + "1" + std::string(100'000, '}') + "\n"), too_deep);
  EXPECT_EQ(json_error("{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}\n"), too_deep);
  EXPECT_EQ(
      json_error("{\"a\":\"" + std::string(JsonRecord::kLongest, 'x') + "\",\"y\":1}\n"),
      fmt::format("f:1: a record of {} bytes; expected at most {}", JsonRecord::kLongest + 14, JsonRecord::kLongest));
}

TEST(JsonLines, AModelsColumnsAreFoundByName) {
  Encoding known({{.name = "a"}, {.name = "b", .kind = ColumnKind::kCategory}});
  known.label_name = "y";
  known.label_place = 1;
  InputOptions options = json_options();
  options.encoding = std::make_shared<const Encoding>(known);
  EXPECT_EQ(named_rows("{\"b\":\"x\",\"c\":9,\"y\":1,\"a\":3}\n{\"y\":0}\n", options),
            (Rows{"1: a=3, b=x=1", "0: a missing=1, b missing=1"}));
  options.encoding = std::make_shared<const Encoding>(std::vector<Column>{{}, {}});
  EXPECT_EQ(json_error("{\"a\":1}\n", options),
            "f:1: records whose columns have names; expected a table of 2 columns without a header, as in the model");
}

}  // namespace
}  // namespace alder
