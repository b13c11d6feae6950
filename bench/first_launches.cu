// Times of the first launches of kernels, which bring their code to the GPU: of a module's first kernel, and of further kernels with
// more and more code. Rows as in measured_sequence.hpp, but each kernel is launched once, so a row is the median of eight kernels.
//
//   nvcc -O3 -arch=sm_90 -cudart shared -o first_launches bench/first_launches.cu && ./first_launches
#include "measured_sequence.hpp"

namespace {

// About 16 bytes of code for each step.
template <int Number, int Steps>
__global__ void kernel(float* to) {
  float x = threadIdx.x;
#pragma unroll
  for (int i = 0; i < Steps; ++i) x = x * (1.5f + Number) + 0.5f * i;
  if (x == 12345.0f) *to = x;
}

struct times {
  double events, calls, all;
};

template <int Number, int Steps>
times first_launch(float* to) {
  cudaEvent_t from, until;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&until));
  CHECK(cudaDeviceSynchronize());
  const auto begin = clock_type::now();
  CHECK(cudaEventRecord(from));
  kernel<Number, Steps><<<1, 32>>>(to);
  CHECK(cudaEventRecord(until));
  const double called = since(begin);
  CHECK(cudaEventSynchronize(until));
  const double ended = since(begin);
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, from, until));
  return {ms * 1e3, called, ended};
}

void print(const std::string& name, std::vector<times> all) {
  const auto middle = [&](double times::*what) {
    std::sort(all.begin(), all.end(), [&](const times& a, const times& b) { return a.*what < b.*what; });
    return all[all.size() / 2].*what;
  };
  std::printf("%s,%.2f,%.2f,%.2f\n", name.c_str(), middle(&times::events), middle(&times::calls), middle(&times::all));
}

template <int Steps, int... Numbers>
void print_size(float* to, std::integer_sequence<int, Numbers...>) {
  print("first launch of a kernel of " + std::to_string(Steps) + " steps", {first_launch<Numbers, Steps>(to)...});
}

}  // namespace

int main() {
  float* to;
  CHECK(cudaMalloc(&to, 4));
  std::printf("sequence,events_us,calls_us,host_us\n");
  print("first launch of a module", {first_launch<8, 16>(to)});
  print("second launch of it", {first_launch<8, 16>(to)});
  constexpr auto numbers = std::make_integer_sequence<int, 8>();
  print_size<16>(to, numbers);
  print_size<256>(to, numbers);
  print_size<4096>(to, numbers);
}
