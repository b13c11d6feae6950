#include "runtime/launch/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/fatbin.hpp"
#include "cubin/image_choice.hpp"
#include "cubin/load.hpp"
#include "cubin/load_cubin.hpp"
#include "emulate/decode/kept_code.hpp"
#include "emulate/launch/launch.hpp"
#include "runtime/device/device.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/jit.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/repeated_launches.hpp"
#include "runtime/launch/stack_room.hpp"

namespace bankwise::cuda {

namespace {

// Gap in bytes between modules, so that an access beyond the end of a module does not reach the next module.
constexpr std::uint64_t module_gap = std::uint64_t{1} << 21;
constexpr std::uint64_t most_externals = std::uint64_t{1} << 24;

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return (n + a - 1) / a * a; }

// Maps memory of the host for managed variables, at the addresses that the device uses.
result<done> map_variables(const cubin::program& p, emulate::device_memory& memory) {
  if (p.data.empty()) return done{};
  const std::uint64_t page = 4096, begin = p.data.front().address / page * page;
  const std::uint64_t end = align_up(p.data.back().address + p.data.back().bytes, page);
  void* at = ::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at != reinterpret_cast<void*>(begin))
    return diagnostic{formatted("there is not enough memory for managed variables: {}", std::strerror(errno))};
  for (const cubin::data_segment& d : p.data) {
    auto* bytes = reinterpret_cast<std::byte*>(d.address);
    if (!d.init.empty()) std::memcpy(bytes, d.init.data(), d.init.size());
    if (const auto attached = memory.attach(d.address, d.bytes, bytes, "__managed__ variables"); !attached)
      return attached.error();
  }
  return done{};
}

// Assigns device addresses to the constant banks of a module, so that copies can access the banks.
result<done> map_constants(state& s, module& m) {
  for (auto& [bank, bytes] : m.program->banks) {
    if (bytes.empty()) continue;
    const std::uint64_t at = s.next_constants;
    if (const auto attached = s.memory.attach(at, bytes.size(), bytes.data(), "__constant__ variables"); !attached)
      return attached.error();
    m.constants.push_back(at);
    for (cubin::variable& v : m.program->variables)
      if (v.bank == bank) v.address += at;
    s.next_constants = align_up(at + bytes.size(), module_gap) + module_gap;
  }
  return done{};
}

// Returns the PTX of a fatbin that the device runs. Returns null if the device runs machine code of the fatbin, or
// nothing.
const cubin::fatbin_image* ptx_of(const std::vector<cubin::fatbin_image>& images) {
  std::vector<const cubin::fatbin_image*> all;
  for (const cubin::fatbin_image& i : images) all.push_back(&i);
  const cubin::fatbin_image* const best = cubin::image_for(all, the_device().sm);
  return best != nullptr && best->kind == cubin::image_kind::ptx ? best : nullptr;
}

// A compilation of PTX to machine code: its options and the messages of the compiler.
struct compilation {
  jit_options options;
  std::string log;
  bool tried = false;
};

result<cubin::program> compile_and_load(byte_span ptx, const std::string& name, const cubin::address_bases& bases,
                                        compilation& how) {
  how.tried = true;
  const auto compiled = compile_ptx(ptx, formatted("the PTX of {}", name), how.options, how.log);
  return compiled ? cubin::load_cubin(*compiled, name, bases) : compiled.error();
}

// Returns the name of the program or library that contains the code, for a message.
std::string owner_of(byte_span image) {
  const std::string program = program_invocation_short_name;
  Dl_info own{}, main{};
  if (::dladdr(image.data(), &own) == 0 || own.dli_fname == nullptr) return program;
  if (::dladdr(reinterpret_cast<const void*>(::getauxval(AT_PHDR)), &main) != 0 && main.dli_fbase == own.dli_fbase)
    return program;
  return formatted("{}, which {} loads,", base_name(own.dli_fname), program);
}

