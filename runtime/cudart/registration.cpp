// Entry points that a program calls before main(): its fatbins, kernels and variables.
#include "runtime/device/state.hpp"

using namespace bankwise::cuda;

namespace {

// Handles are the addresses of modules.
module* module_of(state& s, void** handle) {
  for (const auto& m : s.modules)
    if (static_cast<void*>(m.get()) == static_cast<void*>(handle)) return m.get();
  return nullptr;
}

void load_managed(state& s, module& m) {
  for (const auto& v : m.variables)
    if (v->managed != nullptr) {
      load(s, m);
      return;
    }
}

}  // namespace

CUDA_API void** __cudaRegisterFatBinary(const void* wrapper) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  return reinterpret_cast<void**>(&add_module(s, image_at(wrapper)));
}

CUDA_API void __cudaRegisterFatBinaryEnd(void** handle) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (module* m = module_of(s, handle)) load_managed(s, *m);
}

CUDA_API char __cudaInitModule(void** handle) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (module* m = module_of(s, handle)) load_managed(s, *m);
  return 1;
}

// Programs do this at their end, when nothing runs any more; what was measured stays.
CUDA_API void __cudaUnregisterFatBinary(void**) {}

CUDA_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*,
                                     void*, int*) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  module* m = module_of(s, handle);
  if (m != nullptr && name != nullptr) add_function(s, *m, stub, name);
}

CUDA_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes, int,
                                int) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  module* m = module_of(s, handle);
  if (m != nullptr && name != nullptr) add_variable(s, *m, shadow, name, bytes);
}

CUDA_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, std::size_t bytes,
                                       int, int) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  module* m = module_of(s, handle);
  if (m != nullptr && name != nullptr) add_variable(s, *m, pointer, name, bytes).managed = pointer;
}

// Variables of the host that a host compiler made device code for; textures and surfaces of files. Nothing to do until one
// is used.
CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
#if BANKWISE_CUDART == 12
CUDA_API void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
CUDA_API void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
#endif
