// Reductions in global memory by blocks that may run at the same time.

__device__ unsigned total;

__device__ unsigned mixed(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// The number of rounds depends on the seed and the block, so that blocks take different times.
template <bool loads>
__device__ void steps(unsigned* words, float* floats, double* doubles, unsigned long long* wide, unsigned* own,
                      unsigned seed, int most) {
  __shared__ unsigned seen[64];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) seen[threadIdx.x] = 0;
  __syncthreads();
  const int count = mixed(seed + blockIdx.x) % most;
  unsigned sum = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned h = mixed(seed ^ mixed(thread * 131 + i)), at = h >> 8 & 255;
    volatile unsigned& place = seen[h & 63];
    place = h;
    sum += place;
    switch (mixed(seed + i) % (loads ? 15 : 13)) {
      case 0: atomicAdd(&words[at], h); break;
      case 1: atomicMin(&words[at], h); break;
      case 2: atomicMax(reinterpret_cast<int*>(&words[at]), static_cast<int>(h)); break;
      case 3: atomicAnd(&words[at], h | 0xffff00ffu); break;
      case 4: atomicOr(&words[at], h & 0x01010101u); break;
      case 5: atomicXor(&words[at], h); break;
      case 6: atomicInc(&words[at], 1000); break;
      case 7: atomicExch(&words[at], h); break;
      case 8: atomicAdd(&floats[at], static_cast<float>(h) * 1e-3f); break;
      case 9: atomicAdd(&doubles[at], static_cast<double>(h) * 1e-3); break;
      case 10: atomicAdd(&wide[at], static_cast<unsigned long long>(h) << 13); break;
      case 11: atomicMax(&wide[at], static_cast<unsigned long long>(h) << 20); break;
      case 12: sum ^= own[thread]; break;
      case 13: sum += words[at]; break;
      default: words[at] = sum; break;
    }
  }
  own[thread] = sum;
}

__global__ void reduces(unsigned* words, float* floats, double* doubles, unsigned long long* wide, unsigned* own,
                        unsigned seed, int most) {
  steps<false>(words, floats, doubles, wide, own, seed, most);
}
__global__ void reduces_and_loads(unsigned* words, float* floats, double* doubles, unsigned long long* wide,
                                  unsigned* own, unsigned seed, int most) {
  steps<true>(words, floats, doubles, wide, own, seed, most);
}

// Each block first sets a word. Then it adds to this word, and loads it again.
__global__ void sets_first(float* sums, const float* in, int each) {
  float* const mine = sums + blockIdx.x;
  if (threadIdx.x == 0) *mine = 1;
  __syncthreads();
  for (int i = 0; i < each; ++i) atomicAdd(mine, in[(blockIdx.x * each + i) * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *mine *= 2;
}

// The indices are loaded from memory. `total` is a variable of the module.
__global__ void histogram(unsigned* bins, const unsigned* places, int each) {
  for (int i = 0; i < each; ++i) {
    const unsigned at = places[(blockIdx.x * each + i) * blockDim.x + threadIdx.x];
    atomicAdd(&bins[at % 1024], 1);
  }
  if (threadIdx.x == 0) atomicAdd(&total, each);
}

// The pointers are loaded from memory.
__global__ void scatters(float* const* rows, const float* in, int each) {
  for (int i = 0; i < each; ++i) atomicAdd(rows[threadIdx.x % 4], in[(blockIdx.x * each + i) * blockDim.x + threadIdx.x]);
}

// The old value of the atomic is used.
__global__ void takes_numbers(unsigned* next, unsigned* numbers, int each) {
  for (int i = 0; i < each; ++i) numbers[(blockIdx.x * each + i) * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}

// Each array is only used with a single operation, so the order does not matter.
__global__ void commutes(unsigned* sums, int* least, unsigned* most, unsigned* both, unsigned* either, unsigned* odd,
                         unsigned long long* wide_sums, long long* wide_most, unsigned seed, int each) {
  for (int i = 0; i < each; ++i) {
    const unsigned h = mixed(seed ^ mixed((blockIdx.x * blockDim.x + threadIdx.x) * each + i)), at = h >> 8 & 127;
    atomicAdd(&sums[at], h);
    atomicMin(&least[at], static_cast<int>(h));
    atomicMax(&most[at], h);
    atomicAnd(&both[at], h | 0xfffff000u);
    atomicOr(&either[at], h & 0x10101u);
    atomicXor(&odd[at], h);
    atomicAdd(&wide_sums[at], static_cast<unsigned long long>(h) << 13);
    atomicMax(&wide_most[at], static_cast<long long>(static_cast<int>(h)) << 20);
  }
}
