#include "base/system/run_control.hpp"

#include "base/format.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace bankwise {

namespace {

run_control* map(int fd) {
  void* at = ::mmap(nullptr, sizeof(run_control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return at == MAP_FAILED ? nullptr : static_cast<run_control*>(at);
}

}  // namespace

control_file::control_file(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  // Writes the whole page. Otherwise, a full disk could later cause a SIGBUS.
  const char zeros[sizeof(run_control)] = {};
  if (fd_ >= 0 && ::write(fd_, zeros, sizeof zeros) == static_cast<ssize_t>(sizeof zeros) && ::flock(fd_, LOCK_EX) == 0)
    control_ = map(fd_);
  if (control_ == nullptr)
    error_ = errno;
  else
    new (control_) run_control;
}

control_file::~control_file() {
  if (control_ != nullptr) ::munmap(control_, sizeof(run_control));
  if (fd_ >= 0) ::close(fd_);
}

diagnostic control_file::why_not() const {
  return {formatted("cannot make {}: {}", path_, std::strerror(error_)), {}, "set TMPDIR to a folder with free space"};
}

void control_file::request_stop(int signal) {
  control_->stop.store(static_cast<std::uint32_t>(signal));
  ::flock(fd_, LOCK_UN);
}

attached_control attach_control(const std::string& path) {
  attached_control a;
  a.fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (a.fd >= 0) a.control = map(a.fd);
  return a;
}

int await_stop(const attached_control& a) {
  while (::flock(a.fd, LOCK_SH) != 0)
    if (errno != EINTR) ::pause();  // locks do not work here, so a stop cannot be noticed
  return static_cast<int>(a.control->stop.load());
}

}  // namespace bankwise
