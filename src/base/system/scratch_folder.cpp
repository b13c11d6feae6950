#include "base/system/scratch_folder.hpp"

#include "base/format.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace bankwise {

namespace fs = std::filesystem;

namespace {

constexpr const char* prefix = "bankwise-";
constexpr std::size_t random_letters = 6;
constexpr const char* lock_name = ".lock";
// Age in seconds. If locks work, an older folder without a lock is unused.
constexpr std::time_t unlocked_seconds = 3600;

fs::path temporary_folder() {
  std::error_code ec;
  fs::path folder = fs::temp_directory_path(ec);
  return ec ? fs::path("/tmp") : folder;
}

// Locks a scratch folder. The lock file gets its final name only after it is locked. Otherwise, another process could
// consider the folder unused. If locks do not work, the folder has no lock.
int lock_folder(const std::string& folder) {
  const std::string name = formatted("{}/{}", folder, lock_name), early = formatted("{}.new", name);
  const int fd = ::open(early.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) std::rename(early.c_str(), name.c_str());
  return fd;
}

}  // namespace

scratch_folder::scratch_folder() {
  std::string pattern = (temporary_folder() / (prefix + std::string(random_letters, 'X'))).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    error_ = errno;
    return;
  }
  path_ = pattern;
  lock_ = lock_folder(path_);
}

scratch_folder::~scratch_folder() {
  std::error_code ec;
  if (!path_.empty()) fs::remove_all(path_, ec);
  if (lock_ >= 0) ::close(lock_);
}

diagnostic scratch_folder::why_not() const {
  return {formatted("cannot make a temporary folder in {}: {}", temporary_folder().string(), std::strerror(error_)),
          {},
          "set TMPDIR to a writable folder"};
}

bool is_scratch_name(std::string_view name) {
  return name.starts_with(prefix) && name.size() == std::strlen(prefix) + random_letters;
}

void remove_abandoned_folders() {
  std::error_code ec;
  for (fs::directory_iterator it(temporary_folder(), fs::directory_options::skip_permission_denied, ec), end;
       !ec && it != end; it.increment(ec)) {
    const std::string name = it->path().filename().string();
    if (!is_scratch_name(name)) continue;
    struct stat what {};
    if (::lstat(it->path().c_str(), &what) != 0 || !S_ISDIR(what.st_mode) || what.st_uid != ::geteuid() ||
        (what.st_mode & 0077) != 0)
      continue;  // the name does not come from mkdtemp, or another user owns the folder
    const int lock = ::open((it->path() / lock_name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    std::error_code removed;
    if (lock < 0) {  // the process was killed before it had the lock
      if (errno == ENOENT && std::time(nullptr) - what.st_mtime > unlocked_seconds) fs::remove_all(it->path(), removed);
      continue;
    }
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(it->path(), removed);
    ::close(lock);
  }
}

}  // namespace bankwise
