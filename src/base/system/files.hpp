// Whole files in and out, with errors that say what to do.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bankwise {

inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 31;

// The whole file; "-" is standard input. Devices, such as /dev/zero, are refused.
result<std::string> read_file(const std::string& path);
// To the file, or to standard output if `path` is empty or "-". A closed pipe is no error. It is written beside what is there,
// whose place and mode it takes when it is whole: what was there stays where there is no room. Devices and pipes are written to.
result<done> write_file(const std::string& path, const std::string& text);

}  // namespace bankwise
