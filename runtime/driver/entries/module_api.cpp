// Entry points of the driver: modules, and libraries, which are modules that belong to no context.
#include "base/system/files.hpp"
#include "runtime/driver/handles.hpp"
#include "runtime/driver/jit_options.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

error load_image(state& s, module** made, byte_span image, jit_request& r) {
  if (made == nullptr || image.empty()) return cudaErrorInvalidValue;
  const auto began = std::chrono::steady_clock::now();
  error why = cudaSuccess;
  *made = load_module(s, image, r.options, r.log, why);
  answer(r, *made != nullptr, began);
  return why;
}

driver_status load_data(module** made, const void* image, unsigned count, const jit_option* options, void** values,
                        const char* entry = __builtin_FUNCTION()) {
  return context_call(
      [&](state& s) {
        jit_request r;
        read_options(r, count, options, values);
        const error e = load_image(s, made, image_at(image), r);
        if (e == cudaSuccess) (*made)->owner = current_context();
        return e;
      },
      entry);
}

error load_file(state& s, module** made, const char* path, jit_request& r) {
  if (path == nullptr) return cudaErrorInvalidValue;
  const auto text = read_file(path);
  return text ? load_image(s, made, bytes_of(*text), r) : cudaErrorFileNotFound;
}

driver_status tell_function(function** to, const module* handle, const char* name,
                            const char* entry = __builtin_FUNCTION()) {
  return with_module(
      handle,
      [&](state&, module& m) {
        if (to == nullptr || name == nullptr) return cudaErrorInvalidValue;
        *to = find_function(m, name);
        return *to != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
      },
      entry);
}

driver_status tell_global(device_pointer* address, std::size_t* bytes, const module* handle, const char* name,
                          const char* entry = __builtin_FUNCTION()) {
  return with_module(
      handle,
      [&](state&, module& m) {
        const variable* v = name != nullptr ? find_variable(m, name) : nullptr;
        if (name == nullptr) return cudaErrorInvalidValue;
        if (v == nullptr) return cudaErrorSymbolNotFound;
        if (address != nullptr) *address = v->address;
        if (bytes != nullptr) *bytes = v->bytes;
        return cudaSuccess;
      },
      entry);
}

error list_functions(const module& m, function** to, unsigned count) {
  unsigned n = 0;
  for (const auto& f : m.functions)
    if (f->kernel != nullptr && n < count) to[n++] = f.get();
  return cudaSuccess;
}

driver_status count_functions(unsigned* count, const module* handle) {
  return with_module(handle,
                     [&](state&, module& m) { return put(count, static_cast<unsigned>(m.program->kernels.size())); });
}

}  // namespace

CUDA_API driver_status cuModuleLoad(module** made, const char* path) {
  return context_call([&](state& s) {
    jit_request r;
    const error e = load_file(s, made, path, r);
    if (e == cudaSuccess) (*made)->owner = current_context();
    return e;
  });
}
CUDA_API driver_status cuModuleLoadData(module** made, const void* image) {
  return load_data(made, image, 0, nullptr, nullptr);
}
CUDA_API driver_status cuModuleLoadDataEx(module** made, const void* image, unsigned count, jit_option* options,
                                          void** values) {
  return load_data(made, image, count, options, values);
}
CUDA_API driver_status cuModuleLoadFatBinary(module** made, const void* image) {
  return load_data(made, image, 0, nullptr, nullptr);
}
CUDA_API driver_status cuModuleUnload(module* handle) {
  return with_module(handle, [](state& s, module& m) {
    unload(s, m);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuModuleGetFunction(function** to, module* handle, const char* name) {
  return tell_function(to, handle, name);
}
CUDA_API driver_status cuModuleGetFunctionCount(unsigned* count, module* handle) {
  return count_functions(count, handle);
}
CUDA_API driver_status cuModuleEnumerateFunctions(function** to, unsigned count, module* handle) {
  return with_module(handle, [&](state&, module& m) { return list_functions(m, to, to != nullptr ? count : 0); });
}
CUDA_API driver_status cuModuleGetGlobal_v2(device_pointer* address, std::size_t* bytes, module* handle,
                                            const char* name) {
  return tell_global(address, bytes, handle, name);
}
CUDA_API driver_status cuModuleGetLoadingMode(int* mode) {
  return driver_call([&](state&) { return put(mode, 1); });  // eager
}

// --- libraries

CUDA_API driver_status cuLibraryLoadData(module** made, const void* image, jit_option* options, void** values,
                                         unsigned count, void*, void**, unsigned) {
  return driver_call([&](state& s) {
    jit_request r;
    read_options(r, count, options, values);
    return load_image(s, made, image_at(image), r);
  });
}
CUDA_API driver_status cuLibraryLoadFromFile(module** made, const char* path, jit_option* options, void** values,
                                             unsigned count, void*, void**, unsigned) {
  return driver_call([&](state& s) {
    jit_request r;
    read_options(r, count, options, values);
    return load_file(s, made, path, r);
  });
}
CUDA_API driver_status cuLibraryUnload(module* handle) { return cuModuleUnload(handle); }
CUDA_API driver_status cuLibraryGetKernel(function** to, module* handle, const char* name) {
  return tell_function(to, handle, name);
}
CUDA_API driver_status cuLibraryGetKernelCount(unsigned* count, module* handle) {
  return count_functions(count, handle);
}
CUDA_API driver_status cuLibraryEnumerateKernels(function** to, unsigned count, module* handle) {
  return with_module(handle, [&](state&, module& m) { return list_functions(m, to, to != nullptr ? count : 0); });
}
CUDA_API driver_status cuLibraryGetModule(module** to, module* handle) {
  return with_module(handle, [&](state&, module& m) { return put(to, &m); });
}
CUDA_API driver_status cuLibraryGetGlobal(device_pointer* address, std::size_t* bytes, module* handle,
                                          const char* name) {
  return tell_global(address, bytes, handle, name);
}
CUDA_API driver_status cuLibraryGetManaged(device_pointer* address, std::size_t* bytes, module* handle,
                                           const char* name) {
  return with_module(handle, [&](state&, module& m) {
    for (const auto& v : m.variables)
      if (name != nullptr && v->name == name && v->managed != nullptr) {
        if (address != nullptr) *address = v->address;
        if (bytes != nullptr) *bytes = v->bytes;
        return cudaSuccess;
      }
    return name != nullptr ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
  });
}
// There are none without host code that was compiled with it.
CUDA_API driver_status cuLibraryGetUnifiedFunction(void**, module* handle, const char* name) {
  return with_module(
      handle, [&](state&, module&) { return name != nullptr ? cudaErrorSymbolNotFound : cudaErrorInvalidValue; });
}
