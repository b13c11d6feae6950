// Tests the memory page that bankwise and the library in the started program share.
#include "base/system/run_control.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <future>

#include "base/system/scratch_folder.hpp"

namespace bankwise {
namespace {

TEST(RunControl, AStopIsHeardOnTheOtherSide) {
  const scratch_folder f;
  control_file ours(f.path() + "/control");
  ASSERT_NE(ours.get(), nullptr) << ours.why_not().message;
  const attached_control theirs = attach_control(f.path() + "/control");
  ASSERT_NE(theirs.control, nullptr);
  theirs.control->attached = 3;
  EXPECT_EQ(ours.get()->attached, 3u);
  auto heard = std::async(std::launch::async, [&] { return await_stop(theirs); });
  ours.request_stop(SIGTERM);
  EXPECT_EQ(heard.get(), SIGTERM);
}

TEST(RunControl, TheEndOfBankwiseIsHeardToo) {
  const scratch_folder f;
  auto ours = std::make_unique<control_file>(f.path() + "/control");
  const attached_control theirs = attach_control(f.path() + "/control");
  ours.reset();
  EXPECT_EQ(await_stop(theirs), 0);
}

TEST(RunControl, AFileThatIsThereIsNotTaken) {
  const scratch_folder f;
  const control_file first(f.path() + "/control"), second(f.path() + "/control");
  EXPECT_NE(first.get(), nullptr);
  EXPECT_EQ(second.get(), nullptr);
  EXPECT_EQ(attach_control(f.path() + "/nowhere").control, nullptr);
}

}  // namespace
}  // namespace bankwise
