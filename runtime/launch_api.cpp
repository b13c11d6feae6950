// Entry points: launches, the attributes of functions, occupancy.
#include <algorithm>
#include <vector>

#include "device.hpp"
#include "operation.hpp"

using namespace bankwise::cuda;
using bankwise::cubin::blocks_per_multiprocessor;

namespace {

struct call_configuration {
  dim3 grid, block;
  std::size_t shared;
  stream* on;
};
thread_local std::vector<call_configuration> configurations;

error launch(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared, stream* on,
             bool cooperative) {
  call c;
  const error made =
      guarded([&](state& s) { return make_call(s, stub, grid, block, shared, arguments, cooperative, c); });
  return made == cudaSuccess ? enqueue(on, std::move(c)) : made;
}

// The loaded kernel of a stub, for `body`.
template <class Body>
error with_kernel(const void* stub, Body body) {
  return guarded([&](state& s) {
    function* f = find_function(s, stub);
    if (f == nullptr) return cudaErrorInvalidDeviceFunction;
    if (f->owner->status != cudaSuccess) return f->owner->status;
    if (f->kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    return body(*f);
  });
}

std::uint32_t most_threads(const function& f) {
  std::uint32_t threads = std::min(f.kernel->max_threads, bankwise::cubin::most_threads_a_block);
  while (threads > 32 &&
         blocks_per_multiprocessor(device_multiprocessor(), {threads, f.kernel->registers, 0}).blocks == 0)
    threads -= 32;
  return threads;
}

int blocks_that_fit(const function& f, int threads, std::size_t dynamic_shared) {
  const std::size_t shared = f.kernel->static_shared_bytes + dynamic_shared;
  if (threads <= 0 || static_cast<std::uint32_t>(threads) > f.kernel->max_threads ||
      shared > device_multiprocessor().shared_a_block_optin)
    return 0;
  return static_cast<int>(
      blocks_per_multiprocessor(device_multiprocessor(), {static_cast<std::uint32_t>(threads), f.kernel->registers,
                                                          static_cast<std::uint32_t>(shared)})
          .blocks);
}

}  // namespace

CUDA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, stream* on) {
  configurations.push_back({grid, block, shared, on});
  return 0;
}

CUDA_API error __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* on) {
  if (configurations.empty()) return last_error = cudaErrorMissingConfiguration;
  const call_configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<stream**>(on) = c.on;
  return cudaSuccess;
}

CUDA_API error cudaGetKernel(function** kernel, const void* stub) {
  return guarded([&](state& s) {
    const auto it = s.functions.find(stub);
    if (kernel == nullptr || it == s.functions.end()) return cudaErrorInvalidDeviceFunction;
    *kernel = it->second.get();
    return cudaSuccess;
  });
}
CUDA_API error __cudaGetKernel(function** kernel, const void* stub) { return cudaGetKernel(kernel, stub); }
CUDA_API error cudaGetFuncBySymbol(function** kernel, const void* stub) { return cudaGetKernel(kernel, stub); }

CUDA_API error cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                stream* on) {
  return launch(stub, grid, block, arguments, shared, on, false);
}
CUDA_API error __cudaLaunchKernel(function* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                  stream* on) {
  return launch(kernel, grid, block, arguments, shared, on, false);
}
CUDA_API error cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                           std::size_t shared, stream* on) {
  return launch(stub, grid, block, arguments, shared, on, true);
}
CUDA_API error cudaLaunchKernelExC(const launch_config* config, const void* stub, void** arguments) {
  if (config == nullptr || (config->attribute_count != 0 && config->attributes == nullptr))
    return last_error = cudaErrorInvalidValue;
  bool cooperative = false;
  for (unsigned i = 0; i < config->attribute_count; ++i) {
    const launch_attribute& a = config->attributes[i];
    if (a.id == launch_cooperative) cooperative = a.cooperative != 0;
    if (a.id == launch_cluster && a.cluster.x * a.cluster.y * a.cluster.z > 1) {
      say("a launch in clusters is not executed yet");
      return last_error = cudaErrorNotSupported;
    }
  }
  return launch(stub, config->grid, config->block, arguments, config->dynamic_shared_bytes, config->stream,
                cooperative);
}

CUDA_API error cudaFuncGetAttributes(function_attributes* to, const void* stub) {
  return with_kernel(stub, [&](const function& f) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    to->static_shared_bytes = f.kernel->static_shared_bytes;
    for (const auto& [bank, bytes] : f.owner->program->banks)
      if (bank == 3) to->constant_bytes = bytes.size();
    to->local_bytes = f.kernel->frame_bytes;
    to->max_threads = static_cast<int>(most_threads(f));
    to->registers = static_cast<int>(f.kernel->registers);
    to->ptx_version = to->binary_version = static_cast<int>(device_sm);
    to->max_dynamic_shared_bytes = static_cast<int>(f.max_dynamic_shared_bytes);
    to->carveout = f.carveout;
    return cudaSuccess;
  });
}
CUDA_API error cudaFuncSetAttribute(const void* stub, function_attribute which, int value) {
  return with_kernel(stub, [&](function& f) {
    if (which == max_dynamic_shared) {
      const std::uint32_t most = device_multiprocessor().shared_a_block_optin;
      if (value < 0 || f.kernel->static_shared_bytes > most ||
          static_cast<std::uint32_t>(value) > most - f.kernel->static_shared_bytes)
        return cudaErrorInvalidValue;
      f.max_dynamic_shared_bytes = static_cast<std::uint32_t>(value);
    } else if (which == carveout) {
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      f.carveout = value;
    }
    return cudaSuccess;
  });
}
CUDA_API error cudaFuncSetCacheConfig(const void* stub, int) {
  return with_kernel(stub, [](const function&) { return cudaSuccess; });
}
CUDA_API error cudaFuncSetSharedMemConfig(const void* stub, int) { return cudaFuncSetCacheConfig(stub, 0); }
CUDA_API error cudaFuncGetName(const char** name, const void* stub) {
  return with_kernel(stub, [&](const function& f) {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = f.name.c_str();
    return cudaSuccess;
  });
}
CUDA_API error cudaFuncGetParamInfo(const void* stub, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_kernel(stub, [&](const function& f) {
    if (offset == nullptr || index >= f.kernel->params.size()) return cudaErrorInvalidValue;
    *offset = f.kernel->params[index].offset;
    if (bytes != nullptr) *bytes = f.kernel->params[index].bytes;
    return cudaSuccess;
  });
}

CUDA_API error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* stub, int threads,
                                                                      std::size_t shared, unsigned) {
  return with_kernel(stub, [&](const function& f) {
    if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
    *blocks = blocks_that_fit(f, threads, shared);
    return cudaSuccess;
  });
}
CUDA_API error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub, int threads,
                                                             std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, shared, 0);
}
CUDA_API error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* stub, int blocks,
                                                         int threads) {
  return with_kernel(stub, [&](const function& f) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    const bankwise::cubin::multiprocessor& m = device_multiprocessor();
    if (blocks_that_fit(f, threads, 0) < blocks) return cudaErrorInvalidValue;
    std::size_t most = m.shared_a_block_optin - f.kernel->static_shared_bytes;
    while (blocks_that_fit(f, threads, most) < blocks)
      most -= most % m.shared_unit != 0 ? most % m.shared_unit : m.shared_unit;
    *bytes = most;
    return cudaSuccess;
  });
}
