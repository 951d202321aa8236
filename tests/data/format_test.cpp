#include "data/format.h"

#include <string>

#include <gtest/gtest.h>

namespace alder {
namespace {

TEST(FormatByContent, IndicesAndColonsAreLibsvm) {
  for (const std::string line : {"+1 1:0.5 2:3", "-1\t3:1\t4:1", "yes 1:0.5", "1:0.5 2:3", "1:0.5", "1 2:x", "1 qid:3",
                                 "1 2.5 qid:3 1:1", "qid:3 1:1", "1 2.5 1:3", "1\t0\t1:3"}) {
    EXPECT_EQ(format_of(line), Format::kLibsvm) << line;
  }
}

TEST(FormatByContent, ALabelAloneIsLibsvm) {
  for (const std::string line : {"+1", "0 ", "\tyes", "1 # no features"}) {
    EXPECT_EQ(format_of(line), Format::kLibsvm) << line;
  }
}

TEST(FormatByContent, SeparatorsAreCsv) {
  for (const std::string line :
       {"1,2", "a;b", "1\t2", "1, 2, 3", "a b,c d", "\"red wine\",1:2", "12:30,5", ",1", "a|b|c", "1|2|3",
        "age | job | y", "1 2 3", "1 2.5", "some words", "@user,text", "%a,b", "\"a field that goes on"}) {
    EXPECT_EQ(format_of(line), Format::kCsv) << line;
  }
}

TEST(FormatByContent, AnythingElseIsNeither) {
  for (const std::string line : {"1 x 1:2", "some words 3:x"}) {
    EXPECT_EQ(format_of(line), Format::kAuto) << line;
  }
}

TEST(FormatByContent, BracesAreJson) {
  for (const std::string line : {"{ \"json\": 1 }", "{", "[", "[{\"a\": 1},", "[ {"}) {
    EXPECT_EQ(format_of(line), Format::kJson) << line;
  }
}

TEST(FormatByContent, KeywordsAreArff) {
  for (const std::string line : {"@relation x", "@RELATION 'a b'", "@Attribute a real", "@data"}) {
    EXPECT_EQ(format_of(line), Format::kArff) << line;
  }
}

TEST(FormatByContent, ABarBehindNumbersAndATagIsVowpalWabbits) {
  for (const std::string line : {"1 |f a b:2", "|f a", "| a b", "-1 2.5 0.1 'tag|f a", "'tag |f a", "1 | price:.23",
                                 "1|f a:1", "1:0.5:0.2 | a:1", "1:0.5 2:0.5 |f a:1"}) {
    EXPECT_EQ(format_of(line), Format::kVw) << line;
  }
}

}  // namespace
}  // namespace alder
