// Tests file locks: only one process has the lock at a time. A waiting process gets the lock when the owner ends. At a
// signal, a process stops waiting.
#include "base/system/file_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/system/scratch_folder.hpp"

namespace bankwise {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

TEST(FileLock, IsHeldByOneAtATime) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/made/with/it/a.lock";
  std::atomic<std::uint32_t> never{0};
  std::atomic<int> inside{0}, most{0};
  std::vector<std::jthread> all;
  for (int n = 0; n < 4; ++n)
    all.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const auto lock = file_lock::take(path, never);
        ASSERT_TRUE(lock) << lock.error().message;
        const int now = ++inside;
        if (now > most) most = now;
        std::this_thread::sleep_for(1ms);
        --inside;
      }
    });
  all.clear();
  EXPECT_EQ(most, 1);
}

TEST(FileLock, WaitsUntilASignalComes) {
  const scratch_folder folder;
  const std::string path = folder.path() + "/a.lock";
  std::atomic<std::uint32_t> stop{0};
  const auto held = file_lock::take(path, stop);
  ASSERT_TRUE(held);
  std::jthread later([&] {
    std::this_thread::sleep_for(50ms);
    stop = 15;
  });
  const auto second = file_lock::take(path, stop);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("which holds"), std::string::npos);
}

// If the folder of a lock is removed while take() waits for the lock, take() creates the folder and the lock again.
TEST(FileLock, OutlivesItsFolder) {
  const scratch_folder folder;
  const std::string in = folder.path() + "/cache", path = in + "/a.lock";
  std::atomic<std::uint32_t> never{0};
  std::atomic<bool> has_it{false};
  auto held = std::make_unique<result<file_lock>>(file_lock::take(path, never));
  ASSERT_TRUE(*held);
  std::jthread waits([&] {
    const auto second = file_lock::take(path, never);
    has_it = static_cast<bool>(second) && fs::exists(path);
  });
  std::this_thread::sleep_for(30ms);
  fs::remove_all(in);
  held.reset();
  waits.join();
  EXPECT_TRUE(has_it);
}

TEST(FileLock, OfAFolderLeavesNothingInIt) {
  const scratch_folder folder;
  std::atomic<std::uint32_t> never{0};
  std::atomic<int> waited{0};
  std::optional<file_lock> held;
  {
    auto taken = file_lock::take_folder(folder.path(), never, [] {});
    ASSERT_TRUE(taken);
    held.emplace(std::move(*taken));
  }
  std::jthread second([&] {
    const auto lock = file_lock::take_folder(folder.path(), never, [&] { ++waited; });
    EXPECT_TRUE(lock);
  });
  while (waited == 0) std::this_thread::sleep_for(10ms);
  held.reset();
  second.join();
  EXPECT_EQ(waited, 1);
  for (const auto& entry : fs::directory_iterator(folder.path())) EXPECT_EQ(entry.path().filename(), ".lock");
  EXPECT_FALSE(file_lock::take_folder(folder.path() + "/none", never, [] {}));
}

TEST(FileLock, SaysWhatCannotBeWritten) {
  std::atomic<std::uint32_t> never{0};
  const auto lock = file_lock::take("/proc/none/a.lock", never);
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().message.find("/proc/none/a.lock"), std::string::npos);
}

}  // namespace
}  // namespace bankwise
