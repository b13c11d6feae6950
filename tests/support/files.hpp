// Reads files for tests: the measured tables of data/, examples, goldens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bankwise::test {

std::string source_path(const std::string& relative);
// Reads a complete file. If the file cannot be read, ends the test program, because a missing table must never pass.
std::string read_text(const std::string& path);
std::vector<std::byte> read_bytes(const std::string& path);
// Reads a .zst file and decompresses it.
std::string read_zstd(const std::string& path);

}  // namespace bankwise::test
