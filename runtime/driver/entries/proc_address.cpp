#include "runtime/driver/entries/proc_address.hpp"

#include <array>
#include <string_view>

#include "runtime/driver/entries/entries.hpp"

#define FORM_plain(name) nullptr
#define FORM_ptsz(name) reinterpret_cast<void*>(name##_ptsz)
#define FORM_ptds(name) reinterpret_cast<void*>(name##_ptds)

// Declares missing functions and the functions for the default stream of each thread, without their parameters.
extern "C" {
#define DECLARE_plain(name)
#define DECLARE_ptsz(name) void name##_ptsz();
#define DECLARE_ptds(name) void name##_ptds();
#define ENTRY(since, name, form, ...) DECLARE_##form(name)
#define MISSING(since, name, form) \
  void name();                     \
  DECLARE_##form(name)
#include "runtime/driver/entries/entries.def"
}

namespace bankwise::cuda {

namespace {

struct entry_row {
  std::string_view symbol;
  int since;
  // Addresses of two forms of the function: the plain form, and the form for the default stream of each thread. The
  // second address may be null.
  void *address, *of_each_thread;
};
const auto& all_entries() {
  static const std::array rows{
#define ENTRY(since, name, form, ...) entry_row{#name, since, reinterpret_cast<void*>(name), FORM_##form(name)},
#define MISSING ENTRY
#include "runtime/driver/entries/entries.def"
  };
  return rows;
}

// Example: cuMemAlloc_v2 -> cuMemAlloc
std::string_view base_name(std::string_view symbol) {
  const std::size_t at = symbol.rfind("_v");
  const bool has_version = at != std::string_view::npos && at + 3 == symbol.size();
  return has_version ? symbol.substr(0, at) : symbol;
}

}  // namespace

driver_status find_proc(const char* name, void** address, int version, proc_status* status, bool per_thread) {
  if (name == nullptr || address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const entry_row *best = nullptr, *any = nullptr;
  for (const entry_row& row : all_entries()) {
    if (base_name(row.symbol) != name && row.symbol != name) continue;
    any = &row;
    if (row.since <= version && (best == nullptr || row.since > best->since)) best = &row;
  }
  *address = best == nullptr                                 ? nullptr
             : per_thread && best->of_each_thread != nullptr ? best->of_each_thread
                                                             : best->address;
  if (status != nullptr)
    *status = best != nullptr  ? proc_status::found
              : any != nullptr ? proc_status::version_too_old
                               : proc_status::not_there;
  // If the caller passes `status`, stores the reason of a failure there and returns success.
  return best != nullptr || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace bankwise::cuda
