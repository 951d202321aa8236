#include "experiments/results.h"

#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "alder/registry.h"
#include "alder/version.h"

#include "experiments/mini.h"
#include "support/throws.h"

namespace alder {
namespace {

using test::TemporaryFolder;
using testing::lines_of;
using testing::message_of;
using testing::text_of;

Json head() {
  return {{"kind", "suite"}, {"suite", {{"name", "tiny"}}}, {"version", "1"}, {"cores", 2}};
}

Json run(int seed) {
  return {{"kind", "run"}, {"data", "d"},     {"learner", "ogd"}, {"settings", {{"sigma", 0.5}}},
          {"seed", seed},  {"mistakes", 100}, {"seconds", 0.25}};
}

// Files may not grow beyond so many bytes while this lives: what a full disk is to `write`.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST(Results, WhatWasAddedIsFoundAndOnTheDisk) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  Results results(path, head());
  EXPECT_EQ(results.path(), path);
  EXPECT_EQ(text_of(path), head().dump() + "\n");
  EXPECT_FALSE(results.find(key_of(run(1))));
  results.add(run(1));
  EXPECT_EQ(results.find(key_of(run(1))), run(1));
  EXPECT_EQ(lines_of(path), (std::vector<Json>{head(), run(1)}));
  results.add(run(2));
  EXPECT_EQ(lines_of(path), (std::vector<Json>{head(), run(1), run(2)}));
}

TEST(Results, WithoutAPathNothingIsWritten) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path(""));
  Results results("", head());
  results.add(run(1));
  results.arrange({key_of(run(1))});
  EXPECT_EQ(results.find(key_of(run(1))), run(1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
  std::filesystem::current_path(before);
}

TEST(Results, KeysTellApartWhatDiffersAndNothingElse) {
  Json other = run(1);
  other["mistakes"] = 3;
  other["seconds"] = 9.0;
  EXPECT_EQ(key_of(other), key_of(run(1)));
  std::set<std::string> keys = {key_of(run(1))};
  const std::vector<std::pair<const char*, Json>> changes = {
      {"kind", "curve"}, {"data", "e"},   {"learner", "nogd"},
      {"seed", 2},       {"seed", "1"},   {"settings", Json::object()},
      {"sigma", 0.5},    {"sigma", 0.25}, {"settings", {{"sigma", 1}}}};
  for (const auto& [name, value] : changes) {
    Json line = run(1);
    line[name] = value;
    EXPECT_TRUE(keys.insert(key_of(line)).second) << name << value;
  }
}

TEST(Results, GoOnWhereverTheFileWasCut) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  // Short, since every one of its places costs a write that waits for the disk.
  const Json first = {{"kind", "suite"}};
  const auto line = [](int seed) { return Json{{"kind", "run"}, {"seed", seed}}; };
  {
    Results results(path, first);
    for (int seed = 1; seed <= 3; ++seed) results.add(line(seed));
  }
  const std::string whole = text_of(path);
  const std::size_t head_size = first.dump().size() + 1;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    (void)folder.write("results", whole.substr(0, size));
    if (size < head_size) {
      EXPECT_EQ(message_of([&] { Results(path, first); }),
                path + ": it is no results file; expected one, or no such file");
      EXPECT_EQ(text_of(path), whole.substr(0, size));
      continue;
    }
    // Lines that are whole stay, what is left of another goes, and the next one has a line of its own.
    const std::size_t kept = whole.rfind('\n', size - 1) + 1;
    Results results(path, first);
    std::size_t end = head_size;
    for (int seed = 1; seed <= 3; ++seed) {
      end += line(seed).dump().size() + 1;
      ASSERT_EQ(results.find(key_of(line(seed))).has_value(), end <= size) << size;
    }
    results.add(line(9));
    ASSERT_EQ(text_of(path), whole.substr(0, kept) + line(9).dump() + "\n") << size;
  }
}

TEST(Results, RejectFilesOfOthersAndLeaveThemAlone) {
  const TemporaryFolder folder;
  const std::string good = head().dump() + "\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "it is no results file"},
      {"\n", "this is no JSON"},
      {"+1 1:0.5\n", "this is no JSON"},
      {"+1 1:0.5", "it is no results file"},
      {"3\n", "it is no results file"},
      {"[]\n", "it is no results file"},
      {"{}\n", "it is no results file"},
      {"{\"kind\": \"run\"}\n", "it is no results file"},
      {"{\"kind\": 5}\n", "it is no results file"},
      {"{\"kind\": null}\n", "it is no results file"},
      {good + "oops\n", ":2: this is no JSON"},
      {good + run(1).dump() + "\noops\n" + run(2).dump() + "\n", ":3: this is no JSON"},
      {good + "\n" + run(1).dump() + "\n", ":2: this is no JSON"},
      {good + "[1]\n", ":2: "},
      {good + "5\n", ":2: "},
      {std::string("\0\0\n", 3), "this is no JSON"},
  };
  for (const auto& [text, words] : cases) {
    const std::string path = folder.write("file", text);
    std::string message;
    try {
      const Results results(path, head());
      message = "nothing thrown";
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "no Error: " << error.what() << " for " << text;
      continue;
    }
    EXPECT_TRUE(message.starts_with(path)) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message << " for " << text;
    EXPECT_EQ(text_of(path), text);
  }
}

