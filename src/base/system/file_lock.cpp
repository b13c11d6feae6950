#include "base/system/file_lock.hpp"

#include "base/format.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace bankwise {

namespace {

// Whether the locked file still exists. During the wait for the lock, another process may have removed the folder.
bool is_at(int file, const std::string& path) {
  struct stat held {
  }, there{};
  return ::fstat(file, &held) == 0 && ::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

}  // namespace

result<file_lock> file_lock::take(const std::string& path, const std::atomic<std::uint32_t>& stop) {
  constexpr timespec soon{0, 10'000'000};
  for (;;) {
    std::error_code ec;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ec);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0 && errno == ENOENT && !ec) continue;  // another process has removed the folder in the meantime
    if (file < 0) return diagnostic{formatted("cannot write {}: {}", path, ec ? ec.message() : std::strerror(errno))};
    file_lock lock(file);
    while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR)
        return diagnostic{formatted("cannot lock {}: {}", path, std::strerror(errno))};
      if (stop.load() != 0)
        return diagnostic{formatted("stopped while waiting for another process, which holds {}", path)};
      ::nanosleep(&soon, nullptr);
    }
    if (is_at(file, path)) return lock;
  }
}

result<file_lock> file_lock::take_folder(const std::string& path, const std::atomic<std::uint32_t>& stop,
                                         const std::function<void()>& waits) {
  constexpr timespec soon{0, 10'000'000};
  constexpr int some_time = 100;  // number of attempts before `waits` is called
  file_lock lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.file_ < 0) return diagnostic{formatted("cannot read {}: {}", path, std::strerror(errno))};
  for (int tried = 0; ::flock(lock.file_, LOCK_EX | LOCK_NB) != 0; ++tried) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (stop.load() != 0)
      return diagnostic{formatted("stopped while waiting for another process, which holds {}", path)};
    if (tried == some_time) waits();
    ::nanosleep(&soon, nullptr);
  }
  return lock;
}

file_lock::~file_lock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace bankwise
