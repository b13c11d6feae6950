// Tests how whole files are read and written, and the errors.
#include "base/system/files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/system/scratch_folder.hpp"

namespace bankwise {
namespace {

TEST(Files, ComeBackAsTheyWereWritten) {
  const scratch_folder f;
  const std::string path = f.path() + "/file", text = std::string("a\0b\r\n", 5) + std::string(100000, 'x');
  ASSERT_TRUE(write_file(path, text));
  EXPECT_EQ(*read_file(path), text);
  ASSERT_TRUE(write_file(path, ""));
  EXPECT_EQ(*read_file(path), "");
}

TEST(Files, ThatAreNotThereOrNeverEndAreErrors) {
  EXPECT_EQ(read_file("/nowhere/file").error().message, "cannot read /nowhere/file: No such file or directory");
  EXPECT_EQ(write_file("/nowhere/file", "").error().message, "cannot write /nowhere/file: No such file or directory");
  EXPECT_EQ(read_file("/dev/zero").error().message, "cannot read /dev/zero: it is a device, not a file");
  EXPECT_EQ(*read_file("/dev/null"), "");
}

TEST(Files, OnAFullDiskAreErrors) {
  EXPECT_EQ(write_file("/dev/full", "text").error().message, "cannot write /dev/full: No space left on device");
}

// Returns the number of files in the folder. A write that leaves no temporary file does not change this number.
std::size_t files_in(const std::string& folder) {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) n += entry.path().filename() != ".lock";
  return n;
}

TEST(Files, ThatDoNotFitLeaveWhatWasThere) {
  const scratch_folder f;
  const std::string path = f.path() + "/file";
  ASSERT_TRUE(write_file(path, "before"));
  const auto heard = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{4096, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto old = write_file(path, std::string(100'000, 'x')),
             fresh = write_file(path + "2", std::string(100'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, heard);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().message, "cannot write " + path + ": File too large. The old file is unchanged");
  EXPECT_EQ(old.error().hint, "this shell limits the size of files (ulimit -f)");
  ASSERT_FALSE(fresh);
  EXPECT_EQ(*read_file(path), "before");
  EXPECT_EQ(files_in(f.path()), 1u);
}

TEST(Files, KeepTheirModeAndTheirLinks) {
  const scratch_folder f;
  const std::string path = f.path() + "/file", link = f.path() + "/link";
  ASSERT_TRUE(write_file(path, "before"));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(::symlink("file", link.c_str()), 0);
  ASSERT_TRUE(write_file(link, "after"));
  struct stat what {};
  ASSERT_EQ(::lstat(link.c_str(), &what), 0);
  EXPECT_TRUE(S_ISLNK(what.st_mode));
  ASSERT_EQ(::stat(path.c_str(), &what), 0);
  EXPECT_EQ(what.st_mode & 07777, 0640u);
  EXPECT_EQ(*read_file(path), "after");
  // Writing through a symbolic link to a missing file creates the file.
  ASSERT_EQ(::symlink("new", (link + "2").c_str()), 0);
  ASSERT_TRUE(write_file(link + "2", "made"));
  EXPECT_EQ(*read_file(f.path() + "/new"), "made");
  EXPECT_EQ(files_in(f.path()), 4u);
}

TEST(Files, PipesArePassedThrough) {
  const scratch_folder f;
  const std::string path = f.path() + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  result<std::string> read = std::string();
  std::thread reader([&] { read = read_file(path); });
  EXPECT_TRUE(write_file(path, "text"));
  reader.join();
  EXPECT_EQ(*read, "text");
  struct stat what {};
  ASSERT_EQ(::stat(path.c_str(), &what), 0);
  EXPECT_TRUE(S_ISFIFO(what.st_mode));
}

}  // namespace
}  // namespace bankwise
