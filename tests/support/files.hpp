// Files that tests read: the truth tables of data/, examples, goldens.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bankwise::test {

std::string source_path(const std::string& relative);
// Reads a complete file. Aborts the test program if it cannot be read: a missing table must never pass.
std::string read_text(const std::string& path);
std::vector<std::byte> read_bytes(const std::string& path);
// A .zst file, decompressed.
std::string read_zstd(const std::string& path);

}  // namespace bankwise::test
