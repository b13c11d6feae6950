// Integer code whose lanes diverge, wait and reconverge, in blocks of many warps.

__device__ unsigned long long stepped(unsigned long long x) {
  return (x << 1) ^ ((long long)x < 0 ? 7ull : 0);
}

// A round has branches, loops, switches and votes. `out` receives each thread's registers after each round.
__global__ void lanes(unsigned* out, unsigned seed, int rounds) {
  __shared__ unsigned table[1024], sums[64];
  const unsigned threads = blockDim.x, all = gridDim.x * threads, me = blockIdx.x * threads + threadIdx.x;
  for (unsigned i = threadIdx.x; i < 1024; i += threads) table[i] = i;
  if (threadIdx.x < 64) sums[threadIdx.x] = 0;
  unsigned long long x = 0x9e3779b97f4a7c15ull * (me + seed);
  unsigned a = me, b = seed, c = 0;
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    const int steps = (int)(x >> 40 & 15);
    for (int i = 0; i < steps; ++i) {
      x = stepped(x);
      if ((x & 3) == 0) continue;
      if ((x & 0xff) == 0xff) break;
      a += (unsigned)(x >> 13);
      if (a & 0x10000) b ^= a;
      else c = __funnelshift_l(c, a, 5) + b;
    }
    switch (x >> 8 & 7) {
      case 0: atomicXor(&table[x >> 20 & 1023], (unsigned)(x >> 3)); break;
      case 1: atomicAdd(&sums[a & 63], b); break;
      case 2: atomicMax(&sums[b & 63], c); break;
      case 3: c = __popc(a) * b - (unsigned)(x >> 5); break;
      case 4: c += table[a & 1023]; break;
      case 5: if (c & 1) return; break;
      default: b = __brev(b) ^ round;
    }
    if (x & 0x1000) {
      const unsigned here = __activemask();
      c += __popc(__ballot_sync(here, a & 1));
      a ^= __shfl_sync(here, b, __ffs(here) - 1);
    }
    __syncwarp(__activemask());
    unsigned* const row = out + (round * all + me) * 5;
    row[0] = a, row[1] = b, row[2] = c, row[3] = (unsigned)x, row[4] = (unsigned)(x >> 32);
  }
}

// Lanes and warps compete for words, and the results depend on their order.
__global__ void swaps(unsigned* out, unsigned seed, int rounds, unsigned words) {
  __shared__ unsigned long long table[256];
  __shared__ unsigned tickets;
  const unsigned threads = blockDim.x, me = blockIdx.x * threads + threadIdx.x;
  for (unsigned i = threadIdx.x; i < 256; i += threads) table[i] = i;
  if (threadIdx.x == 0) tickets = 0;
  __syncthreads();
  unsigned long long x = 0x9e3779b97f4a7c15ull * (me + seed);
  unsigned tries = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = (int)(x >> 60); i >= 0; --i) x = stepped(x);
    unsigned long long* const place = &table[(x >> 9) % words];
    unsigned long long was = *place, expected;
    do {
      expected = was;
      was = atomicCAS(place, expected, expected ^ x);
      ++tries;
    } while (was != expected);
    if ((x & 7) == 0) {
      bool done = false;
      while (!done) {
        if (atomicExch(&tickets, 1u) == 0) {
          tries += 1000;
          __threadfence_block();
          atomicExch(&tickets, 0u);
          done = true;
        }
      }
    }
    if ((x & 0x70) == 0x70) break;
  }
  __syncthreads();
  out[me] = tries;
  out[gridDim.x * threads + me] = (unsigned)(table[threadIdx.x % 256] >> 3);
}

// Like `swaps`, but between barriers. After the swaps, code without competition follows.
__global__ void phases(unsigned* out, unsigned seed, int rounds) {
  __shared__ unsigned long long table[32];
  const unsigned threads = blockDim.x, me = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x < 32) table[threadIdx.x] = 0;
  unsigned long long x = 0x9e3779b97f4a7c15ull * (me + seed);
  unsigned tries = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = (int)(x >> 59); i >= 0; --i) {
      x = stepped(x);
      if (x & 1) tries ^= (unsigned)(x >> i);
    }
    __syncthreads();
    unsigned long long* const place = &table[x >> 9 & 31];
    unsigned long long was = *place, expected;
    do {
      expected = was;
      was = atomicCAS(place, expected, expected + (x | 1));
      ++tries;
    } while (was != expected);
    __syncthreads();
    tries += (unsigned)table[threadIdx.x & 31];
  }
  out[me] = tries;
}
