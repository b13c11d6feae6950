// Tests which kernels of tests/kernels/ampere/work_queues.cu take work from a queue in a loop.
#include "sass/flow/work_queues.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

std::set<std::string> kernels_with_queues(const std::string& file) {
  const auto contents = test::read_bytes(test::source_path(file));
  const auto p = cubin::load(contents, file, 0);
  EXPECT_TRUE(p) << file;
  std::set<std::string> found;
  if (!p) return found;
  for (const cubin::kernel& k : p->kernels)
    if (sass::takes_work_in_loop(p->sections[k.section].bytes, sass::isa_of(p->sm))) found.insert(k.name);
  return found;
}

TEST(QueueLoops, DecideWhetherALoopContinues) {
  EXPECT_EQ(kernels_with_queues("tests/kernels/ampere/work_queues.cubin"),
            (std::set<std::string>{"threads_take_rows", "blocks_take_tiles"}));
}

TEST(QueueLoops, AreNoReductionsAndNoOtherLoops) {
  for (const char* file : {"examples/gemm.cubin", "examples/reduction.cubin", "tests/kernels/reductions.cubin",
                           "tests/kernels/atomic_races.cubin", "bench/kernels/speed.cubin"})
    EXPECT_EQ(kernels_with_queues(file), std::set<std::string>{}) << file;
}

}  // namespace
}  // namespace bankwise
