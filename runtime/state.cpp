#include "state.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "device.hpp"
#include "emulate/launch.hpp"
#include "graph.hpp"
#include "report/run_report.hpp"

namespace bankwise::cuda {

namespace {

// Constants of modules, as the device sees them when it is given their address.
constexpr std::uint64_t constant_base = 0x0000'7d00'0000'0000;
constexpr std::uint64_t module_gap = std::uint64_t{1} << 21;  // between modules, also for what a program could overrun
constexpr std::uint64_t most_externals = std::uint64_t{1} << 24;

std::uint64_t align_up(std::uint64_t n, std::uint64_t a) { return (n + a - 1) / a * a; }

std::uint64_t number_from(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return 0;
  const auto n = parse_u64(text);
  if (!n) say(std::string(name) + "=" + text + " is not a number and is ignored");
  return n.value_or(0);
}

// Variables that the host uses too lie at the addresses that the device knows.
result<done> map_variables(const cubin::program& p, emulate::device_memory& memory) {
  if (p.data.empty()) return done{};
  const std::uint64_t page = 4096, begin = p.data.front().address / page * page;
  const std::uint64_t end = align_up(p.data.back().address + p.data.back().bytes, page);
  void* at = ::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (at != reinterpret_cast<void*>(begin))
    return diagnostic{std::string("no memory for managed variables: ") + std::strerror(errno)};
  for (const cubin::data_segment& d : p.data) {
    auto* bytes = reinterpret_cast<std::byte*>(d.address);
    if (!d.init.empty()) std::memcpy(bytes, d.init.data(), d.init.size());
    if (const auto attached = memory.attach(d.address, d.bytes, bytes, "__managed__ variables"); !attached)
      return attached.error();
  }
  return done{};
}

// Gives the constant banks of a module addresses, so that copies reach them.
result<done> map_constants(state& s, module& m) {
  for (auto& [bank, bytes] : m.program->banks) {
    if (bytes.empty()) continue;
    const std::uint64_t at = s.next_constants;
    if (const auto attached = s.memory.attach(at, bytes.size(), bytes.data(), "__constant__ variables"); !attached)
      return attached.error();
    for (cubin::variable& v : m.program->variables)
      if (v.bank == bank) v.address += at;
    s.next_constants = align_up(at + bytes.size(), module_gap) + module_gap;
  }
  return done{};
}

error load_images(state& s, module& m) {
  auto loaded = cubin::load(m.fatbin, program_invocation_short_name, device_sm, s.next_bases);
  if (!loaded) {
    say(to_text(loaded.error()));
    return cudaErrorNoKernelImageForDevice;
  }
  m.program = std::move(*loaded);
  const cubin::program& p = *m.program;
  for (const cubin::code_section& c : p.sections)
    s.next_bases.code = std::max(s.next_bases.code, align_up(c.address + c.bytes.size(), module_gap) + module_gap);
  for (const cubin::data_segment& d : p.data)
    s.next_bases.data = std::max(s.next_bases.data, align_up(d.address + d.bytes, module_gap) + module_gap);
  s.next_bases.external += most_externals;
  bool managed = false;
  for (const variable* v : m.variables) managed |= v->managed != nullptr;
  const auto placed = managed ? map_variables(p, s.memory) : emulate::load_variables(p, s.memory);
  const auto mapped = placed ? map_constants(s, m) : placed;
  if (!mapped) {
    say(to_text(mapped.error()));
    return cudaErrorMemoryAllocation;
  }
  return cudaSuccess;
}

void resolve(module& m) {
  for (function* f : m.functions) {
    for (const cubin::kernel& k : m.program->kernels)
      if (k.mangled == f->name) f->kernel = &k;
    if (f->kernel == nullptr) continue;
    const std::uint32_t plain = device_multiprocessor().shared_a_block;
    f->max_dynamic_shared_bytes = plain - std::min(plain, f->kernel->static_shared_bytes);
  }
  for (variable* v : m.variables) {
    for (const cubin::variable& known : m.program->variables)
      if (known.name == v->name && v->bytes <= known.bytes) v->address = known.address;
    if (v->managed != nullptr && v->address != 0) *v->managed = reinterpret_cast<void*>(v->address);
  }
}

}  // namespace

thread_local error last_error = cudaSuccess;

state::state() : process(::getpid()), next_constants(constant_base) {
  default_stream.id = next_id++;
  done.arch = device_arch;
  done.source = "emulated";
  if (const auto on = parse_machine(device_arch)) done.on = *on;
  if (const char* file = std::getenv("BANKWISE_REPORT")) report_file = file;
  keep_accesses = std::getenv("BANKWISE_ACCESSES") != nullptr;
  budget = number_from("BANKWISE_BUDGET");
  threads = static_cast<unsigned>(std::min<std::uint64_t>(number_from("BANKWISE_THREADS"), 1024));
}

state& the_state() {
  static state* const s = [] {
    auto* made = new state;
    std::atexit([] {
      state& ending = the_state();
      const std::lock_guard lock(ending.mutex);
      write_report(ending);
    });
    return made;
  }();
  return *s;
}

void say(const std::string& text) { std::fprintf(stderr, "bankwise: %s\n", text.c_str()); }

error load(state& s, module& m) {
  if (m.loaded) return m.status;
  m.loaded = true;
  m.status = load_images(s, m);
  if (m.status == cudaSuccess) resolve(m);
  return m.status;
}

function* find_function(state& s, const void* stub) {
  auto it = s.functions.find(stub);
  // A cudaKernel_t or cudaFunction_t is the address of our own entry.
  if (it == s.functions.end())
    for (it = s.functions.begin(); it != s.functions.end(); ++it)
      if (it->second.get() == stub) break;
  if (it == s.functions.end()) return nullptr;
  load(s, *it->second->owner);
  return it->second.get();
}

variable* find_variable(state& s, const void* shadow) {
  const auto it = s.variables.find(shadow);
  if (it == s.variables.end()) return nullptr;
  load(s, *it->second->owner);
  return it->second.get();
}

stream* find_stream(state& s, stream* handle) {
  // null, cudaStreamLegacy and cudaStreamPerThread
  if (reinterpret_cast<std::uintptr_t>(handle) <= 2) return &s.default_stream;
  const auto it = s.streams.find(handle);
  return it == s.streams.end() ? nullptr : it->first;
}

namespace {

void write(const std::string& path, const std::string& text) {
  std::FILE* out = std::fopen(path.c_str(), "wb");
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out != nullptr && std::fclose(out) == 0;
  if (!written || !closed) say("cannot write " + path + ": " + std::strerror(errno));
}

// A fork has its parent's state, and its parent writes.
bool writes(const state& s) { return !s.report_file.empty() && s.process == ::getpid(); }

}  // namespace

void write_report(state& s) {
  if (writes(s)) write(s.report_file, to_json(s.done));
}

void write_fault(const state& s, const std::string& what) {
  if (writes(s)) write(s.report_file + ".fault", what);
}

}  // namespace bankwise::cuda
