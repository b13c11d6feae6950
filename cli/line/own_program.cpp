#include "cli/line/own_program.hpp"

#include "base/sha256.hpp"
#include "base/system/files.hpp"

namespace bankwise::cli {

const result<std::string>& hash_of_own_program() {
  static const result<std::string> own = []() -> result<std::string> {
    const auto bytes = read_file("/proc/self/exe");  // also right if the file was replaced meanwhile
    if (!bytes) return bytes.error();
    sha256 hash;
    hash.add(*bytes);
    return hash.hexadecimal();
  }();
  return own;
}

}  // namespace bankwise::cli
