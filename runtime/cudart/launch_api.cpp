// Entry points: launches, the attributes of functions, occupancy.
#include <vector>

#include "runtime/cudart/runtime_call.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/limits.hpp"
#include "runtime/device/per_thread.hpp"

using namespace bankwise::cuda;

namespace {

struct call_configuration {
  dim3 grid, block;
  std::size_t shared;
  stream* on;
};
std::vector<call_configuration>& configurations() {
  static auto* const all = new per_thread<std::vector<call_configuration>>;
  return all->get();
}

error launch(const void* stub, const launch_shape& shape, void** arguments, stream* on,
             const char* entry = __builtin_FUNCTION()) {
  return guarded(
      [&](state& s) {
        function* f = nullptr;
        call c;
        if (const error e = find_kernel(s, stub, f); e != cudaSuccess) return e;
        if (const error e = make_call(*f, shape, arguments, c); e != cudaSuccess) return e;
        c.handle = stub;
        return enqueue(s, on, std::move(c));
      },
      entry);
}

// The loaded kernel of a stub, for `body`.
template <class Body>
error with_kernel(const void* stub, Body body, const char* entry = __builtin_FUNCTION()) {
  return guarded(
      [&](state& s) {
        function* f = nullptr;
        const error e = find_kernel(s, stub, f);
        return e == cudaSuccess ? body(*f) : e;
      },
      entry);
}

}  // namespace

CUDA_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, stream* on) {
  configurations().push_back({grid, block, shared, on});
  return 0;
}

CUDA_API error __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* on) {
  std::vector<call_configuration>& all = configurations();
  if (all.empty()) return last_error = cudaErrorMissingConfiguration;
  const call_configuration c = all.back();
  all.pop_back();
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
    *kernel = it->second;
    return cudaSuccess;
  });
}
CUDA_API error __cudaGetKernel(function** kernel, const void* stub) { return cudaGetKernel(kernel, stub); }
CUDA_API error cudaGetFuncBySymbol(function** kernel, const void* stub) { return cudaGetKernel(kernel, stub); }

CUDA_API error cudaLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                stream* on) {
  return launch(stub, {grid, block, shared, false}, arguments, on);
}
CUDA_API error __cudaLaunchKernel(function* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                                  stream* on) {
  return launch(kernel, {grid, block, shared, false}, arguments, on);
}
CUDA_API error cudaLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                                           std::size_t shared, stream* on) {
  return launch(stub, {grid, block, shared, true}, arguments, on);
}
CUDA_API error cudaLaunchKernelExC(const launch_config* config, const void* stub, void** arguments) {
  if (config == nullptr) return last_error = cudaErrorInvalidValue;
  launch_shape shape{config->grid, config->block, config->dynamic_shared_bytes, false};
  if (const error e = read_attributes(config->attributes, config->attribute_count, shape); e != cudaSuccess)
    return last_error = e;
  return launch(stub, shape, arguments, config->stream);
}

CUDA_API error cudaFuncGetAttributes(function_attributes* to, const void* stub) {
  return with_kernel(stub, [&](const function& f) {
    if (to == nullptr) return cudaErrorInvalidValue;
    *to = {};
    to->static_shared_bytes = f.kernel->static_shared_bytes;
    to->constant_bytes = constant_bytes(*f.owner);
    to->local_bytes = f.kernel->frame_bytes;
    to->max_threads = static_cast<int>(most_threads(f));
    to->registers = static_cast<int>(f.kernel->registers);
    to->ptx_version = to->binary_version = static_cast<int>(the_device().sm);
    to->max_dynamic_shared_bytes = static_cast<int>(f.max_dynamic_shared_bytes);
    to->carveout = f.carveout;
    cluster_attribute(f, needs_cluster_attribute, to->needs_cluster);
    cluster_attribute(f, cluster_width_attribute, to->cluster_width);
    cluster_attribute(f, cluster_height_attribute, to->cluster_height);
    cluster_attribute(f, cluster_depth_attribute, to->cluster_depth);
    cluster_attribute(f, large_clusters_attribute, to->large_clusters);
    return cudaSuccess;
  });
}
CUDA_API error cudaFuncSetAttribute(const void* stub, function_attribute which, int value) {
  return with_kernel(stub, [&](function& f) {
    if (which == max_dynamic_shared) return set_max_dynamic_shared(f, value);
    return which == carveout ? set_carveout(f, value) : set_cluster_attribute(f, which, value);
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
    return bytes == nullptr ? cudaErrorInvalidValue : shared_that_fits(f, blocks, threads, *bytes);
  });
}

namespace {

// What a launch would be, for a question about clusters.
template <class Answer>
error ask_clusters(int* to, const void* stub, const launch_config* config, Answer answer) {
  return with_kernel(stub, [&](const function& f) {
    if (to == nullptr || config == nullptr) return cudaErrorInvalidValue;
    launch_shape shape{config->grid, config->block, config->dynamic_shared_bytes};
    if (const error e = read_attributes(config->attributes, config->attribute_count, shape); e != cudaSuccess) return e;
    *to = answer(f, shape);
    return cudaSuccess;
  });
}

}  // namespace

CUDA_API error cudaOccupancyMaxActiveClusters(int* clusters, const void* stub, const launch_config* config) {
  return ask_clusters(clusters, stub, config, clusters_that_fit);
}
CUDA_API error cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* stub, const launch_config* config) {
  return ask_clusters(blocks, stub, config, largest_cluster);
}
