#include "proc_address.hpp"

#include <string_view>

// Every form, whatever its parameters are.
#define VERSION(since, symbol) extern "C" void symbol();
#include "driver_versions.def"
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
#include "driver_versions.def"
#undef VERSION
};

// cuMemAlloc_v2 -> cuMemAlloc
std::string_view base_name(std::string_view symbol) {
  const std::size_t at = symbol.rfind("_v");
  const bool has_version = at != std::string_view::npos && at + 3 == symbol.size();
  return has_version ? symbol.substr(0, at) : symbol;
}

}  // namespace

driver_status find_proc(const char* name, void** address, int version, proc_status* status) {
  if (name == nullptr || address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const form *best = nullptr, *any = nullptr;
  for (const form& f : forms) {
    if (base_name(f.symbol) != name && f.symbol != name) continue;
    any = &f;
    if (f.since <= version && (best == nullptr || f.since > best->since)) best = &f;
  }
  *address = best != nullptr ? reinterpret_cast<void*>(best->address) : nullptr;
  if (status != nullptr)
    *status = best != nullptr  ? proc_status::found
              : any != nullptr ? proc_status::version_too_old
                               : proc_status::not_there;
  // Who asks for the reason gets that, and success.
  return best != nullptr || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace bankwise::cuda
