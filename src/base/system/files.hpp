// Reads and writes whole files. Errors describe what the user can do.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bankwise {

inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 31;

// Reads a whole file. "-" is standard input. Devices such as /dev/zero are refused.
result<std::string> read_file(const std::string& path);
// Writes to the file, or to standard output if `path` is empty or "-". A closed pipe is not an error. The text is first
// written to a new file in the same folder. The new file then replaces the old file and gets its mode. So if the disk
// is full, the old file remains unchanged. Devices and pipes are written directly.
result<done> write_file(const std::string& path, const std::string& text);

}  // namespace bankwise
