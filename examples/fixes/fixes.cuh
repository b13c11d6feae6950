// Helpers of the programs in this folder. Each program runs its kernels as in launches.csv, and compares their results
// with the CPU's results. With --time, the program prints the time of each kernel on a problem that fills a GPU:
//
//     program,kernel,microseconds     the median of 20 launches
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../check.cuh"

// Returns the same words as bankwise's u32[COUNT]=random:SEED.
inline std::vector<unsigned> random_words(std::size_t count, std::uint64_t seed) {
  std::vector<unsigned> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = seed * 0x2545f4914f6cdd1dull + (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    words[i] = static_cast<unsigned>(z ^ z >> 31);
  }
  return words;
}

inline bool is_transposed(const std::vector<float>& out, const std::vector<float>& in, std::size_t n) {
  bool right = true;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) right &= out[c * n + r] == in[r * n + c];
  return right;
}

template <class Launch>
float median_microseconds(const Launch& launch) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 3; ++i) launch();
  std::vector<float> times(20);
  for (float& time : times) {
    CUDA_CHECK(cudaEventRecord(begin));
    launch();
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&time, begin, end));
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventDestroy(begin));
  CUDA_CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return (times[9] + times[10]) / 2 * 1000;
}

class program {
 public:
  program(const char* name, int argc, char** argv)
      : name_(name), timed_(argc > 1 && std::strcmp(argv[1], "--time") == 0) {}
  bool timed() const { return timed_; }
  int status() const { return right_ ? 0 : 1; }

  template <class Launch, class Check>
  void run(const char* kernel, const Launch& launch, const Check& is_right) {
    if (timed_) {
      std::printf("%s,%s,%.2f\n", name_, kernel, median_microseconds(launch));
      return;
    }
    launch();
    CUDA_CHECK(cudaGetLastError());
    right_ &= report_result(kernel, is_right());
  }

 private:
  const char* name_;
  bool timed_, right_ = true;
};
