// The data select elements of shared memory: a histogram, a look-up in a table of words, a look-up in a table of
// doubles. Each `_before` is the obvious kernel. Other kernels have more copies of an element, or put them elsewhere.
#include "fixes.cuh"

constexpr int threads = 256, warps = threads / 32, blocks = 8;

// Reads four words at a time, so that the kernels do not only wait for global memory.
struct words_of {
  unsigned word[4];
  __device__ words_of(const unsigned* in, int i) {
    const uint4 four = reinterpret_cast<const uint4*>(in)[i];
    word[0] = four.x, word[1] = four.y, word[2] = four.z, word[3] = four.w;
  }
};

// --- a histogram of bytes: one for each warp, or a single one with a copy of each counter for each lane

template <int Histograms, int Copies>
__device__ void count_bytes(unsigned* out, const unsigned* in, int n) {
  constexpr int bins = 256, words = Histograms * bins * Copies;
  __shared__ unsigned counters[words];
#pragma unroll
  for (int i = 0; i < words / threads; ++i) counters[threadIdx.x + i * threads] = 0;
  __syncthreads();
  unsigned* const mine = counters + threadIdx.x / 32 % Histograms * bins * Copies + threadIdx.x % Copies;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n / 4; i += gridDim.x * threads) {
    const words_of four(in, i);
    for (const unsigned word : four.word)
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[(word >> shift & 255) * Copies], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (int histogram = 0; histogram < Histograms; ++histogram)
    for (int copy = 0; copy < Copies; ++copy)  // lanes begin with different copies, which are in different banks
      sum += counters[(histogram * bins + threadIdx.x) * Copies + (threadIdx.x + copy) % Copies];
  out[blockIdx.x * bins + threadIdx.x] = sum;
}

__global__ void bytes_before(unsigned* out, const unsigned* in, int n) { count_bytes<warps, 1>(out, in, n); }
__global__ void bytes_lanes(unsigned* out, const unsigned* in, int n) { count_bytes<1, 32>(out, in, n); }

// --- bytes are looked up in a table of 256 words

template <int Copies>
__device__ void look_up_bytes(unsigned* out, const unsigned* table, const unsigned* in, int n) {
  __shared__ unsigned words[256 * Copies];
  for (int copy = 0; copy < Copies; ++copy)
    words[threadIdx.x * Copies + (threadIdx.x + copy) % Copies] = table[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n / 4; i += gridDim.x * threads) {
    const words_of four(in, i);
    unsigned sum[4] = {};
    for (int k = 0; k < 4; ++k)
      for (int shift = 0; shift < 32; shift += 8)
        sum[k] ^= words[(four.word[k] >> shift & 255) * Copies + threadIdx.x % Copies];
    reinterpret_cast<uint4*>(out)[i] = {sum[0], sum[1], sum[2], sum[3]};
  }
}

__global__ void lookup_before(unsigned* out, const unsigned* table, const unsigned* in, int n) {
  look_up_bytes<1>(out, table, in, n);
}
__global__ void lookup_lanes(unsigned* out, const unsigned* table, const unsigned* in, int n) {
  look_up_bytes<32>(out, table, in, n);
}

// --- codes of five bits are looked up in a table of doubles

template <int Copies>
__device__ void decode(double* out, const double* table, const unsigned* in, int n) {
  __shared__ double values[32 * Copies];
  if (threadIdx.x < 32)
    for (int copy = 0; copy < Copies; ++copy)
      values[threadIdx.x * Copies + (threadIdx.x + copy) % Copies] = table[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < n / 4; i += gridDim.x * threads) {
    const words_of four(in, i);
    double value[4];
    for (int k = 0; k < 4; ++k) value[k] = values[four.word[k] % 32 * Copies + threadIdx.x % Copies];
    reinterpret_cast<double2*>(out)[2 * i] = {value[0], value[1]};
    reinterpret_cast<double2*>(out)[2 * i + 1] = {value[2], value[3]};
  }
}

__global__ void codes_before(double* out, const double* table, const unsigned* in, int n) {
  decode<1>(out, table, in, n);
}
__global__ void codes_lanes(double* out, const double* table, const unsigned* in, int n) {
  decode<16>(out, table, in, n);
}
__global__ void codes_shuffled(double* out, const double* table, const unsigned* in, int n) {
  const double value = table[threadIdx.x % 32];
  for (int i = blockIdx.x * threads + threadIdx.x; i < n / 4; i += gridDim.x * threads) {
    const words_of four(in, i);
    double said[4];
    for (int k = 0; k < 4; ++k) said[k] = __shfl_sync(~0u, value, four.word[k] % 32);
    reinterpret_cast<double2*>(out)[2 * i] = {said[0], said[1]};
    reinterpret_cast<double2*>(out)[2 * i + 1] = {said[2], said[3]};
  }
}

// Returns how many blocks run at the same time. Copies take memory; a second wave of blocks would hide their effect.
template <class Kernel>
int blocks_at_once(Kernel kernel) {
  int on_each = 0, multiprocessors = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, kernel, threads, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return on_each * multiprocessors;
}

int main(int argc, char** argv) {
  program p("by_data", argc, argv);
  const int n = p.timed() ? 1 << 26 : 1 << 15;
  const auto grid_of = [&](auto kernel) { return p.timed() ? blocks_at_once(kernel) : blocks; };
  const std::vector<unsigned> words = random_words(n, 1), table = random_words(256, 2);
  std::vector<double> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i * 0.5;
  const gpu_buffer<unsigned> in(words), of_words(table), sums(n), counts(grid_of(bytes_before) * 256);
  const gpu_buffer<double> of_doubles(values), doubles(n);

  const auto count = [&](const char* name, auto kernel) {
    const int grid = grid_of(kernel);
    p.run(name, [&] { kernel<<<grid, threads>>>(counts.get(), in.get(), n); },
          [&] {
            std::vector<unsigned> expected(grid * 256);
            for (int i = 0; i < n; ++i)
              for (int shift = 0; shift < 32; shift += 8)
                ++expected[i / 4 / threads % grid * 256 + (words[i] >> shift & 255)];
            return counts.host() == expected;
          });
  };
  count("bytes_before", bytes_before);
  count("bytes_lanes", bytes_lanes);
  const auto look_up = [&](const char* name, auto kernel) {
    const int grid = grid_of(kernel);
    p.run(name, [&] { kernel<<<grid, threads>>>(sums.get(), of_words.get(), in.get(), n); },
          [&] {
            std::vector<unsigned> expected(n);
            for (int i = 0; i < n; ++i)
              for (int shift = 0; shift < 32; shift += 8) expected[i] ^= table[words[i] >> shift & 255];
            return sums.host() == expected;
          });
  };
  look_up("lookup_before", lookup_before);
  look_up("lookup_lanes", lookup_lanes);
  const auto read_codes = [&](const char* name, auto kernel) {
    const int grid = grid_of(kernel);
    p.run(name, [&] { kernel<<<grid, threads>>>(doubles.get(), of_doubles.get(), in.get(), n); },
          [&] {
            std::vector<double> expected(n);
            for (int i = 0; i < n; ++i) expected[i] = values[words[i] % 32];
            return doubles.host() == expected;
          });
  };
  read_codes("codes_before", codes_before);
  read_codes("codes_lanes", codes_lanes);
  read_codes("codes_shuffled", codes_shuffled);
  return p.status();
}
