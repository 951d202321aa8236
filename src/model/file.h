#pragma once

#include <string>
#include <string_view>

namespace alder {

/// Replaces the content of a file, or makes it: whoever looks, at any moment, and whenever the process or the machine
/// is stopped, finds the old content or the new one, whole. The new content is written to PATH.part, forced to the disk
/// and renamed. A symbolic link stays one. What is not a regular file (a device, a pipe) is written to directly.
/// Throws Error, naming the path and the reason; the old content is then untouched.
void replace_file(const std::string& path, std::string_view content);

/// The whole content of a file. Throws Error, naming the path and the reason.
std::string read_file(const std::string& path);

}  // namespace alder
