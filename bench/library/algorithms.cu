// Kernels of library quality: algorithms of CUB and Thrust, each on 16 million values (or as its name says). Their authors tuned these
// kernels, so a finding that promises to save much of their time is probably wrong.
//     nvcc -O3 -lineinfo -arch=sm_90 --extended-lambda -o algorithms bench/library/algorithms.cu
//     ./algorithms reduce            runs one algorithm once; without a name, prints the names
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cub/cub.cuh>

namespace {

constexpr int count = 1 << 24;

template <class T>
thrust::device_vector<T> numbers(int n = count, unsigned below = 1u << 30) {
  std::vector<T> host(n);
  unsigned state = 12345;
  for (T& v : host) {
    state = state * 1664525u + 1013904223u;
    v = static_cast<T>((state >> 8) % below);
  }
  return host;
}

// Calls an algorithm of CUB twice: for the size of its memory, and with this memory.
template <class Algorithm>
void with_memory(Algorithm run) {
  std::size_t bytes = 0;
  run(nullptr, bytes);
  thrust::device_vector<std::uint8_t> memory(bytes);
  run(thrust::raw_pointer_cast(memory.data()), bytes);
  if (const cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) std::printf("%s\n", cudaGetErrorString(e));
}

template <class T>
T* at(thrust::device_vector<T>& v) {
  return thrust::raw_pointer_cast(v.data());
}

struct is_even {
  __host__ __device__ bool operator()(int v) const { return v % 2 == 0; }
};
struct square {
  __host__ __device__ float operator()(float v) const { return v * v; }
};

void reduce() {
  auto in = numbers<float>();
  thrust::device_vector<float> out(1);
  with_memory([&](void* m, std::size_t& b) { cub::DeviceReduce::Sum(m, b, at(in), at(out), count); });
}
void reduce_doubles() {
  auto in = numbers<double>();
  thrust::device_vector<double> out(1);
  with_memory([&](void* m, std::size_t& b) { cub::DeviceReduce::Max(m, b, at(in), at(out), count); });
}
void segmented_reduce() {
  auto in = numbers<float>();
  constexpr int rows = 1 << 14;
  std::vector<int> ends(rows + 1);
  for (int i = 0; i <= rows; ++i) ends[i] = i * (count / rows);
  thrust::device_vector<int> begins = ends;
  thrust::device_vector<float> out(rows);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceSegmentedReduce::Sum(m, b, at(in), at(out), rows, at(begins), at(begins) + 1);
  });
}
void scan() {
  auto in = numbers<int>();
  thrust::device_vector<int> out(count);
  with_memory([&](void* m, std::size_t& b) { cub::DeviceScan::InclusiveSum(m, b, at(in), at(out), count); });
}
void select() {
  auto in = numbers<int>();
  thrust::device_vector<int> out(count), kept(1);
  with_memory(
      [&](void* m, std::size_t& b) { cub::DeviceSelect::If(m, b, at(in), at(out), at(kept), count, is_even{}); });
}
void partition() {
  auto in = numbers<int>();
  thrust::device_vector<int> out(count), kept(1);
  with_memory(
      [&](void* m, std::size_t& b) { cub::DevicePartition::If(m, b, at(in), at(out), at(kept), count, is_even{}); });
}
void unique() {
  auto in = numbers<int>(count, 3);
  thrust::device_vector<int> out(count), kept(1);
  with_memory([&](void* m, std::size_t& b) { cub::DeviceSelect::Unique(m, b, at(in), at(out), at(kept), count); });
}
void run_lengths() {
  auto in = numbers<int>(count, 3);
  thrust::device_vector<int> values(count), lengths(count), runs(1);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceRunLengthEncode::Encode(m, b, at(in), at(values), at(lengths), at(runs), count);
  });
}
void histogram() {
  auto in = numbers<float>(count, 1000);
  thrust::device_vector<int> bins(256);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceHistogram::HistogramEven(m, b, at(in), at(bins), 257, 0.0f, 1000.0f, count);
  });
}
void radix_sort() {
  auto in = numbers<unsigned>(1 << 22);
  thrust::device_vector<unsigned> out(1 << 22);
  with_memory([&](void* m, std::size_t& b) { cub::DeviceRadixSort::SortKeys(m, b, at(in), at(out), 1 << 22); });
}
void radix_sort_pairs() {
  constexpr int n = 1 << 21;
  auto keys = numbers<unsigned>(n), values = numbers<unsigned>(n);
  thrust::device_vector<unsigned> keys_out(n), values_out(n);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceRadixSort::SortPairs(m, b, at(keys), at(keys_out), at(values), at(values_out), n);
  });
}
void merge_sort() {
  auto keys = numbers<int>(1 << 21);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceMergeSort::SortKeys(m, b, at(keys), 1 << 21, cuda::std::less<int>{});
  });
}
void for_each() {
  auto in = numbers<float>();
  float* const p = at(in);
  with_memory([&](void* m, std::size_t& b) {
    cub::DeviceFor::Bulk(m, b, count, [p] __device__(int i) { p[i] = p[i] * 2.0f + 1.0f; });
  });
}
void transform() {
  auto in = numbers<float>();
  thrust::device_vector<float> out(count);
  thrust::transform(in.begin(), in.end(), out.begin(), square{});
}
void saxpy() {
  auto x = numbers<float>(), y = numbers<float>();
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), [] __device__(float a, float b) { return 2.5f * a + b; });
}
void sum_of_squares() {
  auto in = numbers<float>();
  std::printf("%g\n", thrust::transform_reduce(in.begin(), in.end(), square{}, 0.0f, thrust::plus<float>{}));
}
void inner_product() {
  auto x = numbers<float>(count, 100), y = numbers<float>(count, 100);
  std::printf("%g\n", thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0f));
}
void gather() {
  auto in = numbers<float>();
  auto from = numbers<int>(count, count);
  thrust::device_vector<float> out(count);
  thrust::gather(from.begin(), from.end(), in.begin(), out.begin());
}
void sequence() {
  thrust::device_vector<int> out(count);
  thrust::sequence(out.begin(), out.end());
}
void differences() {
  auto in = numbers<int>();
  thrust::device_vector<int> out(count);
  thrust::adjacent_difference(in.begin(), in.end(), out.begin());
}
void reduce_by_key() {
  auto keys = numbers<int>(count, 3);
  auto values = numbers<float>();
  thrust::device_vector<int> keys_out(count);
  thrust::device_vector<float> sums(count);
  thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin());
}
void lower_bounds() {
  thrust::device_vector<int> sorted(1 << 20), out(1 << 22);
  thrust::sequence(sorted.begin(), sorted.end(), 0, 512);
  auto asked = numbers<int>(1 << 22);
  thrust::lower_bound(sorted.begin(), sorted.end(), asked.begin(), asked.end(), out.begin());
}
void merge() {
  constexpr int n = 1 << 22;
  thrust::device_vector<int> a(n), b(n), out(2 * n);
  thrust::sequence(a.begin(), a.end(), 0, 2);
  thrust::sequence(b.begin(), b.end(), 1, 3);
  thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
}

