#include "base/system/files.hpp"

#include "base/format.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

namespace bankwise {

namespace {

struct close_file {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, close_file>;

// Whether the file is a device that never ends, such as /dev/zero. A terminal is not such a device.
bool is_device(std::FILE* f) {
  struct stat what {};
  const int fd = fileno(f);
  return ::fstat(fd, &what) == 0 && (S_ISCHR(what.st_mode) || S_ISBLK(what.st_mode)) && ::isatty(fd) == 0;
}

diagnostic failed(const std::string& verb, const std::string& path) {
  return {formatted("cannot {} {}: {}", verb, path, std::strerror(errno)), {}, {}};
}

}  // namespace

result<std::string> read_file(const std::string& path) {
  const bool standard = path == "-";
  file opened(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  if (!standard && opened == nullptr) return failed("read", path);
  std::FILE* in = standard ? stdin : opened.get();
  std::string text;
  struct stat what {};
  if (::fstat(fileno(in), &what) == 0 && S_ISREG(what.st_mode) && what.st_size > 0)
    text.reserve(
        // allocates once, because a growing string needs up to twice the memory
        std::min(static_cast<std::size_t>(what.st_size), most_file_bytes));
  char buffer[1 << 16];
  for (;;) {
    const std::size_t n = std::fread(buffer, 1, sizeof buffer, in);
    text.append(buffer, n);
    if (text.size() > most_file_bytes)
      return diagnostic{formatted("the file {} is larger than the limit of {} GiB", path, most_file_bytes >> 30)};
    if (n == 0) break;  // /dev/null is read as an empty file
    if (is_device(in))
      return diagnostic{formatted("cannot read {}: it is a device, not a file", standard ? "standard input" : path),
                        {},
                        "pass a file, a pipe, or - for standard input"};
  }
  if (std::ferror(in) != 0) return failed("read", path);
  return text;
}

namespace {

// Writes a text. Returns nothing after success, and errno after a failure.
std::optional<int> put(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? ENOSPC : errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return std::nullopt;
}

diagnostic cannot_write(const std::string& path, int why, bool was_there) {
  return {formatted("cannot write {}: {}{}", path, std::strerror(why), was_there ? ". The old file is unchanged" : ""),
          {},
          why == EFBIG ? "this shell limits the size of files (ulimit -f)" : ""};
}

// Writes to the file itself, without a new file. This is for devices, pipes, standard output, and files whose folder is
// not writable.
result<done> write_in_place(const std::string& path, const std::string& text, int flags) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, 0666);
  if (fd < 0) return cannot_write(path, errno, false);
  auto why = put(fd, text);
  if (::close(fd) != 0 && !why) why = errno;
  return why && *why != EPIPE ? result<done>(cannot_write(path, *why, false)) : done{};
}

// Creates a new file in the same folder. `beside` receives its path.
int open_beside(const std::string& path, std::string& beside) {
  static std::atomic<unsigned> number{0};
  const std::size_t name = path.find_last_of('/') + 1;
  for (int tries = 0; tries < 100; ++tries) {
    beside = formatted("{}.bankwise-{}-{}", path.substr(0, name), ::getpid(), number++);
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

result<done> write_file(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written && errno != EPIPE) return failed("write", "standard output");
    return done{};
  }
  struct stat what {
  }, link{};
  const bool is_there = ::stat(path.c_str(), &what) == 0;
  if (is_there && !S_ISREG(what.st_mode)) return write_in_place(path, text, 0);
  if (!is_there && ::lstat(path.c_str(), &link) == 0)
    return write_in_place(path, text, O_CREAT | O_TRUNC);  // the path is a link to a missing file
  // If the path is a link, the target is replaced, not the link.
  const std::unique_ptr<char, void (*)(void*)> real(is_there ? ::realpath(path.c_str(), nullptr) : nullptr, std::free);
  const std::string target = real ? real.get() : path;
  if (is_there && ::access(target.c_str(), W_OK) != 0) return cannot_write(path, errno, true);
  std::string beside;
  const int fd = open_beside(target, beside);
  if (fd < 0 && is_there && (errno == EACCES || errno == EPERM)) return write_in_place(target, text, O_TRUNC);
  if (fd < 0) return cannot_write(path, errno, is_there);
  auto why = put(fd, text);
  if (is_there && !why) {
    // Only root can change the owner of a file. If the change fails, the file belongs to the user who writes it.
    if (::fchown(fd, what.st_uid, what.st_gid) != 0) errno = 0;
    if (::fchmod(fd, what.st_mode & 07777) != 0) why = errno;
  }
  if (::close(fd) != 0 && !why) why = errno;
  if (!why && std::rename(beside.c_str(), target.c_str()) != 0) why = errno;
  if (!why) return done{};
  ::unlink(beside.c_str());
  return cannot_write(path, *why, is_there);
}

}  // namespace bankwise