result<cubin::program> program_of(byte_span image, const cubin::address_bases& bases, compilation& how) {
  const std::string name = owner_of(image);
  if (cubin::is_fatbin(image)) {
    const auto images = cubin::read_fatbins(image, name);
    if (!images) return images.error();
    if (const cubin::fatbin_image* ptx = ptx_of(*images)) return compile_and_load(ptx->bytes, name, bases, how);
  } else if (!cubin::is_elf(image)) {
    return compile_and_load(image, name, bases, how);
  }
  return cubin::load(image, name, the_device().sm, bases);
}

error load_images(state& s, module& m, compilation& how) {
  auto loaded = program_of(m.image, s.next_bases, how);
  if (!loaded) {
    say(to_text(loaded.error()));
    if (!how.tried) return cudaErrorNoKernelImageForDevice;
    return find_tool("ptxas").empty() ? cudaErrorJitCompilerNotFound : cudaErrorInvalidPtx;
  }
  m.program = std::move(*loaded);
  const cubin::program& p = *m.program;
  for (const cubin::code_section& c : p.sections)
    s.next_bases.code = std::max(s.next_bases.code, align_up(c.address + c.bytes.size(), module_gap) + module_gap);
  for (const cubin::data_segment& d : p.data)
    s.next_bases.data = std::max(s.next_bases.data, align_up(d.address + d.bytes, module_gap) + module_gap);
  s.next_bases.external += most_externals;
  const bool managed =
      std::any_of(m.variables.begin(), m.variables.end(), [](const auto& v) { return v->managed != nullptr; });
  const auto placed = managed ? map_variables(p, s.memory) : emulate::load_variables(p, s.memory);
  const auto mapped = placed ? map_constants(s, m) : placed;
  if (!mapped) {
    say(to_text(mapped.error()));
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

void set_kernel(function& f, const cubin::kernel& k) {
  const std::uint32_t plain = the_device().one.shared_a_block;
  f.kernel = &k;
  f.max_dynamic_shared_bytes = plain - std::min(plain, k.static_shared_bytes);
}

void resolve(module& m) {
  for (const auto& f : m.functions)
    for (const cubin::kernel& k : m.program->kernels)
      if (k.mangled == f->name) set_kernel(*f, k);
  for (const auto& v : m.variables) {
    for (const cubin::variable& known : m.program->variables)
      if (known.name == v->name && v->bytes <= known.bytes) v->address = known.address;
    if (v->managed != nullptr && v->address != 0) *v->managed = reinterpret_cast<void*>(v->address);
  }
}

error load(state& s, module& m, compilation& how) {
  if (m.loaded) return m.status;
  m.loaded = true;
  m.status = has_small_stack() ? run_with_room(s, [&] { return load_images(s, m, how); }) : load_images(s, m, how);
  if (m.status == cudaSuccess) resolve(m);
  return m.status;
}

// Returns the size of an ELF file in memory, computed from its header and section table.
std::uint64_t elf_bytes(const std::byte* at) {
  Elf64_Ehdr header;
  std::memcpy(&header, at, sizeof header);
  std::uint64_t end = std::max<std::uint64_t>(sizeof header, header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
  end = std::max<std::uint64_t>(end, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, at + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max<std::uint64_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

template <class T>
T read_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

byte_span image_at(const void* address) {
  // Magic numbers of two structures. The first is the record in .nvFatBinSegment: magic number, version, pointer to the
  // fatbin. The second is the fatbin itself.
  constexpr std::uint32_t wrapper_magic = 0x466243b1, fatbin_magic = 0xba55ed50;
  const auto* at = static_cast<const std::byte*>(address);
  if (at == nullptr) return {};
  if (read_at<std::uint32_t>(at) == wrapper_magic) at = read_at<const std::byte*>(at + 8);
  if (at == nullptr) return {};
  if (read_at<std::uint32_t>(at) == fatbin_magic)
    return {at, read_at<std::uint16_t>(at + 6) + read_at<std::uint64_t>(at + 8)};
  if (std::memcmp(at, ELFMAG, SELFMAG) == 0) return {at, elf_bytes(at)};
  const auto* text = reinterpret_cast<const char*>(at);
  return {at, std::strlen(text)};
}

module& add_module(state& s, byte_span image) {
  s.modules.push_back(std::make_unique<module>());
  s.modules.back()->image = image;
  return *s.modules.back();
}

function& add_function(state& s, module& m, const void* stub, std::string name) {
  m.functions.push_back(std::make_unique<function>());
  function& f = *m.functions.back();
  f.owner = &m;
  f.name = std::move(name);
  s.functions[&f] = &f;
  if (stub != nullptr) s.functions[stub] = &f;
  return f;
}

variable& add_variable(state& s, module& m, const void* shadow, std::string name, std::uint64_t bytes) {
  m.variables.push_back(std::make_unique<variable>());
  variable& v = *m.variables.back();
  v.owner = &m;
  v.name = std::move(name);
  v.bytes = bytes;
  if (shadow != nullptr) s.variables[shadow] = &v;
  return v;
}

error load(state& s, module& m) {
  compilation how;
  return load(s, m, how);
}

module* load_module(state& s, byte_span image, const jit_options& jit, std::string& log, error& why) {
  module& m = add_module(s, image);
  compilation how{jit, {}, false};
  why = load(s, m, how);
  log += how.log;
  m.image = {};  // the program may free its image after this call, so this pointer is cleared
  if (why != cudaSuccess) {
    unload(s, m);
    return nullptr;
  }
  for (const cubin::kernel& k : m.program->kernels) add_function(s, m, nullptr, k.mangled);
  for (const cubin::variable& v : m.program->variables) add_variable(s, m, nullptr, v.name, v.bytes);
  resolve(m);
  return &m;
}

void unload(state& s, module& m) {
  settle_all(s);
  if (m.program) s.kept->forget(&*m.program);
  if (m.program)
    for (const cubin::data_segment& d : m.program->data) s.memory.release(d.address);
  for (const std::uint64_t at : m.constants) s.memory.release(at);
  for (const auto& f : m.functions) the_repeated_launches().forget(*f);
  std::erase_if(s.functions, [&](const auto& f) { return f.second->owner == &m; });
  std::erase_if(s.variables, [&](const auto& v) { return v.second->owner == &m; });
  std::erase_if(s.modules, [&](const auto& owned) { return owned.get() == &m; });
}

void note_first_use(state& s, function& f) {
  if (f.was_used) return;
  f.was_used = true;
  double cost = costs.call_load_kernel + costs.kernel_byte * f.kernel->code_bytes;
  if (!std::exchange(f.owner->was_used, true)) {
    double bytes = 0;
    for (const cubin::kernel& k : f.owner->program->kernels) bytes += k.code_bytes;
    cost += costs.call_load_module + costs.module_byte * bytes;
  }
  s.clock.call(cost, "load a kernel");
}

function* find_function(state& s, const void* stub) {
  const auto it = s.functions.find(stub);
  if (it == s.functions.end()) return nullptr;
  load(s, *it->second->owner);
  return it->second;
}

variable* find_variable(state& s, const void* shadow) {
  const auto it = s.variables.find(shadow);
  if (it == s.variables.end()) return nullptr;
  load(s, *it->second->owner);
  return it->second;
}

function* find_function(const module& m, std::string_view name) {
  for (const auto& f : m.functions)
    if (f->name == name && f->kernel != nullptr) return f.get();
  return nullptr;
}

function& function_of(state& s, module& m, const cubin::kernel& k) {
  if (function* known = find_function(m, k.mangled)) return *known;
  function& added = add_function(s, m, nullptr, k.mangled);
  set_kernel(added, k);
  return added;
}

variable* find_variable(const module& m, std::string_view name) {
  for (const auto& v : m.variables)
    if (v->name == name && v->address != 0) return v.get();
  return nullptr;
}

}  // namespace bankwise::cuda
