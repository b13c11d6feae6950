#include "runtime/load/static_runtime.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "runtime/load/host_file.hpp"

namespace bankwise::cuda {

namespace {

// Functions that the shared runtimes export, from exports_cudart.txt. Static runtimes have the same functions.
constexpr std::string_view names_of_both[] = {
#include "runtime_names_12.inc"
};
constexpr std::string_view names_of_13[] = {
#include "runtime_names_13.inc"
};
static_assert(std::is_sorted(std::begin(names_of_both), std::end(names_of_both)));
static_assert(std::is_sorted(std::begin(names_of_13), std::end(names_of_13)));
// Functions for texture references, which CUDA 12 removed.
constexpr std::string_view names_before_12[] = {"cudaBindTexture", "cudaGetTextureReference"};

// A linker takes all 400 functions of a runtime, because the runtime is one object file. If a program has fewer than
// 200 of these names, the names are from other code, such as a library that wraps the runtime.
constexpr std::size_t fewest_names = 200;
constexpr std::size_t longest_name = 128;
constexpr std::string_view prefix_of_internals = "libcudart_static_";

template <std::size_t n>
bool is_among(const std::string_view (&names)[n], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

// Whether the name has the form of cudaMalloc or __cudaRegisterVar.
bool is_api_name(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

struct symbol_table {
  byte_span symbols, strings;
};

std::optional<symbol_table> read_symbols(const host_file& file) {
  const byte_span bytes = file.bytes;
  const Elf64_Ehdr& head = file.head;
  if (head.e_machine != EM_X86_64 || (head.e_type != ET_EXEC && head.e_type != ET_DYN) ||
      head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff == 0)
    return std::nullopt;
  // If the number of sections does not fit into 16 bits, the size of section 0 is this number.
  const auto first = read_table<Elf64_Shdr>(bytes, head.e_shoff, 1);
  const std::uint64_t count = head.e_shnum != 0 ? head.e_shnum : first.empty() ? 0 : first[0].sh_size;
  const auto sections = read_table<Elf64_Shdr>(bytes, head.e_shoff, count);
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_SYMTAB || s.sh_entsize != sizeof(Elf64_Sym) || s.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[s.sh_link];
    if (names.sh_type != SHT_STRTAB || !inside(bytes, s.sh_offset, s.sh_size) ||
        !inside(bytes, names.sh_offset, names.sh_size))
      continue;
    return symbol_table{bytes.subspan(s.sh_offset, s.sh_size), bytes.subspan(names.sh_offset, names.sh_size)};
  }
  return std::nullopt;
}

// Returns the name at an offset. Returns an empty string if the name is not terminated, or is longer than the longest
// name of the runtime's functions.
std::string_view name_at(byte_span strings, std::uint32_t at) {
  if (at >= strings.size()) return {};
  const std::size_t most = std::min(strings.size() - at, longest_name);
  const auto* text = reinterpret_cast<const char*>(strings.data() + at);
  const void* end = std::memchr(text, 0, most);
  return end == nullptr ? std::string_view() : std::string_view(text, static_cast<const char*>(end) - text);
}

// Returns the CUDA version that is a constant in an internal function of the runtime. The function is `test rdi,rdi;
// je; mov dword [rdi],13000`, possibly after an endbr64. Returns 0 for any other function.
int version_in(byte_span code) {
  const auto is = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
    return code.size() >= at + bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), code.begin() + static_cast<std::ptrdiff_t>(at),
                      [](unsigned b, std::byte c) { return std::byte(b) == c; });
  };
  std::size_t at = is(0, {0xf3, 0x0f, 0x1e, 0xfa}) ? 4 : 0;
  if (!is(at, {0x48, 0x85, 0xff})) return 0;
  at += 3;
  if (!is(at, {0x74}) && !is(at, {0x0f, 0x84})) return 0;
  at += is(at, {0x74}) ? 2 : 6;
  if (!is(at, {0xc7, 0x07})) return 0;
  byte_reader r(code, at + 2);
  const std::uint32_t version = r.u32();
  return !r.failed() && version >= 9000 && version < 100000 && version % 10 == 0 ? static_cast<int>(version) : 0;
}

