// Programs that report whether their result is right, in different ways. The first argument selects the way.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

__global__ void nothing(int* out) {
  __shared__ int line[32];
  line[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = line[threadIdx.x];
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(way, name) == 0; };
  static char own[256];
  char* freed = nullptr;
  if (is("own_buffer")) std::setvbuf(stdout, own, _IOFBF, sizeof own);
  if (is("freed_buffer")) {
    // The buffer is in pages of its own, which are unmapped when it is freed.
    freed = static_cast<char*>(std::malloc(std::size_t{4} << 20));
    std::setvbuf(stdout, freed, _IOFBF, std::size_t{4} << 20);
  }
  if (is("no_buffer")) std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (is("no_sync")) std::ios::sync_with_stdio(false);
  int* out = nullptr;
  cudaMalloc(&out, 128);
  nothing<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("terminal: %d\n", isatty(1));
  if (is("failed")) std::printf("Test FAILED\n");
  if (is("no_newline")) std::printf("Test fail");
  if (is("cout") || is("no_sync")) std::cout << "3 elements are wrong" << std::endl;
  if (is("denied")) std::printf("7 passed, 0 failed\n");
  if (is("part")) std::printf("failures are rare\n");
  if (is("stderr")) std::fprintf(stderr, "FAILED\n");
  if (is("own_buffer") || is("freed_buffer") || is("no_buffer")) std::printf("FAILED\n");
  if (is("closed")) {
    std::printf("FAILED\n");
    std::fclose(stdout);
  }
  if (is("write")) {
    std::fflush(stdout);
    if (write(1, "FAILED\n", 7) != 7) return 3;
  }
  if (is("freed_buffer")) {
    std::fflush(stdout);
    std::free(freed);
  }
  if (is("status")) return 1;
  if (is("quick")) {
    std::printf("FAILED\n");
    std::fflush(stdout);
    std::quick_exit(0);
  }
  if (is("abort")) std::abort();
  return 0;
}
