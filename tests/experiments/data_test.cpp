#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "alder/scaling.h"

#include "experiments/mini.h"
#include "experiments/suite.h"
#include "support/throws.h"

namespace alder {
namespace {

using test::OwnedExample;
using test::OwnedStream;
using testing::generated;
using testing::message_of;

Dataset dataset_of(std::vector<OwnedExample> rows) {
  OwnedStream examples(std::move(rows));
  return Dataset::read(examples);
}

DataSpec file_named(const std::string& file) {
  DataSpec data;
  data.name = "data";
  data.file = file;
  return data;
}

TEST(FindFile, TakesTheEndingsThatSuchFilesHave) {
  for (const char* const format : {"", ".libsvm", ".txt", ".svm", ".csv"}) {
    for (const char* const compression : {"", ".xz", ".gz", ".zst", ".bz2"}) {
      const test::TemporaryFolder folder;
      const std::string path = folder.write(std::string("a9a") + format + compression, "+1 1:1\n");
      EXPECT_EQ(find_file(file_named("a9a"), folder.path("")), path);
      EXPECT_EQ(find_file(file_named("a9"), folder.path("")), std::nullopt);
    }
  }
}

TEST(FindFile, PrefersTheNameAsItIs) {
  const test::TemporaryFolder folder;
  (void)folder.write("a.txt", "x");
  (void)folder.write("a.xz", "x");
  EXPECT_EQ(find_file(file_named("a"), folder.path("")), folder.path("a.xz"));
  EXPECT_EQ(find_file(file_named("a.txt"), folder.path("")), folder.path("a.txt"));
  (void)folder.write("a", "x");
  EXPECT_EQ(find_file(file_named("a"), folder.path("")), folder.path("a"));
}

TEST(FindFile, FindsNothingWhereNothingIs) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(find_file(file_named("a"), folder.path("")), std::nullopt);
  EXPECT_EQ(find_file(file_named("a"), folder.path("nowhere")), std::nullopt);
  EXPECT_EQ(find_file(file_named("a"), folder.write("file", "")), std::nullopt);
  std::filesystem::create_directory(folder.path("a"));
  EXPECT_EQ(find_file(file_named("a"), folder.path("")), std::nullopt);
  EXPECT_EQ(find_file(file_named(std::string(300, 'x')), folder.path("")), std::nullopt);
}

TEST(FindFile, LooksIntoSubfoldersThatAreNamed) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  (void)folder.write("sub/a.txt", "x");
  EXPECT_EQ(find_file(file_named("sub/a"), folder.path("")), folder.path("sub/a.txt"));
  EXPECT_EQ(find_file(file_named(folder.path("sub/a")), "elsewhere"), folder.path("sub/a.txt"));
}

TEST(LoadData, MakesUpWhatIsToBeGenerated) {
  DataSpec data;
  data.generate = "blobs";
  data.rows = 70;
  EXPECT_EQ(checksum(load_data(data, "", 3)), checksum(generated("blobs", 70, 3)));
  EXPECT_NE(checksum(load_data(data, "", 4)), checksum(generated("blobs", 70, 3)));
}

TEST(LoadData, ReadsAndScalesFiles) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "+1 1:2 2:5\n-1 1:4\n+1 1:3 2:10\n");
  DataSpec data = file_named("a");
  EXPECT_EQ(checksum(load_data(data, path, 1)),
            checksum(dataset_of({{{0, 1}, {2.0, 5.0}, 1.0}, {{0}, {4.0}, -1.0}, {{0, 1}, {3.0, 10.0}, 1.0}})));
  data.scale = "minmax";
  EXPECT_EQ(checksum(load_data(data, path, 1)),
            checksum(dataset_of({{{1}, {0.5}, 1.0}, {{0}, {1.0}, -1.0}, {{0, 1}, {0.5, 1.0}, 1.0}})));
}

TEST(LoadData, NumbersClassesByTheirLabelsWhicheverComesFirst) {
  const test::TemporaryFolder folder;
  const auto targets_of = [&](const std::string& text) {
    const Dataset rows = load_data(file_named("a"), folder.write("a", text), 1);
    return std::vector<double>(rows.targets().begin(), rows.targets().end());
  };
  EXPECT_EQ(targets_of("+1 1:1\n-1 1:2\n"), (std::vector<double>{1.0, 0.0}));
  EXPECT_EQ(targets_of("-1 1:1\n+1 1:2\n"), (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(targets_of("10 1:1\n9 1:2\n8 1:2\n"), (std::vector<double>{2.0, 1.0, 0.0}));
  EXPECT_EQ(targets_of("1 1:1\n"), std::vector<double>{1.0});
}

TEST(LoadData, RejectsFilesThatAreEmptyBrokenOrGone) {
  const test::TemporaryFolder folder;
  const std::string empty = folder.write("empty", "# nothing\n");
  EXPECT_EQ(message_of([&] { load_data(file_named("empty"), empty, 1); }),
            empty + ": no rows in it; expected at least one");
  const std::string broken = folder.write("broken", "+1 1:1\n-1 1:x\n");
  EXPECT_TRUE(message_of([&] { load_data(file_named("broken"), broken, 1); }).starts_with(broken + ":2: "));
  EXPECT_TRUE(message_of([&] { load_data(file_named("x"), folder.path("x"), 1); }).starts_with(folder.path("x")));
}

TEST(Checksum, IsThatOfTheRowsAlone) {
  EXPECT_EQ(checksum(generated("rings", 100, 3)), checksum(generated("rings", 100, 3)));
  EXPECT_EQ(checksum(Dataset()), checksum(Dataset()));
  EXPECT_EQ(checksum(Dataset()).size(), 16U);
}

TEST(Checksum, DiffersWhenAnythingDoes) {
  const std::vector<OwnedExample> rows = {{{0, 3}, {0.5, -2.0}, 1.0}, {{}, {}, 0.0}, {{7}, {1.0}, 1.0}};
  std::set<std::string> sums = {checksum(dataset_of(rows))};
  std::size_t tried = 1;
  const auto differs = [&](const auto& change) {
    std::vector<OwnedExample> other = rows;
    change(other);
    ++tried;
    sums.insert(checksum(dataset_of(other)));
    EXPECT_EQ(sums.size(), tried);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    differs([i](auto& other) { other[i].target = 1.0 - other[i].target; });
  }
  differs([](auto& other) { other[0].values[1] = -2.0000000000000004; });
  differs([](auto& other) { other[0].values[0] = -0.5; });
  differs([](auto& other) { other[2].values[0] = 0.0; });
  differs([](auto& other) { other[0].indices[1] = 4; });
  differs([](auto& other) { other[2].indices[0] = 4000000000U; });
  differs([](auto& other) { std::swap(other[0], other[2]); });
  differs([](auto& other) { other.pop_back(); });
  differs([](auto& other) { other.push_back({{}, {}, 1.0}); });
  differs([](auto& other) { other[0] = {{0}, {0.5}, 1.0}; });
}

// Four rows without features are, byte for byte, one row with two: +1.0 is 00 00 00 00 00 00 f0 3f.
TEST(Checksum, KnowsWhereRowsEnd) {
  const OwnedExample none = {{}, {}, 1.0};
  const OwnedExample two = {{0, 0x3ff00000U}, {0x3ff00000p-1074, 1.0}, 1.0};
  EXPECT_NE(checksum(dataset_of({none, none, none, none})), checksum(dataset_of({two})));
}

}  // namespace
}  // namespace alder
