// What counts as the program's own work with --virtual-time.
#include "runtime/clock/host_time.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace bankwise::cuda {
namespace {

constexpr long long some = 2'000'000, little = 1'000'000;  // nanoseconds

void work() {
  for (const long long begin = host_time::now(); host_time::now() < begin + some;) {
  }
}

// Runs in a program whose clocks show the timeline, in which one call has ended.
class HostTime : public testing::Test {
 protected:
  HostTime() {
    the_host_time.is_shown = true;
    call();
    own_ = own_work();
  }
  ~HostTime() override { the_host_time.is_shown = false; }
  void call() {
    const host_time::call counted;
    the_host_time.enter();
    the_host_time.leave();
  }
  // The program's own work until now.
  long long own_work() {
    const host_time::call counted;
    the_host_time.enter();
    const long long work = the_host_time.own_work();
    the_host_time.leave();
    return work;
  }
  long long more() { return own_work() - own_; }
  long long own_ = 0;
};

TEST_F(HostTime, WorkBetweenCallsIsTheProgramsOwn) {
  work();
  EXPECT_GE(more(), some);
}

TEST_F(HostTime, ACallCountsFromItsBeginToItsEnd) {
  {
    const host_time::call counted;
    work();  // before the thread is let in
    the_host_time.enter();
    work();
    the_host_time.leave();
    work();  // until the call returns
  }
  EXPECT_LT(more(), little);
}

TEST_F(HostTime, ACallThatNeedNotBeLetInCounts) {
  {
    const host_time::call counted;
    work();
  }
  EXPECT_LT(more(), little);
}

TEST_F(HostTime, ACallInACallCountsOnce) {
  {
    const host_time::call counted;
    the_host_time.enter();
    {
      const host_time::call inner;
      work();
    }
    the_host_time.leave();
  }
  const long long own = more();
  EXPECT_GE(own, 0);
  EXPECT_LT(own, little);
}

// cudaLaunchHostFunc calls a function of the program, and lets other threads in meanwhile.
TEST_F(HostTime, AFunctionOfTheProgramInACallIsItsOwnWork) {
  {
    const host_time::call counted;
    the_host_time.enter();
    the_host_time.leave();
    work();
    the_host_time.enter();
    the_host_time.leave();
  }
  EXPECT_GE(more(), some);
}

// While a thread is in bankwise, the waits of the others are a part of its time.
TEST_F(HostTime, CallsAtTheSameTimeCountOnce) {
  {
    const host_time::call counted;
    the_host_time.enter();
    std::thread([] {
      const host_time::call waits;
      work();
    }).join();
    the_host_time.leave();
  }
  const long long own = more();
  EXPECT_GE(own, 0);
  EXPECT_LT(own, little);
}

}  // namespace
}  // namespace bankwise::cuda
