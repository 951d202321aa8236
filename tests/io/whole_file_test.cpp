#include "io/whole_file.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "data/support.h"
#include "support/throws.h"

namespace alder {
namespace {

using testing::message_of;

TEST(ReplaceFile, WritesAndReplacesAndLeavesNothingElse) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  replace_file(path, "one");
  EXPECT_EQ(read_file(path), "one");
  const std::string large(3000000, 'x');
  replace_file(path, large);
  EXPECT_EQ(read_file(path), large);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("")), {}), 1);
}

TEST(ReplaceFile, ASymbolicLinkStaysOne) {
  const test::TemporaryFolder folder;
  std::filesystem::create_symlink(folder.path("real"), folder.path("link"));
  replace_file(folder.path("link"), "through");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(read_file(folder.path("real")), "through");
}

TEST(ReplaceFile, FailuresNameThePathAndTheReason) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(message_of([&] { replace_file(folder.path("no/model"), "x"); }),
            folder.path("no/model") + ": No such file or directory");
  EXPECT_EQ(message_of([&] { replace_file(folder.path(""), "x"); }), folder.path("") + ": Is a directory");
  EXPECT_EQ(message_of([&] { replace_file("/dev/full", "x"); }), "/dev/full: No space left on device");
  EXPECT_EQ(message_of([&] { (void)read_file(folder.path("none")); }),
            folder.path("none") + ": No such file or directory");
  EXPECT_EQ(message_of([&] { (void)read_file(folder.path("")); }), folder.path("") + ": Is a directory");
}

}  // namespace
}  // namespace alder
