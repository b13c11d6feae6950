// Entry points that a program calls before main(): its fatbins, kernels and variables.
#include <unistd.h>

#include <cstring>

#include "device.hpp"
#include "state.hpp"

using namespace bankwise::cuda;

namespace {

// What __cudaRegisterFatBinary gets: the compiler puts it into the section .nvFatBinSegment.
struct fatbin_wrapper {
  std::uint32_t magic, version;
  const std::byte* fatbin;
  const void* linked;  // version 2: fatbins that were linked to this one
};
constexpr std::uint32_t wrapper_magic = 0x466243b1, fatbin_magic = 0xba55ed50;

bankwise::byte_span contents(const fatbin_wrapper& w) {
  std::uint32_t magic = 0;
  std::uint16_t header = 0;
  std::uint64_t body = 0;
  if (w.magic != wrapper_magic || w.fatbin == nullptr) return {};
  std::memcpy(&magic, w.fatbin, 4);
  if (magic != fatbin_magic) return {};
  std::memcpy(&header, w.fatbin + 6, 2);
  std::memcpy(&body, w.fatbin + 8, 8);
  return {w.fatbin, header + body};
}

// Handles are the addresses of modules.
module* module_of(state& s, void** handle) {
  for (const auto& m : s.modules)
    if (static_cast<void*>(m.get()) == static_cast<void*>(handle)) return m.get();
  return nullptr;
}

variable* add_variable(state& s, void** handle, const void* shadow, const char* name, std::size_t bytes) {
  module* m = module_of(s, handle);
  if (m == nullptr || name == nullptr) return nullptr;
  auto v = std::make_unique<variable>();
  v->owner = m;
  v->name = name;
  v->bytes = bytes;
  m->variables.push_back(v.get());
  auto& slot = s.variables[shadow];
  slot = std::move(v);
  return slot.get();
}

void load_managed(state& s, module& m) {
  for (const variable* v : m.variables)
    if (v->managed != nullptr) {
      load(s, m);
      return;
    }
}

}  // namespace

CUDA_API void** __cudaRegisterFatBinary(const void* wrapper) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  auto m = std::make_unique<module>();
  if (wrapper != nullptr) m->fatbin = contents(*static_cast<const fatbin_wrapper*>(wrapper));
  s.modules.push_back(std::move(m));
  return reinterpret_cast<void**>(s.modules.back().get());
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
  if (m == nullptr || name == nullptr) return;
  auto f = std::make_unique<function>();
  f->owner = m;
  f->name = name;
  m->functions.push_back(f.get());
  s.functions[stub] = std::move(f);
}

CUDA_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes, int,
                                int) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  add_variable(s, handle, shadow, name, bytes);
}

CUDA_API void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, std::size_t bytes,
                                       int, int) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (variable* v = add_variable(s, handle, pointer, name, bytes)) v->managed = pointer;
}

// Variables of the host that a host compiler made device code for; textures and surfaces of files. Nothing to do until one
// is used.
CUDA_API void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
#if BANKWISE_CUDART == 12
CUDA_API void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
CUDA_API void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
#endif
