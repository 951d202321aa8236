#include "alder/error.h"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "alder/batch.h"
#include "alder/dataset.h"
#include "alder/input.h"
#include "alder/model.h"
#include "alder/registry.h"
#include "alder/theory.h"

#include "data/support.h"
#include "io/whole_file.h"
#include "support/dense.h"
#include "support/learning.h"

namespace alder {
namespace {

using testing::learn_one;

using Kind = Error::Kind;

Error thrown_by(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing thrown";
  return Error("nothing thrown");
}

Kind kind_of(const std::function<void()>& action) {
  return thrown_by(action).kind();
}

TEST(Error, IsAboutAnArgumentAndNoRowUnlessItSays) {
  const Error error("budget is 0; expected more");
  EXPECT_EQ(error.kind(), Kind::kArgument);
  EXPECT_EQ(error.row(), Error::kNoRow);
  EXPECT_STREQ(error.what(), "budget is 0; expected more");
}

TEST(Error, KeepsItsKindAndRowWithAnotherMessage) {
  const Error error = Error(Kind::kTarget, "bad", 7).with_message("file: bad");
  EXPECT_EQ(error.kind(), Kind::kTarget);
  EXPECT_EQ(error.row(), 7U);
  EXPECT_STREQ(error.what(), "file: bad");
  EXPECT_EQ(error.of_row(3, "row 3: bad").row(), 3U);
  EXPECT_EQ(error.of_row(3, "row 3: bad").kind(), Kind::kTarget);
}

TEST(Error, OfARowOrItsLabelSaysWhich) {
  const auto learner = make_learner("pomdr", R"({"precision": "float"})");
  const std::vector<double> good = {1.0, 2.0};
  const std::vector<double> infinite = {1.0, 1.0 / 0.0};
  const std::vector<double> large = {1.0, 1e200};
  const std::vector<FeatureIndex> twice = {3, 3};
  EXPECT_EQ(kind_of([&] { (void)learner->score(Row::dense(infinite)); }), Kind::kRow);
  EXPECT_EQ(kind_of([&] { (void)learner->score(Row::dense(large)); }), Kind::kRow);
  EXPECT_EQ(kind_of([&] { learn_one(*learner, Row::sparse(twice, good), 1.0); }), Kind::kRow);
  EXPECT_EQ(kind_of([&] { (void)Row::sparse(twice, std::span(good).first(1)); }), Kind::kRow);
  EXPECT_EQ(kind_of([&] { learn_one(*learner, Row::dense(good), 0.5); }), Kind::kTarget);
}

TEST(Error, OfFilesTellsWhatCannotBeReadFromWhatCannotBeUnderstood) {
  const test::TemporaryFolder folder;
  const auto rows = [&folder](const std::string& text) {
    replace_file(folder.path("rows"), text);
    return kind_of([&] { (void)Dataset::read(*open_input({folder.path("rows")})); });
  };
  EXPECT_EQ(kind_of([&] { (void)Dataset::read(*open_input({folder.path("none")})); }), Kind::kFile);
  EXPECT_EQ(kind_of([&] { replace_file(folder.path("no/such/folder"), ""); }), Kind::kFile);
  EXPECT_EQ(rows("PK\x03\x04 is a zip file\n"), Kind::kFormat);
  EXPECT_EQ(rows("+1 1:0.5\n-1 1:x\n"), Kind::kRow);
  EXPECT_EQ(rows("+1 1:0.5\n-1 1:1\n1:1\n"), Kind::kTarget);
}

TEST(Error, OfModelsTellsFilesDamageAndVersionsApart) {
  const test::TemporaryFolder folder;
  Model model("ogd");
  model.set_classes({"-1", "1"});
  const std::string bytes = model.encode();
  EXPECT_EQ(kind_of([&] { (void)Model::load(folder.path("none")); }), Kind::kFile);
  EXPECT_EQ(kind_of([&] { model.save(folder.path("no/such/folder")); }), Kind::kFile);
  EXPECT_EQ(kind_of([&] { (void)Model::decode("nonsense"); }), Kind::kFormat);
  std::string damaged = bytes;
  damaged[damaged.find("\"step\"") + 8] ^= 1;
  EXPECT_EQ(kind_of([&] { (void)Model::decode(damaged); }), Kind::kFormat);

  std::string later = bytes;
  const std::size_t version = later.find("\"format_version\":\"2\"");
  ASSERT_NE(version, std::string::npos);
  later[version + 18] = '9';
  replace_file(folder.path("later"), later);
  const Error error = thrown_by([&] { (void)Model::load(folder.path("later")); });
  EXPECT_EQ(error.kind(), Kind::kVersion);
  EXPECT_NE(std::string(error.what()).find(folder.path("later")), std::string::npos);
}

TEST(Error, OfWhatALearnerCannotDoSaysSo) {
  const auto learner = make_learner("ogd");
  EXPECT_EQ(kind_of([&] { const Batch batch(*learner, {}); }), Kind::kUnsupported);
  EXPECT_EQ(kind_of([] { (void)make_learner("fogd", R"({"kernel": {"name": "linear"}})"); }), Kind::kUnsupported);
  EXPECT_EQ(kind_of([] { (void)make_learner("ogd", R"({"step": -1})"); }), Kind::kArgument);
  EXPECT_EQ(kind_of([] { (void)make_learner("none"); }), Kind::kArgument);
}

}  // namespace
}  // namespace alder
