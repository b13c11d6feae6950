// Entry points of the driver: functions, which it also calls kernels: attributes, names, parameters.
#include "runtime/device/device.hpp"
#include "runtime/device/limits.hpp"
#include "runtime/driver/handles.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

driver_status tell_attribute(int* value, driver_function_attribute which, const function* handle) {
  return with_function(handle, [&](state&, const function& f) {
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
  });
}

driver_status change_attribute(const function* handle, driver_function_attribute which, int value) {
  return with_function(handle, [&](state&, function& f) {
    if (which == max_dynamic_shared_attribute) return set_max_dynamic_shared(f, value);
    if (which == carveout_attribute) return set_carveout(f, value);
    return which < driver_function_attributes && which > carveout_attribute ? set_cluster_attribute(f, which, value)
                                                                            : cudaErrorInvalidValue;
  });
}

driver_status tell_name(const char** name, const function* handle) {
  return with_function(handle, [&](state&, const function& f) { return put(name, f.name.c_str()); });
}

driver_status tell_parameter(const function* handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return with_function(handle, [&](state&, const function& f) {
    if (offset == nullptr || index >= f.kernel->params.size()) return cudaErrorInvalidValue;
    *offset = f.kernel->params[index].offset;
    if (bytes != nullptr) *bytes = f.kernel->params[index].bytes;
    return cudaSuccess;
  });
}

}  // namespace

CUDA_API driver_status cuFuncGetAttribute(int* value, driver_function_attribute which, function* handle) {
  return tell_attribute(value, which, handle);
}
CUDA_API driver_status cuFuncSetAttribute(function* handle, driver_function_attribute which, int value) {
  return change_attribute(handle, which, value);
}
CUDA_API driver_status cuFuncSetCacheConfig(function* handle, int) {
  return with_function(handle, [](state&, function&) { return cudaSuccess; });
}
CUDA_API driver_status cuFuncSetSharedMemConfig(function* handle, int) { return cuFuncSetCacheConfig(handle, 0); }
CUDA_API driver_status cuFuncGetModule(module** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, f.owner); });
}
CUDA_API driver_status cuFuncGetName(const char** name, function* handle) { return tell_name(name, handle); }
CUDA_API driver_status cuFuncGetParamInfo(function* handle, std::size_t index, std::size_t* offset,
                                          std::size_t* bytes) {
  return tell_parameter(handle, index, offset, bytes);
}
CUDA_API driver_status cuFuncIsLoaded(int* loaded, function* handle) {
  return with_function(handle, [&](state&, function&) { return put(loaded, 1); });
}
CUDA_API driver_status cuFuncLoad(function* handle) { return cuFuncSetCacheConfig(handle, 0); }

CUDA_API driver_status cuKernelGetFunction(function** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, &f); });
}
CUDA_API driver_status cuKernelGetLibrary(module** to, function* handle) {
  return with_function(handle, [&](state&, function& f) { return put(to, f.owner); });
}
CUDA_API driver_status cuKernelGetAttribute(int* value, driver_function_attribute which, function* handle, int) {
  return tell_attribute(value, which, handle);
}
CUDA_API driver_status cuKernelSetAttribute(driver_function_attribute which, int value, function* handle, int) {
  return change_attribute(handle, which, value);
}
CUDA_API driver_status cuKernelSetCacheConfig(function* handle, int, int) {
  return with_function(handle, [](state&, function&) { return cudaSuccess; });
}
CUDA_API driver_status cuKernelGetName(const char** name, function* handle) { return tell_name(name, handle); }
CUDA_API driver_status cuKernelGetParamInfo(function* handle, std::size_t index, std::size_t* offset,
                                            std::size_t* bytes) {
  return tell_parameter(handle, index, offset, bytes);
}
