// Programs of the user's toolkit: where they are looked for, and what they say.
#include "base/toolkit.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.hpp"
#include "base/scratch_folder.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

TEST(Toolkit, CudaHomeComesFirst) {
  const std::string home = test::source_path("tests/toolkit");
  setenv("CUDA_HOME", home.c_str(), 1);
  EXPECT_EQ(find_tool("nvcc"), home + "/bin/nvcc");
  unsetenv("CUDA_HOME");
  EXPECT_EQ(find_tool("no-such-tool-of-anybody"), "");
}

TEST(Toolkit, WhatAProgramSaysIsKept) {
  const scratch_folder f;
  const std::string heard = f.path() + "/heard";
  const auto status = run_and_hear({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, heard);
  ASSERT_TRUE(status) << to_text(status.error());
  EXPECT_EQ(*status, 3);
  EXPECT_EQ(*read_file(heard), "out\nerr\n");
  EXPECT_EQ(*run_and_hear({"/bin/sh", "-c", "kill -9 $$"}, heard), -1);
}

}  // namespace
}  // namespace bankwise
