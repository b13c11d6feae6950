// The end of the program's standard output, as it is when the program exits.
#pragma once

#include <string>

namespace bankwise::cuda {

// Returns the bytes in the buffer of the C library's stdout, which printf and std::cout fill. On a terminal, these are the
// last line and the remains of longer lines before it; in a pipe or a file, up to 4,096 bytes. Only reads memory, so the
// output stays as it is. Returns an empty string if the program has its own buffer, no buffer, or does not use stdout.
std::string last_output();

}  // namespace bankwise::cuda
