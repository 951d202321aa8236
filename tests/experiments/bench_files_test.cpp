// Benches on files: missing ones, changed ones, bad ones.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/bench.h"
#include "experiments/mini.h"
#include "support/throws.h"

namespace alder {
namespace {

using test::TemporaryFolder;
using testing::lines_of;
using testing::message_of;
using testing::never;
using testing::run_bench;
using testing::timeless;

void nobody(const BenchStatus&) {}

std::string libsvm(const std::string& generator, std::uint64_t rows) {
  std::string text;
  const Dataset data = testing::generated(generator, rows);
  for (std::size_t i = 0; i < data.size(); ++i) {
    text += data[i].target > 0.0 ? "+1" : "-1";
    for (std::size_t j = 0; j < data[i].row.size(); ++j) {
      text += fmt::format(" {}:{}", data[i].row.feature(j) + 1, data[i].row.value(j));
    }
    text += "\n";
  }
  return text;
}

Json two_files() {
  return Json::parse(R"({
    "name": "files", "permutations": 2,
    "data": {"a": {"file": "a", "source": "https://a"}, "b": {"file": "b", "scale": "minmax", "source": "https://b"}},
    "experiments": [{"learners": ["perceptron", "linear"], "options": {}, "curve": true}],
    "spectrum": {"rows": 10, "sigma": [1]}
  })");
}

// Kernel learners want a width.
Json with_width() {
  Json suite = two_files();
  for (const char* name : {"a", "b"}) suite["data"][name]["settings"] = {{"sigma", 0.5}};
  return suite;
}

TEST(BenchFiles, ThoseThatAreMissingAreNamedAndLeftOut) {
  const TemporaryFolder folder;
  (void)folder.write("b.txt", libsvm("rings", 80));
  const Suite suite = parse_suite(with_width().dump());
  const std::string path = folder.path("results");
  Results results(path, head_of(suite));
  Bench bench(suite, folder.path(""), results);
  ASSERT_EQ(bench.missing().size(), 1U);
  EXPECT_EQ(bench.missing()[0].name, "a");
  EXPECT_EQ(bench.missing()[0].source, "https://a");
  EXPECT_TRUE(bench.run(2, never(), nobody));
  EXPECT_EQ(bench.best().size(), 2U);
  for (const Json& line : lines_of(path)) EXPECT_NE(line.value("data", ""), "a");
  const Json data = lines_of(path).at(1);
  EXPECT_EQ(data["kind"], "data");
  EXPECT_EQ(data["file"], "b.txt");
  EXPECT_EQ(data["rows"], 80);
  EXPECT_EQ(data["scale"], "minmax");
}

TEST(BenchFiles, AFileThatCameLaterIsRunThen) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  (void)folder.write("b", libsvm("rings", 80));
  run_bench(with_width(), folder.path(""), path);
  (void)folder.write("a", libsvm("checkerboard", 70));
  run_bench(with_width(), folder.path(""), path);
  const TemporaryFolder other;
  (void)other.write("a", libsvm("checkerboard", 70));
  (void)other.write("b", libsvm("rings", 80));
  run_bench(with_width(), other.path(""), other.path("results"));
  EXPECT_EQ(timeless(lines_of(path)), timeless(lines_of(other.path("results"))));
}

// Hours of work must not be thrown away because a file is not there any more, or the folder was forgotten.
TEST(BenchFiles, ResultsOfAFileThatIsGoneAreKept) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  (void)folder.write("a", libsvm("checkerboard", 70));
  (void)folder.write("b", libsvm("rings", 80));
  run_bench(with_width(), folder.path(""), path);
  const std::vector<Json> before = lines_of(path);
  std::filesystem::remove(folder.path("a"));
  run_bench(with_width(), folder.path(""), path);
  EXPECT_EQ(lines_of(path).size(), before.size());
  for (const Json& line : before) {
    const std::vector<Json> after = lines_of(path);
    EXPECT_NE(std::find(after.begin(), after.end(), line), after.end()) << key_of(line);
  }
}

