#include "base/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace bankwise {

namespace fs = std::filesystem;

scratch_folder::scratch_folder() {
  std::error_code ec;
  const fs::path where = fs::temp_directory_path(ec);
  std::string pattern = ((ec ? "/tmp" : where) / "bankwise-XXXXXX").string();
  if (::mkdtemp(pattern.data()) != nullptr)
    path_ = pattern;
  else
    error_ = errno;
}

scratch_folder::~scratch_folder() {
  std::error_code ec;
  if (!path_.empty()) fs::remove_all(path_, ec);
}

diagnostic scratch_folder::why_not() const {
  return {std::string("cannot make a temporary folder: ") + std::strerror(error_),
          {},
          "set TMPDIR to a folder that can be written"};
}

}  // namespace bankwise
