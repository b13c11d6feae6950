#include "cli/run/host_program.hpp"

#include <elf.h>

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "cubin/program.hpp"
#include "runtime/load/static_runtime.hpp"

namespace bankwise::cli {

namespace {

// Returns the libraries that a program needs (DT_NEEDED in its dynamic section).
std::vector<std::string> needed_libraries(const cubin::elf_image& elf) {
  std::vector<std::string> names;
  const cubin::elf_section *dynamic = elf.find(".dynamic"), *strings = elf.find(".dynstr");
  if (dynamic == nullptr || strings == nullptr) return names;
  const std::string_view text(reinterpret_cast<const char*>(strings->bytes.data()), strings->bytes.size());
  byte_reader r(dynamic->bytes);
  while (!r.at_end() && !r.failed()) {
    const std::uint64_t tag = r.u64(), value = r.u64();
    if (!r.failed() && tag == DT_NEEDED && value < text.size())
      names.emplace_back(text.substr(value, text.find('\0', value) - value));
  }
  return names;
}

}  // namespace

std::optional<cubin::elf_image> read_host_program(const std::string& contents, const std::string& name) {
  if (!cubin::is_elf(bytes_of(contents))) return std::nullopt;
  auto elf = cubin::read_elf(bytes_of(contents), name);
  if (!elf || elf->machine == cubin::machine_cuda) return std::nullopt;
  return std::move(*elf);
}

namespace {

constexpr const char* link_shared =
    "link the program again with nvcc -cudart shared (in CMake, set CUDA_RUNTIME_LIBRARY to Shared)";

// Returns an error if the runtime that is linked into the program cannot be replaced.
std::optional<diagnostic> check_static_runtime(const cubin::elf_image& elf, const std::string& contents,
                                               const std::string& file, bool has_code) {
  if (elf.machine != EM_X86_64 && has_code)
    return diagnostic{
        formatted("{} is linked with the static CUDA runtime, which bankwise can replace only on x86-64", file),
        {.file = file},
        link_shared};
  const auto runtime = cuda::find_static_runtime(bytes_of(contents));
  // Without a symbol table, bankwise cannot find the code that registers the fatbins.
  const bool is_stripped = runtime ? !runtime->whole : has_code && elf.find(".symtab") == nullptr;
  if (is_stripped)
    return diagnostic{
        formatted(
            "{} is linked with the static CUDA runtime, which bankwise cannot replace because its symbols are stripped",
            file),
        {.file = file},
        formatted("keep the symbols of the program (no strip, no -s), or {}", link_shared)};
  if (!runtime) return std::nullopt;
  if (runtime->major != 12 && runtime->major != 13)
    return diagnostic{
        formatted("{} is linked with the static runtime of CUDA {}, but bankwise replaces only the runtimes of CUDA "
                  "12 and 13",
                  file, runtime->major),
        {.file = file},
        "build the program with CUDA 12 or 13"};
  if (elf.find(".interp") == nullptr)
    return diagnostic{
        formatted("{} is linked with -static, so it starts without a dynamic loader, and bankwise cannot replace its "
                  "CUDA runtime",
                  file),
        {.file = file},
        "link the program without -static"};
  return std::nullopt;
}

}  // namespace

std::optional<diagnostic> check_program(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm) {
  const std::vector<std::string> needed = needed_libraries(elf);
  const auto runtime =
      std::find_if(needed.begin(), needed.end(), [](const std::string& n) { return n.starts_with("libcudart.so."); });
  // Whether the program has device code. nvcc adds an empty fatbin to every program that it links.
  const bool has_code = elf.find(".nvFatBinSegment") != nullptr;
  if (runtime == needed.end()) {
    if (const auto wrong = check_static_runtime(elf, contents, file, has_code)) return *wrong;
  } else if (*runtime != "libcudart.so.12" && *runtime != "libcudart.so.13") {
    return diagnostic{
        formatted("{} needs {}, but bankwise replaces only libcudart.so.12 and libcudart.so.13", file, *runtime),
        {.file = file},
        "build the program with CUDA 12 or 13"};
  }
  if (has_code)
    if (const auto code = cubin::load_all(bytes_of(contents), file, sm);
        !code && !cubin::has_ptx(bytes_of(contents), file, sm))
      return code.error();
  return std::nullopt;
}

bool needs_sanitizer(const cubin::elf_image& elf) {
  const std::vector<std::string> needed = needed_libraries(elf);
  return std::any_of(needed.begin(), needed.end(), [](const std::string& library) {
    return library.starts_with("libtsan.so.") || library.starts_with("liblsan.so.") ||
           library.starts_with("libasan.so.") || library.starts_with("libubsan.so.");
  });
}

std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern) {
  static constexpr std::string_view without_kernels[] = {"libcudart.so.", "libstdc++.so.", "libm.so.",
                                                         "libgcc_s.so.",  "libc.so.",      "libpthread.so.",
                                                         "librt.so.",     "libdl.so.",     "ld-linux"};
  for (const std::string& library : needed_libraries(elf))
    if (std::none_of(std::begin(without_kernels), std::end(without_kernels),
                     [&](std::string_view known) { return library.starts_with(known); }))
      return std::nullopt;
  const cubin::elf_section* strings = elf.find(".dynstr");
  if (strings == nullptr) return std::nullopt;
  const std::string_view imports(reinterpret_cast<const char*>(strings->bytes.data()), strings->bytes.size());
  for (const std::string_view loads :
       {"dlopen", "ModuleLoad", "LibraryLoad", "cuGetProcAddress", "GetDriverEntryPoint"})
    if (imports.find(loads) != std::string_view::npos) return std::nullopt;
  const auto programs = cubin::load_all(bytes_of(contents), file, sm);
  if (!programs) return std::nullopt;
  cubin::program all;
  all.file = file;
  for (const cubin::program& p : *programs) all.kernels.insert(all.kernels.end(), p.kernels.begin(), p.kernels.end());
  // `pattern` may match several kernels, so it is compared with each kernel separately.
  for (const cubin::kernel& k : all.kernels) {
    cubin::program one;
    one.kernels = {k};
    if (cubin::find_kernel(one, pattern)) return std::nullopt;
  }
  return cubin::find_kernel(all, pattern).error();
}

}  // namespace bankwise::cli
