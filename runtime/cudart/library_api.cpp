// Entry points: libraries that a program loads itself, which are those of the driver, and their kernels.
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/driver/abi.hpp"

using namespace bankwise::cuda;

extern "C" {
driver_status cuLibraryLoadData(module**, const void*, jit_option*, void**, unsigned, void*, void**, unsigned);
driver_status cuLibraryLoadFromFile(module**, const char*, jit_option*, void**, unsigned, void*, void**, unsigned);
driver_status cuLibraryUnload(module*);
driver_status cuLibraryGetKernel(function**, module*, const char*);
driver_status cuLibraryGetKernelCount(unsigned*, module*);
driver_status cuLibraryEnumerateKernels(function**, unsigned, module*);
driver_status cuLibraryGetGlobal(device_pointer*, std::size_t*, module*, const char*);
driver_status cuKernelSetAttribute(driver_function_attribute, int, function*, int);
}

namespace {

// The driver's numbers mean the same here.
template <class Call>
error ask_driver(Call call, const char* entry = __builtin_FUNCTION()) {
  return guarded([&](state&) { return static_cast<error>(call()); }, entry);
}

}  // namespace

CUDA_API error cudaLibraryLoadData(module** made, const void* code, jit_option* options, void** values, unsigned count,
                                   void*, void**, unsigned) {
  return ask_driver([&] { return cuLibraryLoadData(made, code, options, values, count, nullptr, nullptr, 0); });
}
CUDA_API error cudaLibraryLoadFromFile(module** made, const char* path, jit_option* options, void** values,
                                       unsigned count, void*, void**, unsigned) {
  return ask_driver([&] { return cuLibraryLoadFromFile(made, path, options, values, count, nullptr, nullptr, 0); });
}
CUDA_API error cudaLibraryUnload(module* handle) {
  return ask_driver([&] { return cuLibraryUnload(handle); });
}
CUDA_API error cudaLibraryGetKernel(function** to, module* handle, const char* name) {
  return ask_driver([&] { return cuLibraryGetKernel(to, handle, name); });
}
CUDA_API error cudaLibraryGetKernelCount(unsigned* count, module* handle) {
  return ask_driver([&] { return cuLibraryGetKernelCount(count, handle); });
}
CUDA_API error cudaLibraryEnumerateKernels(function** to, unsigned count, module* handle) {
  return ask_driver([&] { return cuLibraryEnumerateKernels(to, count, handle); });
}
CUDA_API error cudaLibraryGetGlobal(device_pointer* address, std::size_t* bytes, module* handle, const char* name) {
  return ask_driver([&] { return cuLibraryGetGlobal(address, bytes, handle, name); });
}
CUDA_API error cudaKernelSetAttributeForDevice(function* handle, function_attribute which, int value, int device) {
  return ask_driver([&] {
    return device == 0 ? cuKernelSetAttribute(static_cast<driver_function_attribute>(which), value, handle, device)
                       : CUDA_ERROR_INVALID_DEVICE;
  });
}
