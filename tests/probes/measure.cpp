// Runs every probe kernel on a GPU and records its results.
//
//     measure probes.cubin probes.list outputs.bin [SEED]
//
// Each kernel runs twice on fresh buffers. If the outputs differ, the kernel is marked as unstable. The output file:
//     "BWPROBE1", the seed, and the number of kernels
//     for each kernel: status, grid x y z, block x y z, number of words, bytes of the name, the name padded to 4 bytes,
//     and the words if the status is 0 or 1
// All numbers have 32 bits, little endian. The status is 0 (measured), 1 (unstable), or 0x10000 + the CUDA error.
// Kernels whose names end with _mapN get tensor map N of inputs.hpp as their fourth parameter. Each map also has a row,
// map_N, with its 32 words as the driver encodes them for address 0x100000.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// A GPU with the loaded module. After an error that destroys the context, the process cannot continue.
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
    if (const CUresult r = cuMemcpyHtoD(in_, inputs_.data(), inputs_.size()); r != CUDA_SUCCESS) return r;
    if (const CUresult r = cuMemsetD32(out_, probes::untouched, probes::output_words); r != CUDA_SUCCESS) return r;
    if (const CUresult r = cuCtxSynchronize(); r != CUDA_SUCCESS) return r;
    probes::by_value values = probes::make_by_value();
    CUtensorMap map = {};
    const int number = probes::map_of(p.name.c_str());
    if (number >= 0) {
      const probes::tensor_map& t = probes::tensor_maps[number];
      if (const CUresult r = encode(t, t.out != 0 ? out_ : in_, map); r != CUDA_SUCCESS) return r;
    }
    void* arguments[] = {&in_, &out_, &values, &map};
    if (const CUresult r = cuLaunchKernel(function, p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1], p.block[2],
                                          0, stream_, arguments, nullptr);
        r != CUDA_SUCCESS)
      return r;
    const auto begin = std::chrono::steady_clock::now();
    CUresult r;
    while ((r = cuStreamQuery(stream_)) == CUDA_ERROR_NOT_READY) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(seconds_for_a_kernel))
        return CUDA_ERROR_LAUNCH_TIMEOUT;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (r != CUDA_SUCCESS) return r;
    out.resize(p.words);
    r = cuMemcpyDtoH(out.data(), out_, p.words * 4);
    return r;
  }

  static CUresult encode(const probes::tensor_map& t, CUdeviceptr at, CUtensorMap& map) {
    return cuTensorMapEncodeTiled(&map, static_cast<CUtensorMapDataType>(t.type), t.dimensions,
                                  reinterpret_cast<void*>(at), t.size, t.stride, t.box, t.element_stride,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(t.swizzle),
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, static_cast<CUtensorMapFloatOOBfill>(t.fill));
  }

 private:
  void open() {
    require(cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain");
    require(cuCtxSetCurrent(context_), "cuCtxSetCurrent");
    require(cuModuleLoadData(&module_, cubin_.data()), "cuModuleLoadData");
    require(cuMemAlloc(&in_, inputs_.size()), "cuMemAlloc");
    require(cuMemAlloc(&out_, probes::output_words * 4), "cuMemAlloc");
    require(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  const std::string& cubin_;
  const std::vector<unsigned char>& inputs_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUstream stream_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0;
};

void send(int to, const void* bytes, std::size_t count) {
  for (const char* at = static_cast<const char*>(bytes); count != 0;) {
    const ssize_t n = ::write(to, at, count);
    if (n <= 0) std::_Exit(1);
    at += n;
    count -= static_cast<std::size_t>(n);
  }
}
bool receive(int from, void* bytes, std::size_t count) {
  for (char* at = static_cast<char*>(bytes); count != 0;) {
    const ssize_t n = ::read(from, at, count);
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

// Measures in a separate process, starting with kernel `first`. Ends at a kernel that destroys the context. Returns the
// kernel with which the next process continues.
std::size_t measure_from(const std::string& cubin, const std::vector<unsigned char>& inputs, std::vector<probe>& list,
                         std::size_t first) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  const pid_t child = ::fork();
  if (child == 0) {
    device gpu(cubin, inputs);
    for (std::size_t n = first; n < list.size(); ++n) {
      probe& p = list[n];
      std::vector<std::uint32_t> again;
      CUresult r = gpu.run(p, p.out);
      if (r == CUDA_SUCCESS) r = gpu.run(p, again);
      p.status = r != CUDA_SUCCESS ? failed + static_cast<unsigned>(r) : p.out != again ? unstable : 0;
      p.out.resize(p.words);
      send(ends[1], &p.status, sizeof p.status);
      send(ends[1], p.out.data(), p.words * 4);
      if (r != CUDA_SUCCESS) break;
    }
    std::fflush(nullptr);
    std::_Exit(0);
  }
  ::close(ends[1]);
  std::size_t n = first;
  for (; n < list.size(); ++n) {
    list[n].out.resize(list[n].words);
    if (!receive(ends[0], &list[n].status, 4) || !receive(ends[0], list[n].out.data(), list[n].words * 4)) break;
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (n == first) std::exit((std::fprintf(stderr, "no kernel can be measured\n"), 1));
  return n;
}

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
  for (std::size_t done = 0; done < list.size();) done = measure_from(cubin, inputs, list, done);
  for (const probe& p : list)
    if (p.status != 0)
      std::fprintf(stderr, "%s: %s\n", p.name.c_str(),
                   p.status == unstable ? "unstable" : error_name(static_cast<CUresult>(p.status - failed)).c_str());
  bool has_maps = false;
  for (const probe& p : list) has_maps |= probes::map_of(p.name.c_str()) >= 0;
  if (has_maps) device gpu(cubin, inputs);  // a context is needed to encode tensor maps
  for (unsigned n = 0; has_maps && n < probes::tensor_map_count; ++n) {
    probe row{"map_" + std::to_string(n), {1, 1, 1}, {1, 1, 1}, 32, failed, std::vector<std::uint32_t>(32)};
    CUtensorMap map = {};
    const CUresult r = device::encode(probes::tensor_maps[n], 0x100000, map);
    row.status = r == CUDA_SUCCESS ? 0 : failed + static_cast<unsigned>(r);
    std::memcpy(row.out.data(), &map, sizeof map);
    list.push_back(row);
  }
  write_outputs(argv[3], list, seed);
  unsigned good = 0, differ = 0;
  for (const probe& p : list) good += p.status == 0, differ += p.status == unstable;
  const auto bad = static_cast<unsigned>(list.size()) - good - differ;
  std::fprintf(stderr, "%u measured, %u unstable, %u failed, of %zu\n", good, differ, bad, list.size());
  return bad + differ != 0 ? 1 : 0;
}
