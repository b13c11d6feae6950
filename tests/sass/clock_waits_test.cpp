// Tests the search for loops that only wait for a time, in the kernels of tests/kernels/hopper/clocks.cu.
#include "sass/flow/clock_waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "sass/isa.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

struct clock_reads {
  std::size_t all = 0, waiting = 0;
};
clock_reads reads_of(const std::string& file, const std::string& name = {}) {
  const auto contents = test::read_bytes(test::source_path(file));
  const auto p = cubin::load(contents, file, 0);
  EXPECT_TRUE(p) << file;
  clock_reads found;
  if (!p) return found;
  const sass::isa set = sass::isa_of(p->sm);
  for (const cubin::kernel& k : p->kernels) {
    if (!name.empty() && k.name != name) continue;
    const std::vector<std::byte>& code = p->sections[k.section].bytes;
    for (std::size_t at = 0; at < code.size(); at += sass::instruction_bytes)
      found.all += sass::reads_clock(sass::load_instruction(code.data() + at, set));
    found.waiting += sass::clock_waits(code, set).size();
  }
  return found;
}

TEST(ClockWaits, AreLoopsThatOnlyWait) {
  for (const char* kernel : {"waits", "waits_shortly", "waits_asleep"}) {
    EXPECT_GE(reads_of("tests/kernels/hopper/clocks.cubin", kernel).all, 2u) << kernel;
    EXPECT_EQ(reads_of("tests/kernels/hopper/clocks.cubin", kernel).waiting, 1u) << kernel;
  }
}

TEST(ClockWaits, AreNoLoopsThatKeepValuesOrLookAtMemory) {
  for (const char* kernel : {"adds_clocks", "looks_at_memory", "chases", "multiplies", "meets", "tells"}) {
    EXPECT_GE(reads_of("tests/kernels/hopper/clocks.cubin", kernel).all, 1u) << kernel;
    EXPECT_EQ(reads_of("tests/kernels/hopper/clocks.cubin", kernel).waiting, 0u) << kernel;
  }
}

TEST(ClockWaits, KernelsThatComputeReadNoClock) {
  for (const char* file : {"examples/gemm.cubin", "examples/transpose.cubin", "bench/kernels/speed.cubin"})
    EXPECT_EQ(reads_of(file).all, 0u) << file;
}

}  // namespace
}  // namespace bankwise
