#include "runtime/device/call_sites.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/auxv.h>

#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/program.hpp"

namespace bankwise::cuda {

namespace {

constexpr int most_frames = 16;  // largest number of stack frames that are examined
constexpr std::size_t most_sites = 4;

const void* module_of(const void* code) {
  Dl_info info{};
  return ::dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

enum class caller : std::uint8_t { unknown, program, driver, host };

caller caller_at(const void* code) {
  // libc calls main(), so frames of libc end the search.
  static const void* const host = module_of(reinterpret_cast<const void*>(&::backtrace));
  Dl_info in{};
  if (::dladdr(code, &in) == 0 || in.dli_fname == nullptr) return caller::unknown;
  if (in.dli_fbase == host) return caller::host;
  // This code is in the stand-in of the driver (libcuda). The stand-in of the runtime (libcudart) calls this code.
  // Stack frames of both libraries count as frames of the driver.
  return base_name(in.dli_fname).starts_with("libcuda") ? caller::driver : caller::program;
}

std::vector<cubin::elf_symbol> functions_of(const std::string& file) {
  const auto bytes = read_file(file);
  if (!bytes) return {};
  auto elf = cubin::read_elf({reinterpret_cast<const std::byte*>(bytes->data()), bytes->size()}, file);
  if (!elf) return {};
  std::erase_if(elf->symbols,
                [](const cubin::elf_symbol& s) { return s.type != cubin::symbol_type::function || s.section == 0; });
  return std::move(elf->symbols);
}

// Returns the demangled name of the function that contains the address. Returns an empty string if the file has no
// symbol for the function. Each of many launches may have a finding, so the names and the functions of the last file are
// kept. The functions of a library with very many functions are not kept.
std::string function_at(const std::string& file, std::uint64_t address, std::uint64_t base) {
  constexpr std::size_t most_kept = 100'000;
  static auto& known = *new std::map<std::pair<std::string, std::uint64_t>, std::string>;
  static auto& last = *new std::optional<std::pair<std::string, std::vector<cubin::elf_symbol>>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = known.try_emplace({file, address - base});
  if (!is_new) return at->second;
  if (!last || last->first != file) last.emplace(file, functions_of(file));
  for (const cubin::elf_symbol& s : last->second)
    // In a program at a fixed address, symbols are absolute addresses. In other files, they are relative to the base.
    if (address - s.value < s.size || address - base - s.value < s.size) {
      at->second = cubin::demangle(s.name);
      break;
    }
  if (last->second.size() > most_kept) last.reset();
  return at->second;
}

}  // namespace

std::vector<std::uint64_t> call_sites() {
  void* frames[most_frames];
  const int count = ::backtrace(frames, most_frames);
  // A cache, because a program calls from few places, and dladdr may have to search a hundred thousand symbols of a
  // library. The cache is never destroyed, because destructors of the program's global objects may still call entry
  // points.
  static auto& known = *new std::unordered_map<void*, caller>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::vector<std::uint64_t> sites;
  for (int i = 0; i < count && sites.size() < most_sites; ++i) {
    const auto [it, is_new] = known.try_emplace(frames[i]);
    if (is_new) it->second = caller_at(frames[i]);
    if (it->second == caller::host) break;
    if (it->second == caller::program) sites.push_back(reinterpret_cast<std::uint64_t>(frames[i]));
  }
  return sites;
}

std::vector<std::string> names_of_calls(const std::string& verb, const std::vector<std::uint64_t>& sites,
                                        const std::string& kernel) {
  std::vector<std::string> lines;
  for (const std::uint64_t return_address : sites) {
    const std::uint64_t call = return_address - 1;  // an address inside the call instruction
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(call), &info) == 0 || info.dli_fname == nullptr) continue;
    const auto base = reinterpret_cast<std::uint64_t>(info.dli_fbase);
    // The loader keeps the program's name as it was at the start. This name may no longer be a valid path.
    const bool is_program = info.dli_fbase == module_of(reinterpret_cast<const void*>(::getauxval(AT_PHDR)));
    const std::string function = function_at(is_program ? "/proc/self/exe" : info.dli_fname, call, base);
    // Skips three kinds of stubs: the host function of a kernel, the kernel's __device_stub__, and the templates around
    // entry points in CUDA's headers.
    const std::string name = cubin::bare_name(function);
    if (name.starts_with("__device_stub__") || name.starts_with("cuda") || name.starts_with("__cuda") ||
        (!kernel.empty() && function == kernel))
      continue;
    const std::string place = formatted("{}+0x{}", base_name(info.dli_fname), hex(return_address - base));
    lines.push_back((lines.empty() ? verb : "called from ") +
                    (function.empty() ? place : formatted("{}, at {}", function, place)));
  }
  return lines;
}

}  // namespace bankwise::cuda
