// Blocks that pass data to other blocks through global memory: with all that is needed, and with a part missing. They
// test run --check race.
#include <cooperative_groups.h>

enum class fence { none, of_block, of_gpu };

template <fence how>
__device__ void make_visible() {
  if (how == fence::of_block) __threadfence_block();
  if (how == fence::of_gpu) __threadfence();
}

// Each block adds up its part, and the last block adds up the parts.
template <fence how, bool narrow, bool acquires = true>
__device__ void sum(int* out, int* parts, unsigned* ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 5;
    make_visible<how>();
    const unsigned before = narrow ? atomicAdd_block(ticket, 1) : atomicAdd(ticket, 1);
    is_last = before == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  if (acquires) make_visible<how>();
  int all = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) all += parts[i];
  atomicAdd(out, all);
  if (threadIdx.x == 0) *ticket = 0;
}
__global__ void adds_parts(int* out, int* parts, unsigned* ticket) { sum<fence::of_gpu, false>(out, parts, ticket); }
__global__ void adds_unfenced(int* out, int* parts, unsigned* ticket) { sum<fence::none, false>(out, parts, ticket); }
__global__ void adds_fenced_in_block(int* out, int* parts, unsigned* ticket) {
  sum<fence::of_block, false>(out, parts, ticket);
}
__global__ void adds_with_own_ticket(int* out, int* parts, unsigned* ticket) {
  sum<fence::of_gpu, true>(out, parts, ticket);
}
// No block has read the parts before, so no L1 contains old values. But CUDA does not promise this.
__global__ void adds_unacquired(int* out, int* parts, unsigned* ticket) {
  sum<fence::of_gpu, false, false>(out, parts, ticket);
}

// The first block writes data, and the other blocks wait for its flag.
template <fence how>
__device__ void hand_over(int* out, int* data, volatile int* flag) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 3 * threadIdx.x;
    make_visible<how>();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  if (threadIdx.x == 0)
    while (*flag == 0) {}
  __syncthreads();
  make_visible<how>();
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x];
}
__global__ void hands_over(int* out, int* data, int* flag) { hand_over<fence::of_gpu>(out, data, flag); }
__global__ void hands_over_unfenced(int* out, int* data, int* flag) { hand_over<fence::none>(out, data, flag); }

// All blocks shift a line, with and without a barrier of the grid between the reads and the writes.
template <bool ordered>
__device__ void shift(int* line) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  const int next = line[(i + 40) % count];
  if (ordered) grid.sync();
  line[i] = next;
}
__global__ void shifts(int* line) { shift<true>(line); }
__global__ void shifts_early(int* line) { shift<false>(line); }

// Access patterns that need no order.
__global__ void writes_the_same(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void sets_a_flag(int* out) {
  if (out[0] == 0 && threadIdx.x == blockIdx.x) out[0] = 1;
}
__global__ void looks_before_atomic(int* out) {
  if (out[threadIdx.x % 8] < threadIdx.x) atomicMax(&out[threadIdx.x % 8], threadIdx.x + blockIdx.x);
}
__global__ void writes_bytes(unsigned char* out) { out[blockIdx.x] = blockIdx.x; }
__global__ void writes_its_number(int* out) { out[threadIdx.x] = blockIdx.x; }

// The place of a value depends on the order of the blocks. The sum of floats depends on it only in its rounding.
__global__ void appends(int* out, int* count) {
  if (threadIdx.x == 0) out[atomicAdd(count, 1)] = blockIdx.x;
}
__global__ void adds_floats(float* out) { atomicAdd(out, 1.0f / (1 + threadIdx.x + blockDim.x * blockIdx.x)); }

// Each block waits for the one before, and passes the sum on. The sums share a sector. So a block that reads a sum brings
// the next sums, which are old, into L1. A later block on the same multiprocessor reads them there without an acquire.
// Loads past L1 need no acquire.
enum class sight { acquires, keeps_l1, goes_past_l1 };
template <sight how>
__device__ void pass_on(int* out, int* sums, volatile int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {}
    if (how == sight::acquires) __threadfence();
    before = how == sight::goes_past_l1 ? __ldcg(&sums[blockIdx.x - 1]) : sums[blockIdx.x - 1];
  }
  out[blockIdx.x] = before;
  sums[blockIdx.x] = before + blockIdx.x + 3;
  // A release does not empty L1, as __threadfence() does.
  asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&flags[blockIdx.x]) : "memory");
}
__global__ void passes_on(int* out, int* sums, int* flags) { pass_on<sight::acquires>(out, sums, flags); }
__global__ void passes_on_unacquired(int* out, int* sums, int* flags) { pass_on<sight::keeps_l1>(out, sums, flags); }
__global__ void passes_on_past_l1(int* out, int* sums, int* flags) { pass_on<sight::goes_past_l1>(out, sums, flags); }
