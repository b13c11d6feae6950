// The runtime's functions for launches, attributes of functions, and occupancy.
#include <utility>
#include <vector>

#include "runtime/clock/host_time.hpp"
#include "runtime/cudart/define_entries.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/per_thread.hpp"
#include "runtime/launch/limits.hpp"
#include "runtime/stream/operation.hpp"

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

// Whether this thread has just taken the configuration of a launch with <<<...>>>.
bool& is_arrow_launch() {
  static auto* const all = new per_thread<bool>;
  return all->get();
}

unsigned push_configuration(const call_configuration& c) {
  const host_time::call part_of_launch;
  configurations().push_back(c);
  return 0;
}
error pop_configuration(dim3* grid, dim3* block, std::size_t* shared, stream** on) {
  const host_time::call part_of_launch;
  std::vector<call_configuration>& all = configurations();
  if (all.empty()) return last_error = cudaErrorMissingConfiguration;
  const call_configuration c = all.back();
  all.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *on = c.on;
  is_arrow_launch() = true;
  return cudaSuccess;
}

error tell_kernel(const state& s, function** kernel, const void* stub) {
  const auto it = s.functions.find(stub);
  if (kernel == nullptr || it == s.functions.end()) return cudaErrorInvalidDeviceFunction;
  *kernel = it->second;
  return cudaSuccess;
}

error launch(state& s, const void* stub, const launch_shape& shape, void** arguments, stream* on) {
  const bool by_arrows = std::exchange(is_arrow_launch(), false);
  function* f = nullptr;
  call c;
  error e = find_kernel(s, stub, f);
  if (e == cudaSuccess) e = make_call(*f, shape, arguments, c);
  c.handle = stub;
  if (e == cudaSuccess) e = enqueue(s, on, std::move(c));
  return refuse(s, f, shape, e, by_arrows);
}
error read_shape(const launch_config& config, launch_shape& shape) {
  shape = {config.grid, config.block, config.dynamic_shared_bytes};
  return read_attributes(config.attributes, config.attribute_count, shape);
}
error launch(state& s, const void* stub, const launch_config* config, void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  launch_shape shape;
  const error e = read_shape(*config, shape);
  return e == cudaSuccess ? launch(s, stub, shape, arguments, config->stream)
                          : refuse(s, find_function(s, stub), shape, e, false);
}

error tell_attributes(const function& f, function_attributes* to) {
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
}
error set_attribute(function& f, function_attribute which, int value) {
  if (which == max_dynamic_shared) return set_max_dynamic_shared(f, value);
  return which == carveout ? set_carveout(f, value) : set_cluster_attribute(f, which, value);
}
error tell_occupancy(const function& f, int* blocks, int threads, std::size_t shared) {
  return threads <= 0 ? cudaErrorInvalidValue : put(blocks, blocks_that_fit(f, threads, shared));
}
// Sets `to` to the result of `answer`, which computes a number about the clusters of a launch. Nothing is launched.
template <class Answer>
error tell_clusters(const function& f, int* to, const launch_config* config, Answer answer) {
  if (to == nullptr || config == nullptr) return cudaErrorInvalidValue;
  launch_shape shape;
  const error e = read_shape(*config, shape);
  return e == cudaSuccess ? put(to, static_cast<int>(answer(f, shape))) : e;
}

// Loads the kernel of a stub, then calls `body` with this kernel.
template <class Body>
error with_kernel(state& s, const void* stub, Body body) {
  function* f = nullptr;
  const error e = find_kernel(s, stub, f);
  return e == cudaSuccess ? body(*f) : e;
}

}  // namespace

// Evaluates the expression `status`, in which `f` is the kernel of the parameter `stub`.
#define OF_KERNEL(status) with_kernel(s, stub, [&]([[maybe_unused]] function& f) -> error { return status; })

#include "runtime/cudart/entries/launches.def"
