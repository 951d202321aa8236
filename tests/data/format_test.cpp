#include "data/format.h"

#include <string>

#include <gtest/gtest.h>

namespace alder {
namespace {

TEST(FormatByContent, IndicesAndColonsAreLibsvm) {
  for (const std::string line : {"+1 1:0.5 2:3", "-1\t3:1\t4:1", "yes 1:0.5", "1:0.5 2:3", "1:0.5", "1 2:x", "1 qid:3",
                                 "1 2.5 1:3", "1\t0\t1:3"}) {
    EXPECT_EQ(format_of(line), Format::kLibsvm) << line;
  }
}

TEST(FormatByContent, ALabelAloneIsLibsvm) {
  for (const std::string line : {"+1", "0 ", "\tyes", "1 # no features"}) {
    EXPECT_EQ(format_of(line), Format::kLibsvm) << line;
  }
}

TEST(FormatByContent, SeparatorsAreCsv) {
  for (const std::string line : {"1,2", "a;b", "1\t2", "1, 2, 3", "a b,c d", "\"red wine\",1:2", "12:30,5", ",1"}) {
    EXPECT_EQ(format_of(line), Format::kCsv) << line;
  }
}

TEST(FormatByContent, AnythingElseIsNeither) {
  for (const std::string line : {"1 2 3", "1 2.5", "1 x 1:2", "some words", "{ \"json\": 1 }"}) {
    EXPECT_EQ(format_of(line), Format::kAuto) << line;
  }
}

}  // namespace
}  // namespace alder
