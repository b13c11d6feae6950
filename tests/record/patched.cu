// Compiles the patches of `bankwise record` as ordinary functions for tests/record/patch_test.cpp. In the kernel, each
// warp makes the accesses of a list as a patched kernel would.
#include "../../gpu/record/patch.cu"

namespace {

// pc, mask, patch (0 for access, 1 for matrix, 2 for copy), 32 addresses, 32 sources
constexpr u32 words = 3 + 2 * bankwise::lanes_per_warp;

}  // namespace

extern "C" __global__ void patched(launch_table* table, const bankwise::operation* operations, const u32* list, u32 count,
                                   u32 times) {
  if (threadIdx.x == 0) table->head.operations = operations;
  __syncthreads();
  const u32 lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (u32 n = 0; n < times; ++n)
    for (u32 i = threadIdx.x / 32; i < count; i += warps) {
      const u32* const a = list + i * words;
      const u64 address = a[3 + lane], source = a[35 + lane];
      if ((a[1] >> lane & 1) != 0) {
        if (a[2] == 0) bankwise_access(table, a[0], reinterpret_cast<void*>(address), 0, 0, nullptr);
        if (a[2] == 1) bankwise_matrix(table, a[0], static_cast<u32>(address), 0, 0, 0, nullptr);
        if (a[2] == 2) bankwise_copy(table, a[0], reinterpret_cast<void*>(source), static_cast<u32>(address), 0);
      }
      // The patches use YIELD. After a YIELD, lanes can continue after the branch without waiting for the other lanes.
      __syncwarp();
    }
}
