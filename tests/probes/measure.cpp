// Runs every probe kernel on a GPU and writes down what it computed.
//
//     measure probes.cubin probes.list outputs.bin [SEED]
//
// Each kernel runs twice on fresh buffers; one whose outputs differ is marked unstable. The output file:
//     "BWPROBE1", seed, number of kernels; then for each: status, grid x y z, block x y z, words, bytes of the name,
//     the name padded to 4 bytes, the words if the status is 0 or 1. All numbers are 32 bits, little endian.
// Status: 0 measured, 1 unstable, else 0x10000 + the CUDA error.
#include <cuda.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "inputs.hpp"

namespace {

constexpr unsigned unstable = 1, failed = 0x10000;
constexpr int seconds_for_a_kernel = 10;

struct probe {
  std::string name;
  unsigned grid[3], block[3], words;
  unsigned status = failed;
  std::vector<std::uint32_t> out;
};

std::string error_name(CUresult r) {
  const char* name = nullptr;
  cuGetErrorName(r, &name);
  return name != nullptr ? name : "error " + std::to_string(static_cast<int>(r));
}

void require(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, error_name(r).c_str());
  std::exit(1);
}

std::string read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(1);
  }
  return text.str();
}

std::vector<probe> read_list(const char* path) {
  std::istringstream in(read_file(path));
  std::vector<probe> list;
  for (probe p;
       in >> p.name >> p.grid[0] >> p.grid[1] >> p.grid[2] >> p.block[0] >> p.block[1] >> p.block[2] >> p.words;) {
    if (p.words > probes::output_words) std::exit((std::fprintf(stderr, "%s: too many words\n", p.name.c_str()), 1));
    list.push_back(p);
  }
  return list;
}

// The GPU with the module loaded. After an error that spoils the context, all of it is made anew.
class device {
 public:
  device(const std::string& cubin, const std::vector<unsigned char>& inputs) : cubin_(cubin), inputs_(inputs) {
    require(cuInit(0), "cuInit");
    require(cuDeviceGet(&device_, 0), "cuDeviceGet");
    char name[256] = {};
    cuDeviceGetName(name, sizeof name, device_);
    std::fprintf(stderr, "%s\n", name);
    open();
  }

  CUresult run(const probe& p, std::vector<std::uint32_t>& out) {
    CUfunction function;
    if (const CUresult r = cuModuleGetFunction(&function, module_, p.name.c_str()); r != CUDA_SUCCESS) return r;
    if (const CUresult r = cuMemcpyHtoD(in_, inputs_.data(), inputs_.size()); r != CUDA_SUCCESS) return reopen(r);
    if (const CUresult r = cuMemsetD32(out_, probes::untouched, probes::output_words); r != CUDA_SUCCESS)
      return reopen(r);
    if (const CUresult r = cuCtxSynchronize(); r != CUDA_SUCCESS) return reopen(r);
    probes::by_value values = probes::make_by_value();
    void* arguments[] = {&in_, &out_, &values};
    if (const CUresult r = cuLaunchKernel(function, p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1], p.block[2],
                                          0, stream_, arguments, nullptr);
        r != CUDA_SUCCESS)
      return reopen(r);
    const auto begin = std::chrono::steady_clock::now();
    CUresult r;
    while ((r = cuStreamQuery(stream_)) == CUDA_ERROR_NOT_READY) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds_for_a_kernel)) {
        stuck = true;
        return CUDA_ERROR_LAUNCH_TIMEOUT;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (r != CUDA_SUCCESS) return reopen(r);
    out.resize(p.words);
    r = cuMemcpyDtoH(out.data(), out_, p.words * 4);
    return r == CUDA_SUCCESS ? r : reopen(r);
  }

  bool stuck = false;  // a kernel does not end: nothing more can run

 private:
  void open() {
    require(cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
    require(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    require(cuModuleLoadData(&module_, cubin_.data()), "cuModuleLoadData");
    require(cuMemAlloc(&in_, inputs_.size()), "cuMemAlloc");
    require(cuMemAlloc(&out_, probes::output_words * 4), "cuMemAlloc");
    require(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  CUresult reopen(CUresult error) {
    if (cuCtxSynchronize() == CUDA_SUCCESS) return error;
    cuDevicePrimaryCtxReset(device_);
    cuDevicePrimaryCtxRelease(device_);
    open();
    return error;
  }

  const std::string& cubin_;
  const std::vector<unsigned char>& inputs_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0;
};

void write_outputs(const char* path, const std::vector<probe>& list, unsigned seed) {
  std::ofstream out(path, std::ios::binary);
  const auto word = [&](std::uint32_t w) { out.write(reinterpret_cast<const char*>(&w), 4); };
  out.write("BWPROBE1", 8);
  word(seed);
  word(static_cast<std::uint32_t>(list.size()));
  for (const probe& p : list) {
    word(p.status);
    for (const unsigned n : p.grid) word(n);
    for (const unsigned n : p.block) word(n);
    word(p.words);
    word(static_cast<std::uint32_t>(p.name.size()));
    const std::string padded = p.name + std::string((4 - p.name.size() % 4) % 4, '\0');
    out.write(padded.data(), static_cast<std::streamsize>(padded.size()));
    if (p.status <= unstable)
      for (const std::uint32_t w : p.out) word(w);
  }
  out.flush();
  if (!out) std::exit((std::fprintf(stderr, "cannot write %s\n", path), 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: measure probes.cubin probes.list outputs.bin [SEED]\n");
    return 2;
  }
  const unsigned seed = argc > 4 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 1;
  const std::string cubin = read_file(argv[1]);
  std::vector<probe> list = read_list(argv[2]);
  const std::vector<unsigned char> inputs = probes::make_inputs(seed);
  device gpu(cubin, inputs);

  unsigned good = 0, bad = 0, differ = 0;
  for (probe& p : list) {
    std::vector<std::uint32_t> again;
    CUresult r = gpu.run(p, p.out);
    if (r == CUDA_SUCCESS) r = gpu.run(p, again);
    if (r != CUDA_SUCCESS) {
      p.status = failed + static_cast<unsigned>(r);
      std::fprintf(stderr, "%s: %s\n", p.name.c_str(), error_name(r).c_str());
      ++bad;
    } else if (p.out != again) {
      p.status = unstable;
      std::fprintf(stderr, "%s: unstable\n", p.name.c_str());
      ++differ;
    } else {
      p.status = 0;
      ++good;
    }
    if (gpu.stuck) break;
  }
  write_outputs(argv[3], list, seed);
  std::fprintf(stderr, "%u measured, %u unstable, %u failed, of %zu\n", good, differ, bad, list.size());
  std::fflush(nullptr);
  std::_Exit(bad + differ != 0 ? 1 : 0);
}
