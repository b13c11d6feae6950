// Histograms of bytes, with a partial histogram for each block: the accesses of histogram64 and histogram256 in
// NVIDIA's cuda-samples.
#include "fixes.cuh"

constexpr int threads64 = 64, bins64 = 64, words_a_thread = 15;  // a byte counts up to 255, which is more than 15 * 16

// Each thread has a counter of one byte for each bin. The layout is for 16 banks: a bin has 16 words, and a half-warp's
// counters are in different banks. With 32 banks, even bins use the first 16 banks, odd bins the other 16 banks. Lanes
// t and t + 16 conflict if they count different bins of one parity. In most warps, some lanes do.
struct for_16_banks {
  static __device__ int at(int thread, int bin) { return bin * threads64 + thread % 16 * 4 + thread / 16; }
  // The order in which a bin's counters are added: word by word, starting in different banks for different bins.
  static __device__ int turn(int bin, int i) {
    const int word = (bin + i / 4) % 16;
    return word + i % 4 * 16;
  }
};
// Each lane has its own bank, whatever it counts: the four counters of a thread for bins 4k to 4k + 3 share a word. The
// four lanes that add up these bins read this word together.
struct for_32_banks {
  static __device__ int at(int thread, int bin) {
    return (thread / 32 * (bins64 / 4) + bin / 4) * 128 + thread % 32 * 4 + bin % 4;
  }
  static __device__ int turn(int bin, int i) { return (bin / 4 + i) % 32 + i / 32 * 32; }
};

template <class Layout>
__device__ void count64(unsigned* out, const uint4* in, unsigned n) {
  __shared__ unsigned words[threads64 * bins64 / 4];
  unsigned char* const counters = reinterpret_cast<unsigned char*>(words);
  const unsigned thread = threadIdx.x;
#pragma unroll
  for (int i = 0; i < bins64 / 4; ++i) words[thread + i * threads64] = 0;
  __syncthreads();
  const auto add = [&](unsigned four) {
    for (int shift = 2; shift < 32; shift += 8) ++counters[Layout::at(thread, four >> shift & (bins64 - 1))];
  };
  for (unsigned i = blockIdx.x * threads64 + thread; i < n; i += gridDim.x * threads64) {
    const uint4 x = in[i];
    add(x.x), add(x.y), add(x.z), add(x.w);
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < threads64; ++i) sum += counters[Layout::at(Layout::turn(thread, i), thread)];
  out[blockIdx.x * bins64 + thread] = sum;
}

__global__ void count64_before(unsigned* out, const uint4* in, unsigned n) { count64<for_16_banks>(out, in, n); }
__global__ void count64_after(unsigned* out, const uint4* in, unsigned n) { count64<for_32_banks>(out, in, n); }

constexpr int threads256 = 192, bins256 = 256, warps256 = threads256 / 32;

// A histogram of words for each warp, counted with atomics. The conflicts depend on the data: with 32 random bins, the
// fullest bank has three or four lanes. No layout is better than another layout.
__global__ void count256_before(unsigned* out, const uint4* in, unsigned n) {
  __shared__ unsigned counters[warps256 * bins256];
  unsigned* const mine = counters + threadIdx.x / 32 * bins256;
#pragma unroll
  for (int i = 0; i < warps256 * bins256 / threads256; ++i) counters[threadIdx.x + i * threads256] = 0;
  __syncthreads();
  const unsigned* const words = reinterpret_cast<const unsigned*>(in);
  for (unsigned i = blockIdx.x * threads256 + threadIdx.x; i < n * 4; i += gridDim.x * threads256) {
    const unsigned x = words[i];
    for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[x >> shift & (bins256 - 1)], 1);
  }
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins256; bin += threads256) {
    unsigned sum = 0;
    for (int w = 0; w < warps256; ++w) sum += counters[w * bins256 + bin];
    out[blockIdx.x * bins256 + bin] = sum;
  }
}

int main(int argc, char** argv) {
  program p("histogram", argc, argv);
  const unsigned n = p.timed() ? 1 << 24 : 3840;  // of 16 bytes
  const std::vector<unsigned> in = random_words(n * 4, 1);
  const gpu_buffer<unsigned> from(in);
  const auto run = [&](const char* name, void (*kernel)(unsigned*, const uint4*, unsigned), unsigned bins,
                       unsigned threads, unsigned blocks) {
    const gpu_buffer<unsigned> to(blocks * bins);
    p.run(
        name, [&] { kernel<<<blocks, threads>>>(to.get(), reinterpret_cast<const uint4*>(from.get()), n); },
        [&] {
          std::vector<unsigned> counted(bins), expected(bins);
          const std::vector<unsigned> partial = to.host();
          for (std::size_t i = 0; i < partial.size(); ++i) counted[i % bins] += partial[i];
          for (const unsigned x : in)
            for (int shift = 0; shift < 32; shift += 8) ++expected[(x >> shift & 255) * bins / 256];
          return counted == expected;
        });
  };
  const unsigned blocks64 = (n + threads64 * words_a_thread - 1) / (threads64 * words_a_thread);
  const unsigned blocks256 = p.timed() ? 1320 : 8;
  run("count64_before", count64_before, bins64, threads64, blocks64);
  run("count64_after", count64_after, bins64, threads64, blocks64);
  run("count256_before", count256_before, bins256, threads256, blocks256);
  return p.status();
}
