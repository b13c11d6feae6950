#include "runtime/driver/proc_address.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

// Every form, whatever its parameters are.
#define VERSION(since, symbol) extern "C" void symbol();
#include "runtime/driver/versions.def"
#undef VERSION

namespace bankwise::cuda {

namespace {

struct form {
  std::string_view symbol;
  int since;
  void (*address)();
};
constexpr form forms[] = {
#define VERSION(since, symbol) {#symbol, since, symbol},
#include "runtime/driver/versions.def"
#undef VERSION
};

// cuMemAlloc_v2 -> cuMemAlloc
std::string_view base_name(std::string_view symbol) {
  const std::size_t at = symbol.rfind("_v");
  const bool has_version = at != std::string_view::npos && at + 3 == symbol.size();
  return has_version ? symbol.substr(0, at) : symbol;
}

}  // namespace

namespace {

// Its form for the default stream of each thread; null: it has none.
void* thread_form_of(std::string_view symbol) {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&find_proc), &here) == 0) return nullptr;
  void* const library = ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* found = nullptr;
  for (const char* ending : {"_ptsz", "_ptds"})
    if (found == nullptr) found = ::dlsym(library, (std::string(symbol) + ending).c_str());
  ::dlclose(library);
  return found;
}

}  // namespace

driver_status find_proc(const char* name, void** address, int version, proc_status* status, bool per_thread) {
  if (name == nullptr || address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const form *best = nullptr, *any = nullptr;
  for (const form& f : forms) {
    if (base_name(f.symbol) != name && f.symbol != name) continue;
    any = &f;
    if (f.since <= version && (best == nullptr || f.since > best->since)) best = &f;
  }
  *address = best != nullptr ? reinterpret_cast<void*>(best->address) : nullptr;
  if (per_thread && best != nullptr)
    if (void* const form = thread_form_of(best->symbol)) *address = form;
  if (status != nullptr)
    *status = best != nullptr  ? proc_status::found
              : any != nullptr ? proc_status::version_too_old
                               : proc_status::not_there;
  // Who asks for the reason gets that, and success.
  return best != nullptr || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace bankwise::cuda
