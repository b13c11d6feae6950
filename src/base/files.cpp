#include "base/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace bankwise {

namespace {

struct close_file {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, close_file>;

// /dev/zero and its like, which never end. A terminal does.
bool is_device(std::FILE* f) {
  struct stat what {};
  const int fd = fileno(f);
  return ::fstat(fd, &what) == 0 && (S_ISCHR(what.st_mode) || S_ISBLK(what.st_mode)) && ::isatty(fd) == 0;
}

diagnostic failed(const std::string& verb, const std::string& path) {
  return {"cannot " + verb + " " + path + ": " + std::strerror(errno), {}, {}};
}

}  // namespace

result<std::string> read_file(const std::string& path) {
  const bool standard = path == "-";
  file opened(standard ? nullptr : std::fopen(path.c_str(), "rb"));
  if (!standard && opened == nullptr) return failed("read", path);
  std::FILE* in = standard ? stdin : opened.get();
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const std::size_t n = std::fread(buffer, 1, sizeof buffer, in);
    text.append(buffer, n);
    if (text.size() > most_file_bytes)
      return diagnostic{path + " is larger than " + std::to_string(most_file_bytes >> 30) + " GiB"};
    if (n == 0) break;  // /dev/null is an empty file
    if (is_device(in))
      return diagnostic{"cannot read " + (standard ? "standard input" : path) + ": it is a device, not a file",
                        {},
                        "a file, a pipe, or - for standard input"};
  }
  if (std::ferror(in) != 0) return failed("read", path);
  return text;
}

result<done> write_file(const std::string& path, const std::string& text) {
  const bool standard = path.empty() || path == "-";
  file opened(standard ? nullptr : std::fopen(path.c_str(), "wb"));
  if (!standard && opened == nullptr) return failed("write", path);
  std::FILE* out = standard ? stdout : opened.get();
  const bool written = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
  if (!written && !(standard && errno == EPIPE)) return failed("write", standard ? "standard output" : path);
  return done{};
}

}  // namespace bankwise
