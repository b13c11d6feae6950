// A kernel that does not compile if the column of its tile gets a bank conflict.
#include <bankwise/bankwise.hpp>

constexpr int pitch = 33;

__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[32][pitch];
  constexpr auto column = bankwise::make_access(bankwise::ld(4), [](bankwise::u32 t) { return t * pitch * 4; });
  BANKWISE_ASSERT_CONFLICT_FREE(column);
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
