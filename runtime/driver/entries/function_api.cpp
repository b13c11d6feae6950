// The driver's functions for kernels: their attributes, names and parameters, and the numbers of resident blocks and
// clusters.
#include "runtime/device/device.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/handles.hpp"
#include "runtime/driver/launch_config.hpp"
#include "runtime/launch/limits.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error tell_attribute(int* value, driver_function_attribute which, const function& f) {
  switch (which) {
    case most_threads_attribute: return put(value, static_cast<int>(most_threads(f)));
    case static_shared_attribute: return put(value, static_cast<int>(f.kernel->static_shared_bytes));
    case constant_attribute: return put(value, static_cast<int>(constant_bytes(*f.owner)));
    case local_attribute: return put(value, static_cast<int>(f.kernel->frame_bytes));
    case registers_attribute: return put(value, static_cast<int>(f.kernel->registers));
    case ptx_version_attribute:
    case binary_version_attribute: return put(value, static_cast<int>(the_device().sm));
    case max_dynamic_shared_attribute: return put(value, static_cast<int>(f.max_dynamic_shared_bytes));
    case carveout_attribute: return put(value, f.carveout);
    default: {
      int answer = 0;
      cluster_attribute(f, which, answer);
      return which < driver_function_attributes && which >= 0 ? put(value, answer) : cudaErrorInvalidValue;
    }
  }
}
error change_attribute(function& f, driver_function_attribute which, int value) {
  if (which == max_dynamic_shared_attribute) return set_max_dynamic_shared(f, value);
  if (which == carveout_attribute) return set_carveout(f, value);
  return which < driver_function_attributes && which > carveout_attribute ? set_cluster_attribute(f, which, value)
                                                                          : cudaErrorInvalidValue;
}
error tell_parameter(const function& f, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  if (offset == nullptr || index >= f.kernel->params.size()) return cudaErrorInvalidValue;
  *offset = f.kernel->params[index].offset;
  if (bytes != nullptr) *bytes = f.kernel->params[index].bytes;
  return cudaSuccess;
}

// Sets `to` to the result of `answer`, which computes a number about the clusters of a launch. Nothing is launched.
template <class Answer>
error tell_clusters(int* to, const function& f, const driver_launch_config* config, Answer answer) {
  launch_shape shape;
  const error e = read_config(config, shape);
  return e != cudaSuccess ? e : put(to, answer(f, shape));
}
error tell_best_block(int* grid, int* block, const function& f, shared_of_block shared_of, std::size_t shared,
                      int most_threads_of_block) {
  if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
  const auto [threads, blocks] =
      best_block(f, most_threads_of_block, [&](int n) { return shared_of != nullptr ? shared_of(n) : shared; });
  *block = threads;
  *grid = blocks * static_cast<int>(the_device().gpu.multiprocessors);
  return cudaSuccess;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/function_api.def"
#include "runtime/driver/entries/entry_functions.def"
