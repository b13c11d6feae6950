#include "base/system/run_control.hpp"

#include "base/format.hpp"

#include <fcntl.h>
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

// Makes a mutex for several processes. If its owner dies, a waiting thread gets the mutex.
bool make_shared(pthread_mutex_t& m) {
  pthread_mutexattr_t how;
  if (::pthread_mutexattr_init(&how) != 0) return false;
  const bool made = ::pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0 &&
                    ::pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0 &&
                    ::pthread_mutex_init(&m, &how) == 0;
  ::pthread_mutexattr_destroy(&how);
  return made;
}

}  // namespace

control_file::control_file(const std::string& path) : path_(path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  // Writes the whole page. Otherwise, a full disk could later cause a SIGBUS.
  const char zeros[sizeof(run_control)] = {};
  if (fd >= 0 && ::write(fd, zeros, sizeof zeros) == static_cast<ssize_t>(sizeof zeros)) control_ = map(fd);
  error_ = errno;
  if (fd >= 0) ::close(fd);
  if (control_ == nullptr) return;
  new (control_) run_control;
  holds_ = make_shared(control_->running) && ::pthread_mutex_lock(&control_->running) == 0;
  if (holds_) return;
  ::munmap(control_, sizeof(run_control));
  control_ = nullptr;
  error_ = ENOTSUP;
}

control_file::~control_file() {
  release();
  if (control_ != nullptr) ::munmap(control_, sizeof(run_control));
}

void control_file::release() {
  if (holds_) ::pthread_mutex_unlock(&control_->running);
  holds_ = false;
}

diagnostic control_file::why_not() const {
  return {formatted("cannot make {}: {}", path_, std::strerror(error_)), {}, "set TMPDIR to a folder with free space"};
}

void control_file::request_stop(int signal) {
  control_->stop.store(static_cast<std::uint32_t>(signal));
  release();
}

attached_control attach_control(const std::string& path) {
  attached_control a;
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return a;
  a.control = map(fd);
  ::close(fd);
  return a;
}

int await_stop(const attached_control& a) {
  // After a failed lock, the mutex needs no unlock, and other waiting threads also fail. This happens if bankwise died.
  const int how = ::pthread_mutex_lock(&a.control->running);
  if (how == 0 || how == EOWNERDEAD) ::pthread_mutex_unlock(&a.control->running);
  return static_cast<int>(a.control->stop.load());
}

}  // namespace bankwise