TEST(BenchFiles, DataThatHasChangedIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  (void)folder.write("a", libsvm("checkerboard", 70));
  (void)folder.write("b", libsvm("rings", 80));
  run_bench(with_width(), folder.path(""), path);
  std::string text = testing::text_of(path);
  text.resize(text.rfind('\n', text.size() - 2) + 1);  // so that something is left to do: the spectrum of b
  (void)folder.write("results", text);
  (void)folder.write("b", libsvm("rings", 81));
  for (const unsigned threads : {1, 3}) {
    EXPECT_EQ(message_of([&] { run_bench(with_width(), folder.path(""), path, threads); }),
              path + ": data set b has changed since; expected the same rows, or no such file");
    EXPECT_EQ(testing::text_of(path), text);
  }
}

TEST(BenchFiles, AnErrorWithinARunIsThrownAndDoesNotHang) {
  const TemporaryFolder folder;
  (void)folder.write("a", libsvm("rings", 50) + "+1 1:1e39\n" + libsvm("rings", 50));
  (void)folder.write("b", libsvm("rings", 60));
  for (const unsigned threads : {1, 2, 5}) {
    const std::string path = folder.path(fmt::format("results{}", threads));
    const std::string message = message_of([&] { run_bench(with_width(), folder.path(""), path, threads); });
    EXPECT_NE(message.find("expected a value in the range of float"), std::string::npos) << message;
    EXPECT_NE(lines_of(path).size(), 0U);
  }
}

TEST(BenchFiles, AnErrorWithinARunSaysWhichRunItWas) {
  const TemporaryFolder folder;
  (void)folder.write("a", libsvm("rings", 50));
  (void)folder.write("b", "+1 1:1\n-1 1:2\n+1 2:1e39\n");
  Json suite = with_width();
  suite["data"]["b"]["scale"] = "none";
  const std::string message = message_of([&] { run_bench(suite, folder.path(""), folder.path("results")); });
  EXPECT_TRUE(message.find(" b") != std::string::npos || message.find("/b") != std::string::npos) << message;
}

TEST(BenchFiles, BadAndEmptyFilesAreErrorsWithTheirNames) {
  for (const char* text : {"", "# nothing\n", "+1 1:1\n-1 1:x\n"}) {
    for (const unsigned threads : {1, 4}) {
      const TemporaryFolder folder;
      (void)folder.write("a", text);
      const std::string message =
          message_of([&] { run_bench(with_width(), folder.path(""), folder.path("results"), threads); });
      EXPECT_TRUE(message.starts_with(folder.path("a"))) << message;
    }
  }
}

TEST(BenchFiles, OneRowIsEnough) {
  const TemporaryFolder folder;
  (void)folder.write("a", "+1 1:1\n");
  const std::string path = folder.path("results");
  const auto best = run_bench(with_width(), folder.path(""), path, 2);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].runs.at(0)["rounds"], 1);
}

// A file that someone edited, or that another program wrote. In a process of its own, since it may end that.
TEST(BenchFiles, StoredLinesThatLackSomethingAreErrors) {
  const TemporaryFolder folder;
  (void)folder.write("a", libsvm("rings", 50));
  const std::string path = folder.path("results");
  run_bench(with_width(), folder.path(""), path);
  const std::vector<Json> lines = lines_of(path);
  for (const auto& [kind, field] : {std::pair("data", "checksum"), {"run", "mistakes"}, {"run", "rounds"}}) {
    std::string text;
    for (Json line : lines) {
      if (line["kind"] == kind) line.erase(field);
      if (line["kind"] != "spectrum") text += line.dump() + "\n";
    }
    (void)folder.write("results", text);
    EXPECT_EXIT(
        {
          const std::string message = message_of([&] { run_bench(with_width(), folder.path(""), path); });
          std::_Exit(message.starts_with(path) ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << field;
  }
}

}  // namespace
}  // namespace alder
