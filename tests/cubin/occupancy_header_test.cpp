// Compares our number of blocks on a multiprocessor with cuda_occupancy.h, for all combinations of resources. The
// header contains host code and needs no driver.
#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <string>

#include "cubin/occupancy.hpp"

namespace bankwise::cubin {
namespace {

cudaOccDeviceProp properties_of(const multiprocessor& m) {
  const int number = std::stoi(std::string(m.name.substr(3)));
  cudaOccDeviceProp p;
  p.computeMajor = number / 10;
  p.computeMinor = number % 10;
  p.maxThreadsPerBlock = most_threads_a_block;
  p.maxThreadsPerMultiprocessor = static_cast<int>(m.warps * 32);
  p.regsPerBlock = static_cast<int>(m.registers_a_block);
  p.regsPerMultiprocessor = static_cast<int>(m.registers);
  p.warpSize = 32;
  p.sharedMemPerBlock = m.shared_a_block;
  p.sharedMemPerMultiprocessor = m.shared;
  p.numSms = 1;
  p.sharedMemPerBlockOptin = m.shared_a_block_optin;
  p.reservedSharedMemPerBlock = m.shared_reserved;
  return p;
}

// Tries every number of warps with a few numbers of threads, and every number of registers. Tries sizes of shared
// memory around the allocation units, up to beyond the limit. Both computations get the sizes of a device from our
// table. The header computes blocks, units, partitions and the size of the L1 cache itself.
TEST(OccupancyHeader, SaysTheSame) {
  cudaOccDeviceState state;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  for (const architecture& a : architectures()) {
    const multiprocessor& m = a.one;
    const cudaOccDeviceProp p = properties_of(m);
    std::uint64_t compared = 0, different = 0;
    for (std::uint32_t warp = 0; warp < 32; ++warp)
      for (const std::uint32_t lanes : {1u, 31u, 32u})
        for (std::uint32_t registers = 0; registers <= m.registers_a_thread; ++registers)
          for (std::uint32_t step = 0; step <= m.shared_a_block_optin + 4096; step += 4096)
            for (const std::uint32_t shared : {step, step + 1, step + 1920}) {
              const resources block{warp * 32 + lanes, registers, shared};
              cudaOccFuncAttributes f;
              f.maxThreadsPerBlock = most_threads_a_block;
              f.numRegs = static_cast<int>(registers);
              f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
              f.maxDynamicSharedSizeBytes = m.shared_a_block_optin;
              cudaOccResult r;
              ASSERT_EQ(
                  cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &state, static_cast<int>(block.threads), shared),
                  CUDA_OCC_SUCCESS)
                  << m.name;
              const occupancy o = blocks_per_multiprocessor(m, block);
              const unsigned factor = o.by == limit::threads     ? OCC_LIMIT_WARPS
                                      : o.by == limit::blocks    ? OCC_LIMIT_BLOCKS
                                      : o.by == limit::registers ? OCC_LIMIT_REGISTERS
                                                                 : OCC_LIMIT_SHARED_MEMORY;
              ++compared;
              if (static_cast<int>(o.blocks) == r.activeBlocksPerMultiprocessor && (r.limitingFactors & factor) != 0)
                continue;
              if (different++ == 0)
                ADD_FAILURE() << m.name << ": " << block.threads << " threads, " << registers << " registers, "
                              << shared << " bytes: we compute " << o.blocks << " by " << name_of(o.by)
                              << ", the header has " << r.activeBlocksPerMultiprocessor << ", factors "
                              << r.limitingFactors;
            }
    EXPECT_EQ(different, 0u) << m.name << ": of " << compared;
    EXPECT_GT(compared, 200'000u) << m.name;
  }
}

}  // namespace
}  // namespace bankwise::cubin