TEST(Results, RejectAnotherSuiteVersionOrMachineAndSayWhichItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  { const Results results(path, head()); }
  const std::string before = text_of(path);
  const std::vector<std::pair<const char*, Json>> changes = {
      {"suite", {{"name", "other"}}}, {"version", "2"}, {"cores", 4}, {"cpu", "Z80"}};
  for (const auto& [name, value] : changes) {
    Json other = head();
    other[name] = value;
    const std::string message = message_of([&] { Results(path, other); });
    EXPECT_EQ(message.find(path + ": its " + name + " is not the same as now; expected results of this suite"), 0U)
        << message;
    EXPECT_EQ(text_of(path), before);
  }
}

TEST(Results, AreArrangedInTheOrderThatIsWanted) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  Results results(path, head());
  for (const int seed : {3, 1, 4, 2}) results.add(run(seed));
  results.arrange({key_of(run(2)), key_of(run(4)), key_of(run(1))});
  EXPECT_EQ(lines_of(path), (std::vector<Json>{head(), run(2), run(4), run(1), run(3)}));
  results.arrange({key_of(run(3)), key_of(run(5)), key_of(run(3))});
  EXPECT_EQ(lines_of(path), (std::vector<Json>{head(), run(3), run(1), run(2), run(4)}));
}

TEST(Results, MayGrowAfterTheyWereArranged) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  Results results(path, head());
  results.add(run(1));
  results.arrange({key_of(run(1))});
  results.add(run(2));
  EXPECT_EQ(lines_of(path), (std::vector<Json>{head(), run(1), run(2)}));
}

// What was read is written again as it was, to the last digit.
TEST(Results, ArrangingKeepsTheTextOfLinesThatWereRead) {
  const TemporaryFolder folder;
  const std::string line = R"({"kind":"run","data":"d","seed":1,"hinge_loss":1234.0000000000001, "seconds": 1e-3})";
  const std::string path = folder.write("results", head().dump() + "\n" + line + "\n");
  Results results(path, head());
  results.arrange({key_of(Json::parse(line))});
  EXPECT_EQ(text_of(path), head().dump() + "\n" + line + "\n");
}

TEST(Results, AreSafeWithSeveralThreads) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  {
    Results results(path, head());
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&results, thread] {
        for (int i = 0; i < 50; ++i) results.add(run(100 * thread + i));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(lines_of(path).size(), 201U);
  const Results again(path, head());
  for (int thread = 0; thread < 4; ++thread) {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(again.find(key_of(run(100 * thread + i))), run(100 * thread + i));
  }
}

TEST(Results, AFullDiskIsAnError) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  Results results(path, head());
  results.add(run(1));
  {
    const SmallDisk disk(text_of(path).size() + 10);
    EXPECT_EQ(message_of([&] { results.add(run(2)); }), path + ": File too large");
  }
  {
    const SmallDisk disk(10);
    EXPECT_NE(message_of([&] { results.arrange({key_of(run(1))}); }), "nothing thrown");
  }
  EXPECT_EQ(Results(path, head()).find(key_of(run(1))), run(1));
}

// Another thread may add its line when there is room again; half a line before it would spoil both.
TEST(Results, AnAddThatFailedSpoilsNoOtherLine) {
  const TemporaryFolder folder;
  const std::string path = folder.path("results");
  {
    Results results(path, head());
    {
      const SmallDisk disk(text_of(path).size() + 10);
      EXPECT_NE(message_of([&] { results.add(run(2)); }), "nothing thrown");
    }
    results.add(run(3));
  }
  EXPECT_EQ(message_of([&] { EXPECT_EQ(Results(path, head()).find(key_of(run(3))), run(3)); }), "nothing thrown");
}

TEST(Results, FoldersThatAreNotThereAndFoldersAreErrors) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of([&] { Results(folder.path("no/results"), head()); }),
            folder.path("no/results") + ": No such file or directory");
  EXPECT_NE(message_of([&] { Results(folder.path(""), head()); }).find("Is a directory"), std::string::npos);
}

TEST(ResultsHead, SaysWhatTheResultsDependOn) {
  const Suite suite = parse_suite(testing::mini_suite().dump());
  const Json first = head_of(suite);
  EXPECT_EQ(first, head_of(suite));
  EXPECT_EQ(first["kind"], "suite");
  EXPECT_EQ(first["suite"], testing::mini_suite());
  EXPECT_EQ(first["version"], ALDER_VERSION);
  EXPECT_EQ(first["instruction_set"], instruction_set());
  EXPECT_EQ(first["cores"], std::thread::hardware_concurrency());
  EXPECT_FALSE(first["cpu"].get<std::string>().empty());
  EXPECT_EQ(first["defaults"].size(), 4U);
  for (const char* learner : {"pomdr", "fogd", "linear", "bogd"}) {
    EXPECT_EQ(first["defaults"][learner], Json::parse(make_learner(learner)->options()));
  }
}

}  // namespace
}  // namespace alder
