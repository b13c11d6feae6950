// A lock that several processes share. The locked file contains nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace bankwise {

// Holds the lock as long as this object exists. If the process ends or crashes, the system releases the lock.
class file_lock {
 public:
  // Waits until the lock is free. Both other processes and other objects in this process can hold the lock. Creates the
  // file and its folder. Fails if the file cannot be created, or if `stop` contains a signal.
  static result<file_lock> take(const std::string& path, const std::atomic<std::uint32_t>& stop);

  // Locks a folder without creating a file in it. Calls `waits` once if another process holds the lock for some time.
  // If the file system cannot lock folders, this function succeeds without a lock.
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
