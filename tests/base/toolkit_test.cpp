// Tests how programs of the CUDA toolkit are found and started. Tests how the output of these programs is read.
#include "base/system/toolkit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
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
  EXPECT_EQ(*run_and_hear({"/bin/sh", "-c", "test \"$TMPDIR\" = \"${0%/heard}\"", heard}, heard), 0);
}

// A shell would interpret some characters in the folder's name and in the arguments. The program gets them unchanged.
TEST(Toolkit, AProgramRunsInTheFolderThatItIsGiven) {
  const scratch_folder f;
  const std::string heard = f.path() + "/heard";
  const std::string folder = f.path() + "/a b'$(c)";
  std::filesystem::create_directory(folder);
  const auto status = run_and_hear({"/bin/sh", "-c", "pwd; printf '%s.' \"$@\"; exit 5", "x", "one word", "$HOME"},
                                   heard, nullptr, folder);
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, 5);
  EXPECT_EQ(*read_file(heard), folder + "\none word.$HOME.");
}

// nvcc starts other programs. If nvcc is stopped, the started programs are also stopped.
TEST(Toolkit, AStopEndsTheProgramAndAllThatItStarted) {
  const scratch_folder f;
  const std::string heard = f.path() + "/heard";
  std::atomic<std::uint32_t> stop{0};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = SIGTERM;
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto status = run_and_hear({"/bin/sh", "-c", "sleep 60 & echo $!; wait"}, heard, &stop);
  later.join();
  ASSERT_TRUE(status);
  EXPECT_EQ(*status, -1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  const int started = std::stoi(*read_file(heard));
  for (int i = 0; i < 1000 && ::kill(started, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_NE(::kill(started, 0), 0);
}

}  // namespace
}  // namespace bankwise
