#include "support/files.hpp"

#include <zstd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace bankwise::test {

std::string source_path(const std::string& relative) { return std::string(BANKWISE_SOURCE_DIR) + "/" + relative; }

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::abort();
  }
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

std::vector<std::byte> read_bytes(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string read_zstd(const std::string& path) {
  const std::string packed = read_text(path);
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > (1ull << 30)) {
    std::fprintf(stderr, "%s: not a zstd file with a known size\n", path.c_str());
    std::abort();
  }
  std::string text(size, '\0');
  if (ZSTD_isError(ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()))) {
    std::fprintf(stderr, "%s: the zstd file is damaged\n", path.c_str());
    std::abort();
  }
  return text;
}

}  // namespace bankwise::test
