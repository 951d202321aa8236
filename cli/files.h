#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <sys/types.h>

namespace alder::cli {

/// The files that a verb reads and those that it will write, to be checked before the first is opened for writing.
/// Files are the same if device and inode are, whatever they are called.
class Files {
 public:
  /// `what` is for messages: "the input", "the model". The path "-" is standard input, an empty one is none.
  void reads(const std::string& what, const std::string& path);
  /// One that is read to its end before anything is written; what is replaced whole may take its place.
  void loads(const std::string& what, const std::string& path);

  /// A file that is written piece by piece. `flag` is the option that names it. "-" is standard output. Both throw
  /// Error if the file cannot be written: its folder is not there or must not be written to, it is a folder itself,
  /// standard output is closed.
  void streams(const std::string& flag, const std::string& path);
  /// One that is replaced whole, see replace_file.
  void replaces(const std::string& flag, const std::string& path);

  /// Throws UsageError if a file that will be written is one that is read, or is written twice.
  void check() const;

 private:
  struct File {
    std::string name;  // "the input rows.txt", "-o model"
    std::string path;
    bool is_whole;  // loaded, or replaced; "-" is an ordinary name then

    [[nodiscard]] bool is_standard() const { return path == "-" && !is_whole; }
  };
  using Identity = std::tuple<dev_t, ino_t, std::string>;

  static void check_writable(const File& file);
  static std::optional<Identity> identity_of(const File& file, int standard);

  std::vector<File> inputs_;
  std::vector<File> outputs_;
};

/// Of a verb that reads these files and prints its result on standard output.
void check_standard_output(const std::vector<std::string>& inputs);

}  // namespace alder::cli