// Returns the major version if all given versions are equal, otherwise 0.
int major_of(const std::vector<int>& versions) {
  const bool agree = !versions.empty() && std::count(versions.begin(), versions.end(), versions[0]) ==
                                              static_cast<std::ptrdiff_t>(versions.size());
  return agree ? versions[0] / 1000 : 0;
}

// Returns the major version of a runtime whose code has no version function. Some functions exist only in one version.
int major_of(const std::vector<runtime_function>& functions) {
  int major = 13;
  for (const runtime_function& f : functions) {
    if (is_among(names_before_12, f.name)) return 11;
    if (is_among(names_of_both, f.name) && !is_among(names_of_13, f.name)) major = 12;
  }
  return major;
}

// Selects the runtime's own functions from all functions that have a name of the runtime. A program may define other
// functions with names of the runtime: NCCL defines some that CUDA 13 removed, and nvcc generates
// __cudaRegisterLinkedBinary_... The runtime's own functions are contiguous.
std::vector<runtime_function> choose(const std::vector<runtime_function>& named, int major, std::size_t& known) {
  const auto is_known = [&](std::string_view name) {
    return major == 13 ? is_among(names_of_13, name) : is_among(names_of_both, name);
  };
  std::map<std::string_view, std::size_t> count;
  for (const runtime_function& f : named) ++count[f.name];
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  known = 0;
  for (const runtime_function& f : named) {
    if (!is_known(f.name) || count[f.name] != 1) continue;
    ++known;
    first = std::min(first, f.address);
    last = std::max(last, f.address);
  }
  std::vector<runtime_function> chosen;
  for (const runtime_function& f : named)
    if (f.address >= first && f.address <= last && (is_known(f.name) || !f.name.starts_with("__"))) chosen.push_back(f);
  std::sort(chosen.begin(), chosen.end(), [](const runtime_function& a, const runtime_function& b) {
    return a.address != b.address ? a.address < b.address : a.name < b.name;
  });
  chosen.erase(std::unique(chosen.begin(), chosen.end(),
                           [](const runtime_function& a, const runtime_function& b) { return a.address == b.address; }),
               chosen.end());
  return chosen;
}

}  // namespace

std::optional<static_runtime> find_static_runtime(byte_span bytes) {
  const auto file = read_host_file(bytes);
  const auto table = file ? read_symbols(*file) : std::nullopt;
  if (!table) return std::nullopt;
  std::vector<runtime_function> named;
  std::vector<int> versions;
  bool has_locals = false;
  byte_reader r(table->symbols);
  for (;;) {
    const auto s = r.read<Elf64_Sym>();
    if (r.failed()) break;
    // The functions of a linked runtime are hidden. So an exported function is not a function of the runtime.
    const auto visibility = ELF64_ST_VISIBILITY(s.st_other);
    const bool is_local = ELF64_ST_BIND(s.st_info) == STB_LOCAL;
    const bool is_hidden = is_local || visibility == STV_HIDDEN || visibility == STV_INTERNAL;
    if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF || s.st_size == 0 || !is_hidden) continue;
    has_locals |= is_local;
    const std::string_view name = name_at(table->strings, s.st_name);
    const bool is_api = is_api_name(name);
    if (!is_api && !name.starts_with(prefix_of_internals)) continue;
    const byte_span code = bytes_at(*file, s.st_value, s.st_size, PF_X);
    if (code.empty()) continue;
    if (is_api)
      named.push_back({name, s.st_value, code});
    else if (const int version = version_in(code); version != 0)
      versions.push_back(version);
  }
  std::size_t known = 0;
  static_runtime found;
  found.functions = choose(named, major_of(versions), known);
  if (known < fewest_names) return std::nullopt;
  found.whole = has_locals;
  found.major = major_of(versions);
  if (found.major == 0) found.major = major_of(found.functions);
  return found;
}

}  // namespace bankwise::cuda
