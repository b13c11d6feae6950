// Tests scratch folders: a folder is deleted with its owner. If a process ends without deleting its folder, a different
// process deletes the folder.
#include "base/system/scratch_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace bankwise {
namespace {

namespace fs = std::filesystem;

// Sets TMPDIR for the lifetime of this object.
struct temporary_folder_is {
  explicit temporary_folder_is(const std::string& path) {
    if (const char* was = std::getenv("TMPDIR")) before = was;
    setenv("TMPDIR", path.c_str(), 1);
  }
  ~temporary_folder_is() { before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1); }
  temporary_folder_is(const temporary_folder_is&) = delete;
  temporary_folder_is& operator=(const temporary_folder_is&) = delete;

  std::string before;
};

TEST(ScratchFolder, GoesWithWhatIsInIt) {
  std::string path;
  {
    const scratch_folder f;
    path = f.path();
    ASSERT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::status(path).permissions() & fs::perms::others_all, fs::perms::none);
    std::ofstream(path + "/file") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, ThatIsAbandonedIsRemovedAndNoOther) {
  const scratch_folder outer;
  ASSERT_NE(outer.path(), "");
  const temporary_folder_is there(outer.path());
  const scratch_folder in_use;
  // A killed process has left a folder, and a lock without an owner.
  const std::string dead = outer.path() + "/bankwise-abcdef";
  fs::create_directory(dead);
  fs::permissions(dead, fs::perms::owner_all);
  std::ofstream(dead + "/.lock");
  std::ofstream(dead + "/file") << "text";
  const std::string another = outer.path() + "/bankwise-of-somebody";
  fs::create_directory(another);
  fs::permissions(another, fs::perms::owner_all);
  std::ofstream(another + "/.lock");
  // A process was killed before it had a lock, so its folder remains. The test has an old folder and a new folder.
  const std::string old = outer.path() + "/bankwise-ghijkl", fresh = outer.path() + "/bankwise-mnopqr";
  for (const std::string& folder : {old, fresh}) {
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
  }
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  remove_abandoned_folders();
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
  EXPECT_TRUE(fs::exists(another));
  EXPECT_TRUE(fs::exists(in_use.path()));
}

TEST(ScratchFolder, IsKnownByItsName) {
  const scratch_folder folder;
  EXPECT_TRUE(is_scratch_name(fs::path(folder.path()).filename().string()));
  for (const char* other : {"bankwise-", "bankwise", "results", ""}) EXPECT_FALSE(is_scratch_name(other));
}

TEST(ScratchFolder, ThatCannotBeMadeSaysWhy) {
  const temporary_folder_is there("/proc");  // a place where folders cannot be created
  const scratch_folder f;
  EXPECT_EQ(f.path(), "");
  EXPECT_TRUE(f.why_not().message.starts_with("cannot make a temporary folder in ")) << f.why_not().message;
}

}  // namespace
}  // namespace bankwise
