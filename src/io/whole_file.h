#pragma once

#include <string>
#include <string_view>

namespace alder {

/// Replaces the content of a file, or makes it: a reader, at any moment, and whenever the process or the machine
/// is stopped, finds the old content or the new one, whole. The new content is written to a new file beside it,
/// .NAME.0123456789abcdef.part with random digits, forced to the disk and renamed. Several processes may do so at once;
/// the last rename counts. What a killed process left behind, the next call for the same path removes. The permissions
/// stay as they were, and a symbolic link stays one. What is not a regular file (a device, a pipe) is written to
/// directly; a signal with a handler that does not restart system calls then ends the call with an Error.
/// Throws Error, naming the path and the reason; the old content is then untouched.
void replace_file(const std::string& path, std::string_view content);

/// The file behind a chain of symbolic links, which need not exist. Throws Error if the chain does not end.
std::string link_target(const std::string& path);

/// The whole content of a file. Throws Error, naming the path and the reason.
std::string read_file(const std::string& path);

}  // namespace alder
