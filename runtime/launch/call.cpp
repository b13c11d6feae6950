// Checks a launch that a program requests: the kernel, grid, block, attributes and parameters.
#include <array>
#include <cstring>

#include "runtime/device/call_sites.hpp"
#include "runtime/device/driver_abi.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/limits.hpp"

namespace bankwise::cuda {

namespace {

error error_beyond(cubin::launch_limit beyond) {
  using limit = cubin::launch_limit;
  switch (beyond) {
    case limit::none: return cudaSuccess;
    case limit::grid:
    case limit::block:
    case limit::threads: return cudaErrorInvalidConfiguration;
    case limit::kernel_threads:
    case limit::dynamic_shared: return cudaErrorInvalidValue;
    case limit::shared:
    case limit::registers: return cudaErrorLaunchOutOfResources;
    case limit::no_clusters:
    case limit::kernel_cluster:
    case limit::cluster:
    case limit::cluster_grid: return cudaErrorInvalidClusterSize;
    case limit::cooperative: return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaErrorInvalidConfiguration;
}

std::array<std::uint32_t, 3> numbers_of(const dim3& d) { return {d.x, d.y, d.z}; }

}  // namespace

error find_kernel(state& s, const void* stub, function*& found) {
  found = find_function(s, stub);
  if (found == nullptr) return cudaErrorInvalidDeviceFunction;
  if (found->owner->status != cudaSuccess) return found->owner->status;
  return found->kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

error read_attributes(const launch_attribute* attributes, unsigned count, launch_shape& shape) {
  if (count != 0 && attributes == nullptr) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const launch_attribute& a = attributes[i];
    if (a.id == launch_cooperative) shape.cooperative = a.cooperative != 0;
    if (a.id == launch_early) shape.begins_early = a.early != 0;
    if (a.id != launch_cluster) continue;
    if (a.cluster.x == 0 && (a.cluster.y != 0 || a.cluster.z != 0)) return cudaErrorInvalidClusterSize;
    shape.cluster = a.cluster;
  }
  return cudaSuccess;
}

error read_extra(void** extra, byte_span& parameters) {
  const std::byte* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (; reinterpret_cast<std::uintptr_t>(*extra) != launch_end; extra += 2) {
    const auto name = reinterpret_cast<std::uintptr_t>(*extra);
    if (name == launch_buffer)
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (name == launch_buffer_size)
      bytes = static_cast<const std::size_t*>(extra[1]);
    else
      return cudaErrorInvalidValue;
  }
  if (buffer == nullptr || bytes == nullptr) return cudaErrorInvalidValue;
  parameters = {buffer, *bytes};
  return cudaSuccess;
}

error make_call(function& f, const launch_shape& shape, byte_span parameters, call& made) {
  made.how.cluster = shape.cluster.x != 0 ? numbers_of(shape.cluster) : f.cluster;
  if (const auto beyond = cubin::first_beyond({numbers_of(shape.grid), numbers_of(shape.block), made.how.cluster,
                                               shape.dynamic_shared_bytes, shape.cooperative},
                                              limits_of(f));
      beyond != cubin::launch_limit::none)
    return error_beyond(beyond);
  if (parameters.size() < cubin::parameter_bytes(*f.kernel)) return cudaErrorInvalidValue;
  parameters = parameters.first(cubin::parameter_bytes(*f.kernel));
  made.what = &f;
  made.begins_early = shape.begins_early;
  made.launched_at = call_sites();
  made.how.program = &*f.owner->program;
  made.how.kernel = f.kernel;
  made.how.grid = numbers_of(shape.grid);
  made.how.block = numbers_of(shape.block);
  made.how.dynamic_shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  made.how.cooperative = shape.cooperative;
  made.how.large_clusters = f.large_clusters;
  made.how.parameters.assign(parameters.begin(), parameters.end());
  return cudaSuccess;
}

error make_call(function& f, const launch_shape& shape, void** arguments, call& made) {
  std::vector<std::byte> bytes(cubin::parameter_bytes(*f.kernel));
  for (std::size_t i = 0; i < f.kernel->params.size(); ++i) {
    const cubin::parameter& p = f.kernel->params[i];
    if (arguments == nullptr || arguments[i] == nullptr) return cudaErrorInvalidValue;
    std::memcpy(bytes.data() + p.offset, arguments[i], p.bytes);
  }
  return make_call(f, shape, bytes, made);
}

}  // namespace bankwise::cuda
