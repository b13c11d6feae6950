// Reads and writes whole files. Errors explain what the user can do.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bankwise {

inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 31;

// Reads a whole file. "-" is standard input. Devices such as /dev/zero are refused.
result<std::string> read_file(const std::string& path);
// Writes the file, or standard output if `path` is empty or "-". A closed pipe is not an error. First writes a new file
// in the same folder, which then replaces the old file and gets its mode. If the disk is full, the old file remains
// unchanged. Devices and pipes are written directly.
result<done> write_file(const std::string& path, const std::string& text);

}  // namespace bankwise
