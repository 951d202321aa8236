// Pipes: rows that come slowly, writers that never write, readers that give up.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alder/input.h"

#include "support.h"

namespace alder {
namespace {

using test::TemporaryFolder;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A named pipe and its writing end, which never blocks the test for good.
class LiveInputs : public testing::TestWithParam<bool> {
 protected:
  LiveInputs() : path_(folder_.path("pipe")) { EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0); }
  ~LiveInputs() override { close_pipe(); }

  std::unique_ptr<Input> open_pipe(InputOptions options = {}) {
    options.read_ahead = GetParam();
    auto input = open_input({path_}, options);
    reading_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK);  // lets the writer open it before the input does
    writing_ = open(path_.c_str(), O_WRONLY);
    return input;
  }
  void write(const std::string& text) const {
    ASSERT_EQ(::write(writing_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_pipe() {
    if (writing_ >= 0) close(writing_);
    if (reading_ >= 0) close(reading_);
    writing_ = reading_ = -1;
  }

  TemporaryFolder folder_;
  std::string path_;
  int reading_ = -1;
  int writing_ = -1;
};

INSTANTIATE_TEST_SUITE_P(ReadAhead, LiveInputs, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& param) { return param.param ? "on" : "off"; });

TEST_P(LiveInputs, DeliverARowWhenItArrives) {
  const auto input = open_pipe({.classes = {"-1", "+1"}});
  Example example;
  for (int i = 0; i < 50; ++i) {
    write(fmt::format("{} 1:{}\n", i % 2 == 0 ? "+1" : "-1", i));
    ASSERT_TRUE(input->next(example));  // would wait for ever if it wanted a second row
    EXPECT_EQ(example.row.value(0), i);
    EXPECT_EQ(example.target, i % 2 == 0 ? 1.0 : 0.0);
  }
  write("+1 1:7");  // half a line is no row yet
  close_pipe();
  ASSERT_TRUE(input->next(example));
  EXPECT_EQ(example.row.value(0), 7.0);
  EXPECT_FALSE(input->next(example));
  EXPECT_EQ(input->bytes_total(), std::nullopt);
}

TEST_P(LiveInputs, DeliverTheFirstLabelBeforeThereIsAnother) {
  const auto input = open_pipe();
  Example example;
  for (const std::string label : {"2", "2", "1", "x"}) {
    write(label + " 1:1\n");
    ASSERT_TRUE(input->next(example));  // would wait for ever if it wanted a second label
    EXPECT_EQ(input->classes().at(static_cast<std::size_t>(example.target)), label);
  }
  EXPECT_EQ(input->classes().size(), 3U);
}

TEST_P(LiveInputs, DoNotWaitForAsManyRowsAsMayBeDeliveredAtOnce) {
  const auto input = open_pipe({.rows_at_once = 4096});
  for (int i = 0; i < 5; ++i) {
    write("2 1:1\n");
    EXPECT_EQ(input->read(4096).size(), 1U);
  }
}

TEST_P(LiveInputs, CanBeInterruptedWhileTheyWaitForWeights) {
  ASSERT_EQ(mkfifo(folder_.path("weights").c_str(), 0600), 0);
  const int writing = open(folder_.path("weights").c_str(), O_RDWR);  // there is a writer, which writes nothing
  {
    const auto input = open_pipe({.weights_file = folder_.path("weights")});
    write("1 1:5\n");
    std::jthread interrupter([&] {
      std::this_thread::sleep_for(milliseconds(50));
      input->interrupt();
    });
    Example example;
    EXPECT_FALSE(input->next(example));
  }
  close(writing);
}

TEST_P(LiveInputs, DeliverCsvRowsWhenTheyArriveIfTheColumnsAreKnown) {
  const auto encoding = std::make_shared<Encoding>(std::vector<Column>{{.name = "a"}});
  encoding->label_name = "label";
  encoding->label_place = 1;
  const auto input = open_pipe({.encoding = encoding, .classes = {"-1", "+1"}});
  Example example;
  write("a,label\n1,1\n");
  ASSERT_TRUE(input->next(example));
  write("2,-1");
  write("\n3,");
  ASSERT_TRUE(input->next(example));
  EXPECT_EQ(example.row.value(0), 2.0);
  write("1\n");
  ASSERT_TRUE(input->next(example));
  EXPECT_EQ(example.row.value(0), 3.0);
}

TEST_P(LiveInputs, DoNotCountWaitingAsReading) {
  const auto input = open_pipe({.classes = {"-1", "+1"}});
  Example example;
  write("1\n");
  ASSERT_TRUE(input->next(example));
  std::jthread writer([this] {
    std::this_thread::sleep_for(milliseconds(300));
    write("1\n");
  });
  ASSERT_TRUE(input->next(example));
  EXPECT_LT(input->read_seconds(), 0.2);
  EXPECT_GT(input->wait_seconds(), 0.25);
}

TEST_P(LiveInputs, CanBeInterruptedWhileTheyWait) {
  const auto input = open_pipe({.classes = {"-1", "+1"}});
  write("1 1:5\n-1 1:");
  std::jthread interrupter([&] {
    std::this_thread::sleep_for(milliseconds(50));
    input->interrupt();
  });
  Example example;
  EXPECT_TRUE(input->next(example));
  EXPECT_FALSE(input->next(example));
  EXPECT_FALSE(input->next(example));
}

Input* interrupted = nullptr;

TEST_P(LiveInputs, CanBeInterruptedByASignal) {
  const auto input = open_pipe();
  interrupted = input.get();
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { interrupted->interrupt(); };
  sigaction(SIGUSR1, &action, &before);
  write("1 1:5\n");
  std::jthread sender([] {
    std::this_thread::sleep_for(milliseconds(50));
    kill(getpid(), SIGUSR1);
  });
  Example example;
  EXPECT_TRUE(input->next(example));
  EXPECT_FALSE(input->next(example));
  sender.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_P(LiveInputs, AreDestroyedAtOnceWhileTheyWait) {
  for (const std::string text : {"", "1", "1 1:1\n", "1 1:1\n0 1:1\n"}) {
    const Clock::time_point begin = Clock::now();
    {
      const auto input = open_pipe();
      if (!text.empty()) write(text);
      std::this_thread::sleep_for(milliseconds(5));
    }
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
    close_pipe();
  }
}

TEST_P(LiveInputs, AreDestroyedAtOnceWithoutAnyWriter) {
  InputOptions options;
  options.read_ahead = GetParam();
  const Clock::time_point begin = Clock::now();
  open_input({path_}, options);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

TEST_P(LiveInputs, AreDestroyedAtOnceWhenNobodyTakesTheRows) {
  const auto input = open_pipe();
  std::atomic<bool> done = false;
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += fmt::format("{} 1:{}\n", i % 2, i);
  fcntl(writing_, F_SETFL, O_NONBLOCK);
  std::jthread writer([&] {
    while (!done) {
      if (::write(writing_, rows.data(), rows.size()) < 0) std::this_thread::sleep_for(milliseconds(1));
    }
  });
  Example example;
  ASSERT_TRUE(input->next(example));
  std::this_thread::sleep_for(milliseconds(50));  // the ring is full by now
  done = true;
}

TEST_P(LiveInputs, StandardInputIsRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const int saved = dup(STDIN_FILENO);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  InputOptions options;
  options.read_ahead = GetParam();
  {
    const auto input = open_input({"-"}, options);
    const std::string text = "1 1:1\n0 1:2\n1 1:x\n";
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    Example example;
    EXPECT_TRUE(input->next(example));
    EXPECT_TRUE(input->next(example));
    EXPECT_EQ(test::error_of([&] { input->next(example); }),
              "standard input:3: value 'x' of feature 1 is not a number; a number is expected");
    EXPECT_EQ(input->bytes_total(), std::nullopt);
  }
  close(ends[1]);
  EXPECT_GE(fcntl(STDIN_FILENO, F_GETFD), 0) << "standard input is not ours to close";
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
}

}  // namespace
}  // namespace alder