struct algorithm {
  const char* name;
  void (*run)();
};
constexpr algorithm algorithms[] = {{"reduce", reduce},
                                    {"reduce_doubles", reduce_doubles},
                                    {"segmented_reduce", segmented_reduce},
                                    {"scan", scan},
                                    {"select", select},
                                    {"partition", partition},
                                    {"unique", unique},
                                    {"run_lengths", run_lengths},
                                    {"histogram", histogram},
                                    {"radix_sort", radix_sort},
                                    {"radix_sort_pairs", radix_sort_pairs},
                                    {"merge_sort", merge_sort},
                                    {"for_each", for_each},
                                    {"transform", transform},
                                    {"saxpy", saxpy},
                                    {"sum_of_squares", sum_of_squares},
                                    {"inner_product", inner_product},
                                    {"gather", gather},
                                    {"sequence", sequence},
                                    {"differences", differences},
                                    {"reduce_by_key", reduce_by_key},
                                    {"lower_bounds", lower_bounds},
                                    {"merge", merge}};

}  // namespace

int main(int argc, char** argv) {
  for (const algorithm& a : algorithms) {
    if (argc < 2) std::printf("%s\n", a.name);
    if (argc > 1 && std::strcmp(argv[1], a.name) == 0) {
      a.run();
      const cudaError_t e = cudaDeviceSynchronize();
      std::printf("%s: %s\n", a.name, cudaGetErrorString(e));
      return e == cudaSuccess ? 0 : 1;
    }
  }
  return argc < 2 ? 0 : 2;
}
