// A lock that processes share. It is on a separate file.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace bankwise {

// The lock is held while this object exists. The system releases it when the process ends, even after a crash.
class file_lock {
 public:
  // Waits until no other process holds the lock, and no other file_lock of this process. Creates the file and its
  // folder. Fails if the file cannot be created, or if `stop` contains a signal.
  static result<file_lock> take(const std::string& path, const std::atomic<std::uint32_t>& stop);

  // The same for a folder, without a file in it. `waits` is called once if another process holds the lock for some
  // time. If a file system cannot lock folders, this function does not fail, and nothing is locked.
  static result<file_lock> take_folder(const std::string& path, const std::atomic<std::uint32_t>& stop,
                                       const std::function<void()>& waits);

  file_lock(file_lock&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  file_lock& operator=(file_lock&&) = delete;
  ~file_lock();

 private:
  explicit file_lock(int file) : file_(file) {}
  int file_ = -1;
};

}  // namespace bankwise
