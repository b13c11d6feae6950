// The driver's functions for its start, versions, errors, addresses of functions, the profiler and the log.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/format.hpp"
#include "runtime/driver/call.hpp"
#include "runtime/driver/entries/entries.hpp"
#include "runtime/driver/entries/proc_address.hpp"

using namespace bankwise::cuda;

namespace {

struct status_row {
  int code;
  const char *name, *text;
};
constexpr status_row statuses[] = {
#define STATUS(code, name) {code, #name, nullptr},
#include "runtime/device/statuses.def"
#undef STATUS
};
constexpr status_row meanings[] = {
#define ERROR(code, name, text) {code, #name, text},
#include "runtime/device/errors.def"
#undef ERROR
    {CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "", "context already current"},
    {CUDA_ERROR_KEY_ROTATION, "", "key rotation"},
};

template <std::size_t n>
const status_row* row_of(const status_row (&rows)[n], int code) {
  const status_row* row = std::find_if(rows, rows + n, [&](const status_row& r) { return r.code == code; });
  return row == rows + n ? nullptr : row;
}

// Returns the name of the file that contains this code: the program or a library.
std::string file_of(const void* code) {
  Dl_info info{};
  return ::dladdr(code, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "the program";
}

driver_status start(unsigned flags) {
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  s.driver_ready = true;
  note_call(s, "cuInit", CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

// The program asks for the name or text of a status, so it has looked at the error.
void see_status(driver_status status) {
  if (status == CUDA_SUCCESS) return;
  state& s = the_state();
  const std::lock_guard lock(s.mutex);
  see_errors(s, status);
}
driver_status tell_status_name(driver_status status, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  see_status(status);
  const status_row* row = row_of(statuses, status);
  *text = row != nullptr ? row->name : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
driver_status tell_status_text(driver_status status, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  see_status(status);
  const status_row* row = row_of(statuses, status) != nullptr ? row_of(meanings, status) : nullptr;
  *text = row != nullptr ? row->text : nullptr;
  return row != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// A caller requests an undocumented table of functions, which the stand-in does not have. Returns an error, and prints
// a message if the caller needs the table. NVRTC and the driver's own libraries (NVML) work without these tables. A
// CUDA runtime that is linked into a program or library needs them. It only requests a table if the stand-in could not
// replace it.
driver_status tell_no_table(const void** table, const uuid* which, const void* caller) {
  static constexpr unsigned char of_nvrtc[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                                 0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};
  if (table == nullptr || which == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  if (std::memcmp(which->bytes, of_nvrtc, sizeof of_nvrtc) == 0) return CUDA_ERROR_NOT_FOUND;
  const std::string file = file_of(caller), name = file.substr(file.rfind('/') + 1);
  if (name.starts_with("libnvidia-")) return CUDA_ERROR_NOT_FOUND;
  if (name.starts_with("libcudnn"))
    say("cuGetExportTable: NVIDIA's cuDNN needs internal tables of NVIDIA's driver, which bankwise does not "
        "have. bankwise replaces only cuDNN 9, so this cuDNN will report that it is not initialized");
  else if (name.starts_with("libcupti"))
    say("cuGetExportTable: CUPTI needs internal tables of NVIDIA's driver, which bankwise does not have, so "
        "CUPTI profiles nothing");
  else
    say(bankwise::formatted(
        "cuGetExportTable: bankwise did not replace the CUDA runtime that is linked into {}. Perhaps the symbols of "
        "this runtime are stripped, as in cuBLAS. The runtime needs internal tables of NVIDIA's driver, which bankwise "
        "does not have, so the call returns CUDA_ERROR_NOT_FOUND",
        file));
  return CUDA_ERROR_NOT_FOUND;
}

void* registered_log() {
  static int registered;
  return &registered;
}
error write_empty_log(const char* path, unsigned flags) {
  std::FILE* out = path != nullptr && flags == 0 ? std::fopen(path, "wb") : nullptr;
  return out != nullptr && std::fclose(out) == 0 ? cudaSuccess : cudaErrorInvalidValue;
}
error write_empty_log(char* buffer, std::size_t* bytes, unsigned flags) {
  if (buffer == nullptr || bytes == nullptr || *bytes == 0 || flags != 0) return cudaErrorInvalidValue;
  buffer[0] = '\0';
  *bytes = 0;
  return cudaSuccess;
}

}  // namespace

#define ENTRIES "runtime/driver/entries/start_api.def"
#include "runtime/driver/entries/entry_functions.def"
