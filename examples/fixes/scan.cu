// Exclusive sums of many short arrays, four elements for each thread: the accesses of scanExclusiveShared in NVIDIA's
// cuda-samples. `size` zeros precede each array of `size` threads, so that no thread needs to check where its array
// begins. If arrays are shorter than a warp, the zeros keep half of the banks idle.
#include "fixes.cuh"

constexpr int threads = 256;

struct plain {
  static constexpr int words = 2 * threads;
  static __device__ int at(int i, int) { return i; }
};
// Group i of 32 words is shifted by i * `size` banks. So the data of two neighbouring groups are in different banks. If
// `size` is 32 or more, the groups are not shifted.
struct padded {
  static constexpr int words = 2 * threads + 2 * threads / 32 * 16;
  static __device__ int at(int i, int size) { return i + i / 32 * (size & 31); }
};
struct swizzled {  // in every second group of 32 words, data and zeros are exchanged
  static constexpr int words = 2 * threads;
  static __device__ int at(int i, int size) { return i ^ i / 32 % 2 * (size & 31); }
};

template <class Layout>
__device__ unsigned sum_in_front(volatile unsigned* data, unsigned x, int size) {
  const int zero = 2 * threadIdx.x - (threadIdx.x & (size - 1)), mine = zero + size;
  data[Layout::at(zero, size)] = 0;
  data[Layout::at(mine, size)] = x;
  for (int distance = 1; distance < size; distance *= 2) {
    __syncthreads();
    const unsigned sum = data[Layout::at(mine, size)] + data[Layout::at(mine - distance, size)];
    __syncthreads();
    data[Layout::at(mine, size)] = sum;
  }
  return data[Layout::at(mine, size)] - x;
}

// `size` is the number of threads of an array, a power of two.
template <class Layout>
__device__ void scan(uint4* out, const uint4* in, int size) {
  __shared__ unsigned data[Layout::words];
  const int i = blockIdx.x * threads + threadIdx.x;
  const uint4 x = in[i];
  const unsigned two = x.x + x.y, three = two + x.z;
  const unsigned front = sum_in_front<Layout>(data, three + x.w, size);
  out[i] = {front, front + x.x, front + two, front + three};
}

__global__ void scan_before(uint4* out, const uint4* in, int size) { scan<plain>(out, in, size); }
__global__ void scan_padded(uint4* out, const uint4* in, int size) { scan<padded>(out, in, size); }
__global__ void scan_swizzled(uint4* out, const uint4* in, int size) { scan<swizzled>(out, in, size); }

int main(int argc, char** argv) {
  program p("scan", argc, argv);
  const int blocks = p.timed() ? 65536 : 16, size = 2;
  const std::size_t count = static_cast<std::size_t>(blocks) * threads * 4;
  const std::vector<unsigned> in = random_words(count, 1);
  const gpu_buffer<unsigned> from(in), to(count);
  const auto run = [&](const char* name, void (*kernel)(uint4*, const uint4*, int)) {
    CUDA_CHECK(cudaMemset(to.get(), 0, count * sizeof(unsigned)));
    p.run(
        name,
        [&] {
          kernel<<<blocks, threads>>>(reinterpret_cast<uint4*>(to.get()), reinterpret_cast<const uint4*>(from.get()),
                                      size);
        },
        [&] {
          std::vector<unsigned> expected(count);
          unsigned sum = 0;
          for (std::size_t i = 0; i < count; ++i) {
            if (i % (size * 4) == 0) sum = 0;
            expected[i] = sum;
            sum += in[i];
          }
          return to.host() == expected;
        });
  };
  run("scan_before", scan_before);
  run("scan_padded", scan_padded);
  run("scan_swizzled", scan_swizzled);
  return p.status();
}
