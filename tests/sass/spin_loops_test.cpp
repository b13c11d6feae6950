// Tests the search for plain loads that wait for other warps. Some kernels of tests/kernels/waiting.cu have such loads.
// Kernels that only compute have none.
#include "sass/flow/spin_loops.hpp"

#include <gtest/gtest.h>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

// Returns the number of waiting loads in one kernel, or in all kernels.
std::size_t waiting_loads(const std::string& file, const std::string& name = {}) {
  const auto contents = test::read_bytes(test::source_path(file));
  const auto p = cubin::load(contents, file, 0);
  EXPECT_TRUE(p) << file;
  if (!p) return 0;
  std::size_t loads = 0;
  for (const cubin::kernel& k : p->kernels)
    if (name.empty() || k.name == name)
      loads += sass::spinning_loads(p->sections[k.section].bytes, sass::isa_of(p->sm)).size();
  return loads;
}

TEST(SpinLoops, LoadTheSameWordAgain) {
  for (const char* kernel : {"waits_plainly", "waits_asleep", "waits_at_barriers"})
    EXPECT_GE(waiting_loads("tests/kernels/waiting.cubin", kernel), 1u) << kernel;
  // The load in this kernel is already marked as a load of data from other warps.
  EXPECT_EQ(waiting_loads("tests/kernels/waiting.cubin", "waits_acquiring"), 0u);
}

TEST(SpinLoops, AreNoLoopsThatCompute) {
  for (const char* file :
       {"examples/gemm.cubin", "examples/transpose.cubin", "tests/kernels/reductions.cubin",
        "tests/kernels/classes.cubin", "tests/kernels/side_by_side.cubin", "bench/kernels/speed.cubin"})
    EXPECT_EQ(waiting_loads(file), 0u) << file;
}

}  // namespace
}  // namespace bankwise
