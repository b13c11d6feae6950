// Times that a program measures itself with events and with the host's clock: launches, copies, memsets, graphs, streams.
//
//   nvcc -O3 -arch=sm_90 -o event_sequences bench/event_sequences.cu && ./event_sequences [repetitions]
#include "measured_sequence.hpp"

namespace {

__global__ void nothing() {}
__global__ void add(float* to, const float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] + b[i];
}

struct streams {
  cudaStream_t main, other, third, fourth;
  cudaEvent_t fork, join[3];
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) repetitions = std::max(1, std::atoi(argv[1]));
  constexpr std::size_t most = std::size_t{64} << 20;
  float *a, *b, *c;
  char *pinned, *pageable = static_cast<char*>(std::malloc(most));
  std::fill(pageable, pageable + most, 1);
  CHECK(cudaMalloc(&a, most));
  CHECK(cudaMalloc(&b, most));
  CHECK(cudaMalloc(&c, most));
  CHECK(cudaMallocHost(&pinned, most));
  std::fill(pinned, pinned + most, 1);
  CHECK(cudaMemset(a, 0, most));
  CHECK(cudaMemset(b, 0, most));
  streams s;
  for (cudaStream_t* one : {&s.main, &s.other, &s.third, &s.fourth})
    CHECK(cudaStreamCreateWithFlags(one, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&s.fork, cudaEventDisableTiming));
  for (cudaEvent_t& e : s.join) CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  const auto fork = [&](int count, const std::function<void(int, cudaStream_t)>& what) {
    const cudaStream_t others[] = {s.other, s.third, s.fourth};
    CHECK(cudaEventRecord(s.fork, s.main));
    for (int i = 1; i < count; ++i) CHECK(cudaStreamWaitEvent(others[i - 1], s.fork, 0));
    for (int i = 0; i < count; ++i) what(i, i == 0 ? s.main : others[i - 1]);
    for (int i = 1; i < count; ++i) {
      CHECK(cudaEventRecord(s.join[i - 1], others[i - 1]));
      CHECK(cudaStreamWaitEvent(s.main, s.join[i - 1], 0));
    }
  };

  std::printf("sequence,events_us,calls_us,host_us\n");
  measure("nothing", s.main, [] {});
  for (const int n : {1, 2, 5, 10, 20, 50, 200})
    measure("launch nothing x" + std::to_string(n), s.main, [&] {
      for (int i = 0; i < n; ++i) nothing<<<1, 32, 0, s.main>>>();
    });
  measure("launch nothing x50 on the default stream", nullptr, [&] {
    for (int i = 0; i < 50; ++i) nothing<<<1, 32>>>();
  });
  for (const int n : {1, 10, 50}) {
    const cudaGraphExec_t g = graph_of(s.main, [&] {
      for (int i = 0; i < n; ++i) nothing<<<1, 32, 0, s.main>>>();
    });
    measure("graph of nothing x" + std::to_string(n), s.main, [&] { CHECK(cudaGraphLaunch(g, s.main)); });
  }
  {
    const cudaGraphExec_t g = graph_of(s.main, [&] {
      fork(4, [&](int, cudaStream_t on) {
        for (int i = 0; i < 10; ++i) nothing<<<1, 32, 0, on>>>();
      });
    });
    measure("graph of nothing 4 branches x10", s.main, [&] { CHECK(cudaGraphLaunch(g, s.main)); });
  }
  for (const int rounds : {100, 1000, 10000, 100000})
    measure("chain " + std::to_string(rounds), s.main, [&] { chain<<<1, 32, 0, s.main>>>(a, rounds); });
  for (const int n : {2, 10})
    measure("chain 10000 x" + std::to_string(n), s.main, [&] {
      for (int i = 0; i < n; ++i) chain<<<1, 32, 0, s.main>>>(a, 10000);
    });
  for (const int n : {2, 4})
    measure("chain 10000 on " + std::to_string(n) + " streams", s.main,
            [&] { fork(n, [&](int, cudaStream_t on) { chain<<<1, 32, 0, on>>>(a, 10000); }); });
  measure("chain 10000 of 132 blocks on 2 streams", s.main,
          [&] { fork(2, [&](int, cudaStream_t on) { chain<<<132, 1024, 0, on>>>(a, 10000); }); });
  measure("chain 10000 of 132 blocks x2", s.main, [&] {
    for (int i = 0; i < 2; ++i) chain<<<132, 1024, 0, s.main>>>(a, 10000);
  });
  for (const int k : {10, 14, 18, 20, 22, 24}) {
    const int n = 1 << k;
    measure("add 2^" + std::to_string(k), s.main, [&] { add<<<(n + 255) / 256, 256, 0, s.main>>>(c, a, b, n); });
  }
  measure("add 2^20 x10", s.main, [&] {
    for (int i = 0; i < 10; ++i) add<<<4096, 256, 0, s.main>>>(c, a, b, 1 << 20);
  });
  measure("add 2^24 x4", s.main, [&] {
    for (int i = 0; i < 4; ++i) add<<<65536, 256, 0, s.main>>>(c, a, b, 1 << 24);
  });
  measure("scale 2^21 there and back x5", s.main, [&] {
    for (int i = 0; i < 5; ++i)
      scale<<<528, 256, 0, s.main>>>(c, a, 1 << 21), scale<<<528, 256, 0, s.main>>>(a, c, 1 << 21);
  });
  measure("add 2^22 on 2 streams", s.main,
          [&] { fork(2, [&](int i, cudaStream_t on) { add<<<16384, 256, 0, on>>>(c + (i << 22), a, b, 1 << 22); }); });
  {
    const cudaGraphExec_t g = graph_of(s.main, [&] {
      for (int i = 0; i < 10; ++i) add<<<64, 256, 0, s.main>>>(c, a, b, 1 << 14);
    });
    measure("graph of add 2^14 x10", s.main, [&] { CHECK(cudaGraphLaunch(g, s.main)); });
    measure("add 2^14 x10", s.main, [&] {
      for (int i = 0; i < 10; ++i) add<<<64, 256, 0, s.main>>>(c, a, b, 1 << 14);
    });
  }
  for (const std::size_t bytes :
       {std::size_t{4}, std::size_t{1} << 12, std::size_t{1} << 16, std::size_t{1} << 20, std::size_t{1} << 23, most}) {
    const std::string size = " " + std::to_string(bytes);
    measure("copy to device from pinned memory" + size, s.main,
            [&] { CHECK(cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, s.main)); });
    measure("copy to host into pinned memory" + size, s.main,
            [&] { CHECK(cudaMemcpyAsync(pinned, a, bytes, cudaMemcpyDeviceToHost, s.main)); });
    measure("copy to device from pageable memory" + size, s.main,
            [&] { CHECK(cudaMemcpyAsync(a, pageable, bytes, cudaMemcpyHostToDevice, s.main)); });
    measure("copy to host into pageable memory" + size, s.main,
            [&] { CHECK(cudaMemcpyAsync(pageable, a, bytes, cudaMemcpyDeviceToHost, s.main)); });
    measure("copy on device" + size, s.main,
            [&] { CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, s.main)); });
    measure("memset" + size, s.main, [&] { CHECK(cudaMemsetAsync(b, 0, bytes, s.main)); });
  }
  measure("copy to device from pinned memory 1048576 x4", s.main, [&] {
    for (int i = 0; i < 4; ++i) CHECK(cudaMemcpyAsync(a, pinned, 1 << 20, cudaMemcpyHostToDevice, s.main));
  });
  measure("copies of 8 MB in both directions on 2 streams", s.main, [&] {
    fork(2, [&](int i, cudaStream_t on) {
      CHECK(i == 0 ? cudaMemcpyAsync(a, pinned, 1 << 23, cudaMemcpyHostToDevice, on)
                   : cudaMemcpyAsync(pinned + (1 << 23), b, 1 << 23, cudaMemcpyDeviceToHost, on));
    });
  });
  measure("copies of 8 MB in one direction on 2 streams", s.main, [&] {
    fork(2, [&](int i, cudaStream_t on) {
      CHECK(cudaMemcpyAsync(i == 0 ? a : b, pinned + (i << 23), 1 << 23, cudaMemcpyHostToDevice, on));
    });
  });
  measure("copy of 8 MB with chain 100000", s.main, [&] {
    fork(2, [&](int i, cudaStream_t on) {
      if (i == 0)
        chain<<<1, 32, 0, on>>>(c, 100000);
      else
        CHECK(cudaMemcpyAsync(a, pinned, 1 << 23, cudaMemcpyHostToDevice, on));
    });
  });
  measure("4 parts of 4 MB copied and scaled and copied back on 4 streams", s.main, [&] {
    fork(4, [&](int i, cudaStream_t on) {
      CHECK(cudaMemcpyAsync(a + (i << 20), pinned + (i << 22), 1 << 22, cudaMemcpyHostToDevice, on));
      scale<<<528, 256, 0, on>>>(c + (i << 20), a + (i << 20), 1 << 20);
      CHECK(cudaMemcpyAsync(pinned + (i << 22), c + (i << 20), 1 << 22, cudaMemcpyDeviceToHost, on));
    });
  });
  measure("4 parts of 4 MB copied and scaled and copied back on 1 stream", s.main, [&] {
    for (int i = 0; i < 4; ++i) {
      CHECK(cudaMemcpyAsync(a + (i << 20), pinned + (i << 22), 1 << 22, cudaMemcpyHostToDevice, s.main));
      scale<<<528, 256, 0, s.main>>>(c + (i << 20), a + (i << 20), 1 << 20);
      CHECK(cudaMemcpyAsync(pinned + (i << 22), c + (i << 20), 1 << 22, cudaMemcpyDeviceToHost, s.main));
    }
  });
  measure("synchronize after each of 10 launches", s.main, [&] {
    for (int i = 0; i < 10; ++i) {
      nothing<<<1, 32, 0, s.main>>>();
      CHECK(cudaStreamSynchronize(s.main));
    }
  });
  measure("10 event records", s.main, [&] {
    for (int i = 0; i < 10; ++i) CHECK(cudaEventRecord(s.join[0], s.main));
  });
  measure("host function", s.main, [&] {
    CHECK(cudaLaunchHostFunc(
        s.main, [](void*) {}, nullptr));
  });
  measure("malloc and free in stream order", s.main, [&] {
    void* p = nullptr;
    CHECK(cudaMallocAsync(&p, 1 << 20, s.main));
    CHECK(cudaFreeAsync(p, s.main));
  });
  return 0;
}
