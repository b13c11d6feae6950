// Whole files, and what is refused.
#include "base/files.hpp"

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

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

}  // namespace
}  // namespace bankwise
