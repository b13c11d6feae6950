// A bulk copy brings a row to shared memory, threads change it, and another bulk copy stores it: mbarrier and fences.
#include <cuda/barrier>
#include <cuda/ptx>

#include "../naive/host.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init  // init() makes the barrier

constexpr int row = 256;

__global__ void bulk_copy(const int* in, int* out) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(128) int line[row];
  __shared__ barrier arrived;
  const int t = threadIdx.x;
  if (t == 0) {
    init(&arrived, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (t == 0) {
    cuda::device::experimental::cp_async_bulk_global_to_shared(line, in + blockIdx.x * row, sizeof line, arrived);
    token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof line);
  } else {
    token = arrived.arrive();
  }
  arrived.wait(std::move(token));
  for (int i = t; i < row; i += blockDim.x) line[i] = line[i] * 2 + 1;
  cuda::device::experimental::fence_proxy_async_shared_cta();
  __syncthreads();
  if (t == 0) {
    cuda::device::experimental::cp_async_bulk_shared_to_global(out + blockIdx.x * row, line, sizeof line);
    cuda::device::experimental::cp_async_bulk_commit_group();
    cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
  }
}

int main() {
  const int rows = 6, n = rows * row;
  int* in = filled<int>(n, [](int i) { return i % 41; });
  int* out;
  cudaMalloc(&out, n * sizeof(int));
  bulk_copy<<<rows, 64>>>(in, out);
  const int status = print_checksum(out, n);
  cudaFree(in);
  cudaFree(out);
  return status;
}
