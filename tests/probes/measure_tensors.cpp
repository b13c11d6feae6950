// Runs every case of tensor_cases.hpp on a GPU and records the resulting memory.
//
//     nvcc -O2 -std=c++17 -o measure_tensors measure_tensors.cpp -lcuda
//     measure_tensors FILE.cubin FILE.bin
//
// Writes a tensor_row for each case. A fault ends the process of the case, and a new process continues with the next
// case.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tensor_cases.hpp"

namespace {

using namespace probes;

void require(CUresult r, const char* what) {
  if (r == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(r));
  std::_Exit(3);
}

CUresult encode(const tensor_case& c, std::uint64_t address, CUtensorMap& map) {
  std::memset(&map, 0, sizeof map);
  const auto type = static_cast<CUtensorMapDataType>(c.type);
  void* const at = reinterpret_cast<void*>(address);
  const auto *size = reinterpret_cast<const cuuint64_t*>(c.size),
             *stride = reinterpret_cast<const cuuint64_t*>(c.stride);
  const auto interleave = static_cast<CUtensorMapInterleave>(c.interleave);
  const auto swizzle = static_cast<CUtensorMapSwizzle>(c.swizzle);
  const auto fill = static_cast<CUtensorMapFloatOOBfill>(c.fill);
  if (!is_im2col(c))
    return cuTensorMapEncodeTiled(&map, type, c.rank, at, size, stride, c.box, c.element_stride, interleave, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  return cuTensorMapEncodeIm2col(&map, type, c.rank, at, size, stride, c.lower, c.upper, c.channels, c.pixels,
                                 c.element_stride, interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
}

struct device {
  CUmodule module = nullptr;
  CUdeviceptr out = 0, buffer = 0;
};

device start(const std::string& cubin) {
  device d;
  CUdevice first = 0;
  CUcontext context = nullptr;
  require(cuInit(0), "cuInit");
  require(cuDeviceGet(&first, 0), "cuDeviceGet");
  require(cuDevicePrimaryCtxRetain(&context, first), "cuDevicePrimaryCtxRetain");
  require(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  require(cuModuleLoadData(&d.module, cubin.data()), "cuModuleLoadData");
  require(cuMemAlloc(&d.out, tensor_shared_bytes + 64), "cuMemAlloc");
  require(cuMemAlloc(&d.buffer, tensor_buffer_bytes), "cuMemAlloc");
  return d;
}

tensor_row measure(const device& d, unsigned group, unsigned number) {
  const tensor_case c = make_tensor_case(group, number);
  tensor_row row{};
  row.group = group;
  row.number = number;
  CUtensorMap map;
  row.encoded = encode(c, tensor_map_address, map);
  std::memcpy(row.map, &map, sizeof row.map);
  if (row.encoded != CUDA_SUCCESS) return row;
  require(encode(c, d.buffer + tensor_base, map), "encode");
  std::vector<std::uint32_t> content(tensor_buffer_bytes / 4);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::uint32_t>(i);
  require(cuMemcpyHtoD(d.buffer, content.data(), tensor_buffer_bytes), "cuMemcpyHtoD");
  require(cuMemsetD32(d.out, 0, tensor_shared_bytes / 4 + 1), "cuMemsetD32");
  CUfunction f = nullptr;
  require(cuModuleGetFunction(&f, d.module, (tensor_kernels[c.kind] + std::to_string(c.rank)).c_str()), "function");
  CUdeviceptr out = d.out;
  tensor_places places = places_of(c);
  void* arguments[] = {&out, &map, &places};
  row.launched = cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, tensor_shared_bytes, nullptr, arguments, nullptr);
  if (row.launched == CUDA_SUCCESS) row.launched = cuCtxSynchronize();
  if (row.launched != CUDA_SUCCESS) return row;
  std::vector<std::uint32_t> tile(tensor_shared_bytes / 4 + 1);
  require(cuMemcpyDtoH(tile.data(), d.out, tile.size() * 4), "cuMemcpyDtoH");
  row.done = tile.back();
  if (!is_store(c)) {
    row.hash = tensor_hash(tile.data(), tensor_shared_bytes);
    return row;
  }
  require(cuMemcpyDtoH(content.data(), d.buffer, tensor_buffer_bytes), "cuMemcpyDtoH");
  row.hash = tensor_hash(content.data(), tensor_buffer_bytes);
  return row;
}

// Runs cases from `first` to the end of the group, or to a case that faults. Returns the number of cases that ran.
unsigned measure_from(const std::string& cubin, unsigned group, unsigned first, std::FILE* out) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  if (::fork() == 0) {
    const device d = start(cubin);
    for (unsigned n = first; n < tensor_groups[group].count; ++n) {
      const tensor_row row = measure(d, group, n);
      if (::write(ends[1], &row, sizeof row) != sizeof row || row.launched != CUDA_SUCCESS) break;
    }
    std::_Exit(0);
  }
  ::close(ends[1]);
  unsigned measured = 0;
  std::FILE* const in = ::fdopen(ends[0], "rb");
  for (tensor_row row; std::fread(&row, sizeof row, 1, in) == 1; ++measured) std::fwrite(&row, sizeof row, 1, out);
  std::fclose(in);
  ::wait(nullptr);
  return measured;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: measure_tensors tensor_modes.cubin tensor_modes.bin\n"), 2;
  std::ifstream in(arguments[1], std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  std::FILE* const out = std::fopen(arguments[2], "wb");
  if (!in || out == nullptr) return std::fprintf(stderr, "cannot read the cubin, or write the table\n"), 2;
  for (unsigned g = 0; g < std::size(tensor_groups); ++g) {
    unsigned next = 0;
    while (next < tensor_groups[g].count) {
      const unsigned measured = measure_from(text.str(), g, next, out);
      if (measured == 0) return std::fprintf(stderr, "%s: case %u gave nothing\n", tensor_groups[g].name, next), 1;
      next += measured;
    }
    std::fprintf(stderr, "%s: %u\n", tensor_groups[g].name, next);
  }
  return std::fclose(out) == 0 ? 0 : 1;
}
