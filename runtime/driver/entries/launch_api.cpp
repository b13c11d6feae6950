// Entry points of the driver: launches.
#include "runtime/driver/call.hpp"
#include "runtime/driver/launch_config.hpp"
#include "runtime/stream/operation.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

driver_status launch(const function* handle, const launch_shape& shape, stream* on, void** arguments, void** extra,
                     const char* entry = __builtin_FUNCTION()) {
  return stream_call(
      on,
      [&](state& s) {
        function* f = nullptr;
        if (const error e = find_kernel(s, handle, f); e != cudaSuccess) return e;
        if (arguments != nullptr && extra != nullptr) return cudaErrorInvalidValue;
        call c;
        byte_span parameters;
        error e = extra != nullptr ? read_extra(extra, parameters) : cudaSuccess;
        if (e == cudaSuccess)
          e = extra != nullptr ? make_call(*f, shape, parameters, c) : make_call(*f, shape, arguments, c);
        return e == cudaSuccess ? enqueue(s, on, std::move(c)) : e;
      },
      entry);
}

}  // namespace

CUDA_API driver_status cuLaunchKernel(function* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, stream* on,
                                      void** arguments, void** extra) {
  return launch(handle, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, false}, on, arguments, extra);
}
CUDA_API driver_status cuLaunchCooperativeKernel(function* handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                                 stream* on, void** arguments) {
  return launch(handle, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, true}, on, arguments, nullptr);
}
CUDA_API driver_status cuLaunchKernelEx(const driver_launch_config* config, function* handle, void** arguments,
                                        void** extra) {
  launch_shape shape;
  if (const error e = read_config(config, shape); e != cudaSuccess) return status_of(e);
  return launch(handle, shape, config->on, arguments, extra);
}
CUDA_API driver_status cuLaunchHostFunc(stream* on, host_function called, void* data) {
  return stream_call(on, [&](state& s) {
    return called != nullptr ? enqueue(s, on, host_call{called, nullptr, on, data}) : cudaErrorInvalidValue;
  });
}
