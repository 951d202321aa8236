#include "experiments/results.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "alder/error.h"
#include "alder/registry.h"
#include "alder/version.h"

#include "archive/json.h"
#include "io/whole_file.h"

namespace alder {
namespace {

// The processor's name as Linux tells it, on most architectures.
std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

}  // namespace

Json head_of(const Suite& suite) {
  Json head;
  head["kind"] = "suite";
  head["suite"] = suite.json;
  head["version"] = ALDER_VERSION;
  head["cpu"] = processor();
  head["cores"] = std::thread::hardware_concurrency();
  head["instruction_set"] = instruction_set();
  Json& defaults = head["defaults"] = Json::object();
  for (const Experiment& experiment : suite.experiments) {
    for (const std::string& learner : experiment.learners) {
      defaults[learner] = Json::parse(make_learner(learner)->options());
    }
  }
  return head;
}

std::string key_of(const Json& line) {
  Json key = Json::array();
  for (const char* const name : {"kind", "data", "learner", "settings", "seed", "sigma"}) {
    key.push_back(line.value(name, Json()));
  }
  return key.dump();
}

Results::Results(std::string path, const Json& head) : path_(std::move(path)), head_(head.dump()) {
  if (path_.empty()) return;
  std::error_code ignored;
  if (path_ == "-") {
    path_ = "standard output";
    is_regular_ = false;
    file_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (file_ < 0) fail();
    write(head_ + "\n");
  } else if (std::filesystem::exists(path_, ignored)) {
    is_regular_ = std::filesystem::is_regular_file(path_, ignored);
    if (is_regular_) read(head);
  }
  open();
}

// Opens the file, making it first if it is not there.
void Results::open() {
  if (file_ >= 0) return;
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path_, ignored);
  if (is_new) replace_file(path_, head_ + "\n");
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) fail();
  if (!is_regular_) write(head_ + "\n");
}

// All of the text or, in a regular file, nothing.
void Results::write(const std::string& text) {
  const ::off_t before = is_regular_ ? ::lseek(file_, 0, SEEK_END) : 0;
  for (std::size_t done = 0; done < text.size();) {
    const ::ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count < 0 && errno != EINTR) {
      const int reason = errno;
      // Where that fails too, half a line is left, which the next reading refuses.
      [[maybe_unused]] const bool is_undone = is_regular_ && ::ftruncate(file_, before) == 0;
      errno = reason;
      fail();
    }
  }
}

Results::~Results() {
  if (file_ >= 0) ::close(file_);
}

void Results::read(const Json& head) {
  const std::string text = read_file(path_);
  std::size_t begin = 0;
  std::size_t number = 0;
  while (true) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) break;  // the rest, if there is any, was cut off
    ++number;
    Json line;
    try {
      line = parse_json(std::string_view(text).substr(begin, end - begin));
    } catch (const Error&) {
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}:{}: this is no JSON; expected the results of a bench, or no such file", path_, number));
    }
    if (number == 1) {
      if (!line.is_object() || line.value("kind", Json()) != "suite") {
        throw Error(Error::Kind::kFormat,
                    fmt::format("{}: it is no results file; expected one, or no such file", path_));
      }
      for (const auto& [name, value] : head.items()) {
        if (line.value(name, Json()) != value) {
          throw Error(Error::Kind::kFormat,
                      fmt::format("{}: its {} is not the same as now; expected results of this suite, this version and "
                                  "this machine, to go on with, or no such file",
                                  path_, name));
        }
      }
    } else if (!line.is_object()) {
      throw Error(
          Error::Kind::kFormat,
          fmt::format("{}:{}: this is no object; expected the results of a bench, or no such file", path_, number));
    } else {
      lines_[key_of(line)] = text.substr(begin, end - begin);
    }
    begin = end + 1;
  }
  if (number == 0)
    throw Error(Error::Kind::kFormat, fmt::format("{}: it is no results file; expected one, or no such file", path_));
  if (begin < text.size()) replace_file(path_, text.substr(0, begin));
}

std::optional<Json> Results::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find(key);
  return found == lines_.end() ? std::nullopt : std::optional<Json>(Json::parse(found->second));
}

void Results::add(const Json& line) {
  const std::string text = line.dump();
  const std::lock_guard lock(mutex_);
  if (!path_.empty()) {
    open();
    write(text + "\n");
  }
  lines_[key_of(line)] = text;
}

void Results::arrange(const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  if (path_.empty() || !is_regular_) return;
  std::string text = head_ + "\n";
  std::map<std::string, std::string> left = lines_;
  for (const std::string& key : keys) {
    if (const auto line = left.extract(key)) text += line.mapped() + "\n";
  }
  for (const auto& [key, line] : left) text += line + "\n";
  replace_file(path_, text);
  // What was open is the old file.
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

void Results::fail() const {
  throw Error(Error::Kind::kFile, fmt::format("{}: {}", path_, std::strerror(errno)));
}

}  // namespace alder
