// replace_file among other processes: several that write at once, one that is killed, files of others in its way. The
// test stops a writer at a certain point by putting functions of its own before fsync and rename.
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/support.h"
#include "io/whole_file.h"
#include "support/throws.h"

namespace {

std::function<void()> before_fsync;   // called once
std::function<void()> before_rename;  // likewise

void call_once(std::function<void()>& action) {
  if (const auto taken = std::exchange(action, nullptr)) taken();
}

}  // namespace

// These take the place of the C library's in the whole test program.
extern "C" int fsync(int file) {
  call_once(before_fsync);
  return static_cast<int>(::syscall(SYS_fsync, file));
}
extern "C" int rename(const char* from, const char* to) noexcept {
  call_once(before_rename);
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}

namespace alder {
namespace {

namespace fs = std::filesystem;
using testing::message_of;

std::set<std::string> names_in(const test::TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path(""))) names.insert(entry.path().filename().string());
  return names;
}

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : ~mode_t{0};
}

// Runs the action in a process of its own and returns how that ended, as waitpid tells it.
int in_a_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    action();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(Writers, OneThatSavesWhileAnotherIsAboutToRenameDoesNotDisturbIt) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  std::string between;
  before_rename = [&] {
    replace_file(path, "the second");
    between = read_file(path);
  };
  replace_file(path, "the first");
  EXPECT_EQ(between, "the second");
  EXPECT_EQ(read_file(path), "the first");
  EXPECT_EQ(names_in(folder), std::set<std::string>{"model"});
}

TEST(Writers, OneThatIsStillWritingDoesNotDisturbAnother) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  std::string between;
  before_fsync = [&] {
    replace_file(path, "the second");
    between = read_file(path);
  };
  replace_file(path, "the first");
  EXPECT_EQ(between, "the second");
  EXPECT_EQ(read_file(path), "the first");
  EXPECT_EQ(names_in(folder), std::set<std::string>{"model"});
}

TEST(Writers, TwoProcessesAtOnceBothSucceedAndEveryContentIsWhole) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  const std::array<std::string, 2> contents = {std::string(100000, 'a'), std::string(200000, 'b')};
  replace_file(path, contents[0]);
  std::array<pid_t, 2> children{};
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = ::fork();
    if (children[i] != 0) continue;
    ::alarm(60);
    try {
      for (int n = 0; n < 100; ++n) replace_file(path, contents[i]);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      const std::string content = read_file(path);
      EXPECT_TRUE(content == contents[0] || content == contents[1]) << content.size() << " bytes";
    }
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(names_in(folder), std::set<std::string>{"model"});
}

TEST(Writers, WhatAKilledOneLeftBehindTheNextRemoves) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  replace_file(path, "old");
  const int status = in_a_child([&] {
    before_rename = [] { ::raise(SIGKILL); };
    replace_file(path, "never");
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(names_in(folder).size(), 2U);
  replace_file(folder.path("other"), "of another file");
  EXPECT_EQ(names_in(folder).size(), 3U);
  replace_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"model", "other"}));
}

TEST(Writers, FilesWithSimilarNamesAreNotTouched) {
  const test::TemporaryFolder folder;
  const std::string digits = "0123456789abcdef";
  const std::string aim = folder.write("aim", "of the link");
  std::set<std::string> names = {"model", "aim"};
  for (const std::string& name :
       {std::string("model.part"), std::string(".model.part"), ".model.x" + digits.substr(1) + ".part",
        ".model." + digits + "0.part", ".model2." + digits + ".part"}) {
    names.insert(name);
    (void)folder.write(name, "somebody's");
  }
  const std::string link = ".model." + digits + ".part";
  fs::create_symlink("aim", folder.path(link));
  const std::string pipe = ".model.0" + digits.substr(1, 14) + "0.part";
  ASSERT_EQ(::mkfifo(folder.path(pipe).c_str(), 0600), 0);
  names.insert({link, pipe});
  replace_file(folder.path("model"), "new");
  EXPECT_EQ(read_file(folder.path("model")), "new");
  EXPECT_EQ(names_in(folder), names);
  EXPECT_EQ(read_file(aim), "of the link");
}

TEST(Writers, PermissionsStay) {
  const test::TemporaryFolder folder;
  const mode_t mask = ::umask(027);
  replace_file(folder.path("new"), "x");
  EXPECT_EQ(mode_of(folder.path("new")), 0640U);
  for (const mode_t mode : {0600U, 0444U, 0666U}) {
    ASSERT_EQ(::chmod(folder.path("new").c_str(), mode), 0);
    replace_file(folder.path("new"), "y");
    EXPECT_EQ(mode_of(folder.path("new")), mode);
  }
  ::umask(mask);
}

TEST(Writers, ANameAsLongAsTheFileSystemAllowsIsSaved) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path(std::string(255, 'n'));
  replace_file(path, "x");
  replace_file(path, "y");
  EXPECT_EQ(read_file(path), "y");
}

TEST(Writers, AFileThatBecomesTooLargeIsAnErrorAndTheOldOneStays) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("model");
  replace_file(path, "old");
  const int status = in_a_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (message_of([&] { replace_file(path, std::string(2000, 'x')); }) != path + ": File too large") ::_exit(1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(names_in(folder), std::set<std::string>{"model"});
}

TEST(Writers, AFolderThatMustNotBeWrittenToIsAnError) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path("closed"));
  const std::string path = folder.path("closed/model");
  replace_file(path, "old");
  fs::permissions(folder.path(""), fs::perms{0755});
  fs::permissions(folder.path("closed"), fs::perms{0555});
  const int status = in_a_child([&] {
    constexpr uid_t kNobody = 65534;  // the rights of root have no limits
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    if (message_of([&] { replace_file(path, "new"); }) != path + ": Permission denied") ::_exit(1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path), "old");
  fs::permissions(folder.path("closed"), fs::perms{0755});
}

extern "C" void do_nothing(int /*signal*/) {}

// A signal every 20 ms, since the first may come before the waiting.
void send_signals_to(pid_t process) {
  if (::fork() != 0) return;
  for (int n = 0; n < 100 && ::kill(process, SIGVTALRM) == 0; ++n) ::usleep(20000);
  ::_exit(0);
}

TEST(Writers, ASignalEndsTheWaitForTheReaderOfAPipe) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  // None, and one that reads nothing.
  for (const bool is_there : {false, true}) {
    const int status = in_a_child([&] {
      struct sigaction action = {};
      action.sa_handler = do_nothing;  // without SA_RESTART
      ::sigaction(SIGVTALRM, &action, nullptr);
      if (is_there && ::open(path.c_str(), O_RDONLY | O_NONBLOCK) < 0) ::_exit(2);
      send_signals_to(::getpid());
      const std::string message = message_of([&] { replace_file(path, std::string(1000000, 'x')); });
      ::_exit(message == path + ": a signal came before all of it was written" ? 0 : 1);
    });
    EXPECT_EQ(status, 0) << is_there;
  }
}

}  // namespace
}  // namespace alder
