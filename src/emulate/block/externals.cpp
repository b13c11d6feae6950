// Functions that the CUDA driver supplies to kernels: printf, assert, malloc, free, launches. These functions are host
// code that follows the device's calling convention. Arguments are in R4 and the next registers, each at a multiple of
// its size. The result is in R4, and the return address is in R20.
#include <bit>
#include <cstdio>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "emulate/block/externals.hpp"

#include "emulate/block/paths.hpp"

namespace bankwise::emulate {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned first_argument = 4, return_register = 20;
constexpr std::size_t most_text = 1u << 16;      // largest number of characters of a format or of one %s
constexpr unsigned most_width = 1u << 12;        // largest width and largest precision of a conversion
constexpr std::size_t most_printed = 64u << 20;  // largest number of bytes that one block prints
// this number of characters of a format counts as one instruction of the budget
constexpr std::uint64_t characters_a_step = 64;

// A lane that calls a function: its arguments and its memory.
struct caller {
  worker& m;
  unsigned lane;

  u32 word(unsigned r) const { return m.w->reg(r)[lane]; }
  std::pair<u64, u32> thread() const {
    const auto& grid = m.s->l->grid;
    const auto& at = m.block->index;
    return {at[0] + u64{grid[0]} * (at[1] + u64{grid[1]} * at[2]), m.w->id * 32 + lane};
  }
  u64 pair(unsigned r) const { return static_cast<u64>(word(r + 1)) << 32 | word(r); }
  void give(u64 value, bool wide) const {
    m.w->reg(first_argument)[lane] = static_cast<u32>(value);
    if (wide) m.w->reg(first_argument + 1)[lane] = static_cast<u32>(value >> 32);
  }

  // The byte at a generic address, or null. Sets `room` to the number of bytes from this address to the end of the
  // memory.
  const std::byte* at(u64 address, u64& room) const {
    if (address - shared_window < window_bytes) {
      const u64 offset = address - shared_window;
      if (offset >= m.block->shared.size()) return nullptr;
      room = m.block->shared.size() - offset;
      return m.block->shared.data() + offset;
    }
    if (address - local_window < window_bytes) {
      const u64 offset = address - local_window, size = m.s->local_bytes;
      if (offset >= size) return nullptr;
      room = size - offset;
      m.w->local_used = true;
      return m.w->local.data() + size * lane + offset;
    }
    const region* r = m.s->memory->find(address);
    if (r == nullptr) return nullptr;
    room = r->bytes - (address - r->address);
    return r->data + (address - r->address);
  }
  // Reads a text up to its zero byte, to the end of the memory, or to a limit. Returns false if the address is invalid.
  bool text(u64 address, std::string& s) const {
    u64 room = 0;
    const std::byte* p = at(address, room);
    if (p == nullptr) return false;
    const auto* chars = reinterpret_cast<const char*>(p);
    for (u64 i = 0; i < room && i < most_text && chars[i] != '\0'; ++i) s += chars[i];
    return true;
  }
};

// --- printf

// The arguments of printf in memory. Each argument is at a multiple of its size.
class argument_list {
 public:
  argument_list(const caller& c, u64 address) : c_(c), address_(address) {}

  // Returns false if the argument is not in memory.
  bool take(unsigned bytes, u64& value) {
    address_ = (address_ + bytes - 1) / bytes * bytes;
    u64 room = 0;
    const std::byte* p = c_.at(address_, room);
    if (p == nullptr || room < bytes) return false;
    value = 0;
    std::memcpy(&value, p, bytes);
    address_ += bytes;
    ++taken_;
    return true;
  }
  int taken() const { return taken_; }

 private:
  const caller& c_;
  u64 address_;
  int taken_ = 0;
};

// The parts of a conversion such as "%-8.3lld".
struct conversion {
  std::string flags;
  bool has_precision = false;
  unsigned width = 0, precision = 0;
  bool wide = false;  // whether the argument has 64 bits
  unsigned halves = 0;
  char letter = 0;
};

// Formats the value with the host's printf. CUDA's own printf also uses the host's printf.
template <class T>
void append(std::string& out, const conversion& c, const char* length, T value) {
  const std::string format = formatted("%{}{}{}{}{}", c.flags, c.width != 0 ? std::to_string(c.width) : "",
                                       c.has_precision ? formatted(".{}", c.precision) : "", length, c.letter);
  char small[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int n = std::snprintf(small, sizeof small, format.c_str(), value);
  if (n < 0) return;
  if (static_cast<std::size_t>(n) < sizeof small) {
    out.append(small, static_cast<std::size_t>(n));
    return;
  }
  std::string large(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.c_str(), value);
#pragma GCC diagnostic pop
  out.append(large, 0, static_cast<std::size_t>(n));
}

// Formats one argument as its conversion requires. Returns false if the argument is not in memory.
bool convert(const caller& c, const conversion& how, argument_list& list, std::string& out) {
  u64 value = 0;
  switch (how.letter) {
    case 'd':
    case 'i': {
      if (!list.take(how.wide ? 8 : 4, value)) return false;
      auto n = how.wide ? static_cast<long long>(value) : static_cast<std::int32_t>(value);
      if (how.halves == 1) n = static_cast<std::int16_t>(n);
      if (how.halves == 2) n = static_cast<std::int8_t>(n);  // NOLINT(bugprone-signed-char-misuse): a number
      append(out, how, "ll", n);
      return true;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (!list.take(how.wide ? 8 : 4, value)) return false;
      if (how.halves == 1) value &= 0xffff;
      if (how.halves == 2) value &= 0xff;
      append(out, how, "ll", static_cast<unsigned long long>(value));
      return true;
    case 'c':
      if (!list.take(4, value)) return false;
      append(out, how, "", static_cast<int>(static_cast<unsigned char>(value)));
      return true;
    case 'p':
      if (!list.take(8, value)) return false;
      append(out, how, "", reinterpret_cast<void*>(static_cast<std::uintptr_t>(value)));  // NOLINT: only printed
      return true;
    case 's': {
      if (!list.take(8, value)) return false;
      std::string text;
      if (!c.text(value, text)) text = "(null)";
      append(out, how, "", text.c_str());
      return true;
    }
    default: {  // a float
      if (!list.take(8, value)) return false;
      append(out, how, "", std::bit_cast<double>(value));
      return true;
    }
  }
}

bool number(std::string_view& f, argument_list& list, unsigned& n, bool& negative) {
  if (!f.empty() && f[0] == '*') {
    f.remove_prefix(1);
    u64 value = 0;
    if (!list.take(4, value)) return false;
    const auto given = static_cast<std::int32_t>(value);
    negative = given < 0;
    n = std::min(most_width, negative ? 0u - static_cast<u32>(given) : static_cast<u32>(given));
    return true;
  }
  for (; !f.empty() && f[0] >= '0' && f[0] <= '9'; f.remove_prefix(1))
    n = std::min(most_width, n * 10 + static_cast<unsigned>(f[0] - '0'));
  return true;
}

// The output of printf. A conversion is printed unchanged if C does not support it, or if its argument is missing.
std::string printed(const caller& c, std::string_view f, argument_list& list) {
  std::string out;
  while (!f.empty()) {
    const std::size_t percent = f.find('%');
    out += f.substr(0, percent);
    if (percent == std::string_view::npos) break;
    f.remove_prefix(percent);
    const std::string_view whole = f;
    f.remove_prefix(1);
    if (!f.empty() && f[0] == '%') {
      out += '%';
      f.remove_prefix(1);
      continue;
    }
    conversion how;
    for (; !f.empty() && std::string_view("-+ #0").find(f[0]) != std::string_view::npos; f.remove_prefix(1))
      if (how.flags.find(f[0]) == std::string::npos) how.flags += f[0];
    bool left = false, no_precision = false;
    bool good = number(f, list, how.width, left);
    if (left && how.flags.find('-') == std::string::npos) how.flags += '-';
    if (good && !f.empty() && f[0] == '.') {
      f.remove_prefix(1);
      good = number(f, list, how.precision, no_precision);
      how.has_precision = !no_precision;
    }
    for (; !f.empty() && std::string_view("hljztLq").find(f[0]) != std::string_view::npos; f.remove_prefix(1)) {
      if (f[0] == 'h')
        ++how.halves;
      else
        how.wide = true;
    }
    if (!f.empty()) how.letter = f[0], f.remove_prefix(1);
    constexpr std::string_view known = "diuoxXcspfFeEgGaA";
    if (!good || how.letter == 0 || known.find(how.letter) == std::string_view::npos || !convert(c, how, list, out))
      out += whole.substr(0, whole.size() - f.size());
  }
  return out;
}

bool print(worker& m, std::string text, bool is_error) {
  block_state& b = *m.block;
  b.printed_bytes += text.size();
  if (b.printed_bytes > most_printed) return false;
  if (!m.s->prints) return true;
  if (b.printed.empty() || b.printed.back().is_error != is_error)
    b.printed.push_back({std::move(text), is_error});
  else
    b.printed.back().text += text;
  return true;
}

step too_much(worker& m, unsigned lane) {
  return m.fail(fault_kind::timeout, formatted("a block prints more than {} bytes", grouped(most_printed)),
                static_cast<int>(lane), {});
}

// int vprintf(const char* format, const void* arguments): returns the number of arguments.
step vprintf(worker& m, const caller& c) {
  std::string format;
  if (!c.text(c.pair(first_argument), format)) {
    c.give(~u64{0}, false);
    return step::next;
  }
  m.block->sum.warp_instructions += format.size() / characters_a_step;
  argument_list list(c, c.pair(first_argument + 2));
  std::string text = printed(c, format, list);
  m.block->sum.warp_instructions += text.size() / characters_a_step;
  c.give(static_cast<u64>(list.taken()), false);
  return print(m, std::move(text), false) ? step::next : too_much(m, c.lane);
}

// --- assert

// void __assertfail(const char* expression, const char* file, unsigned line, const char* function, size_t char_bytes)
step assert_failed(worker& m, const caller& c) {
  const auto text = [&](unsigned r) {
    std::string s;
    c.text(c.pair(r), s);
    return s;
  };
  const launch& l = *m.s->l;
  const u32 t = m.w->id * 32 + c.lane;
  const auto triple = [](u32 x, u32 y, u32 z) { return formatted("[{},{},{}]", x, y, z); };
  const std::string failed = formatted("Assertion `{}` failed", text(first_argument));
  std::string message =
      formatted("{}:{}: {}: block: {}, thread: {} {}.\n", text(first_argument + 2), c.word(first_argument + 4),
                text(first_argument + 6), triple(m.block->index[0], m.block->index[1], m.block->index[2]),
                triple(t % l.block[0], t / l.block[0] % l.block[1], t / l.block[0] / l.block[1]), failed);
  if (!print(m, std::move(message), true)) return too_much(m, c.lane);
  // The error names the first lane that failed. The other lanes also print their lines.
  return m.fault_is == fault_kind::assert_failed
             ? step::fault
             : m.fail(fault_kind::assert_failed, failed, static_cast<int>(c.lane), {});
}

// --- Heap

step allocate(worker& m, const caller& c) {
  const std::lock_guard lock(*m.s->heap);
  const u64 bytes = c.pair(first_argument), at = m.s->memory->heap().allocate(bytes);
  // A rehearsal restores the heap, but not which bytes were written.
  if (at != 0 && m.s->changed == nullptr && m.s->memory->written != nullptr) m.s->memory->written->clear(at, bytes);
  c.give(at, true);
  return step::next;
}
step release(worker& m, const caller& c) {
  const u64 address = c.pair(first_argument);
  const std::lock_guard lock(*m.s->heap);
  if (address == 0 || m.s->memory->heap().release(address)) return step::next;
  return m.fail(fault_kind::illegal_address,
                formatted("frees address 0x{}, but malloc did not return this address, or the address is already "
                          "free",
                          hex(address)),
                static_cast<int>(c.lane), {});
}

// --- Launches from kernels: the calls of libcudadevrt to the driver. 0 is success

constexpr u64 refused = 1;
constexpr std::size_t most_prepared = 1u << 20;

// void* (const void* kernel, dim3 grid, dim3 block, unsigned dynamic_shared_bytes): returns the address of memory for
// the kernel's parameters, or null
step prepare_launch(worker& m, const caller& c) {
  const launch& l = *m.s->l;
  if (!m.s->launches->launch)
    return m.fail("launches a kernel, but bankwise executes launches from kernels only in whole programs",
                  static_cast<int>(c.lane), formatted("use bankwise run PROGRAM, without {}", worded(setting::grid)));
  const u64 address = c.pair(first_argument);
  child_launch child;
  for (const cubin::kernel& k : l.program->kernels)
    if (l.program->sections[k.section].address + k.offset == address) child.kernel = &k;
  if (child.kernel == nullptr)
    return m.fail(fault_kind::launch_failure,
                  formatted("launches the function at address 0x{}, which is not a kernel", hex(address)),
                  static_cast<int>(c.lane), {});
  for (unsigned i = 0; i < 3; ++i) {
    child.grid[i] = c.word(first_argument + 2 + i);
    child.block[i] = c.word(first_argument + 5 + i);
  }
  child.dynamic_shared_bytes = c.word(first_argument + 8);
  const std::lock_guard lock(*m.s->heap);
  const u64 at = m.s->launches->prepared.size() < most_prepared
                     ? m.s->memory->heap().allocate(cubin::parameter_bytes(*child.kernel))
                     : 0;
  if (at != 0) m.s->launches->prepared[at] = std::move(child);
  c.give(at, true);
  return step::next;
}

// error (void* parameters, cudaStream_t): ignores all streams except cudaStreamTailLaunch, because child launches begin
// in order anyway
step launch_prepared(worker& m, const caller& c) {
  constexpr u64 tail = 3;  // cudaStreamTailLaunch
  const u64 at = c.pair(first_argument);
  const std::lock_guard lock(*m.s->heap);
  const auto it = m.s->launches->prepared.find(at);
  if (it == m.s->launches->prepared.end()) {
    c.give(refused, false);
    return step::next;
  }
  child_launch child = std::move(it->second);
  m.s->launches->prepared.erase(it);
  const std::size_t bytes = cubin::parameter_bytes(*child.kernel);
  const std::byte* from = m.s->memory->bytes_at(at, bytes);
  child.parameters.assign(from, from + bytes);
  m.s->memory->heap().release(at);
  child.last = c.pair(first_argument + 2) == tail;
  c.give((m.s->launches->launch)(std::move(child)) ? 0 : refused, false);
  return step::next;
}

// error (cudaStream_t*, unsigned flags)
step create_stream(worker& m, const caller& c) {
  constexpr u64 handle = 0x100;  // any value that has no special meaning
  std::byte* to = nullptr;
  u64 room = 0;
  if (const std::byte* at = c.at(c.pair(first_argument), room); at != nullptr && room >= sizeof handle)
    to = const_cast<std::byte*>(at);  // at() returns only the emulator's own memory
  if (to == nullptr)
    return m.fail(fault_kind::illegal_address,
                  "writes the handle of a stream to an address that is not in any allocation", static_cast<int>(c.lane),
                  {});
  m.keep_bytes(to, sizeof handle);
  std::memcpy(to, &handle, sizeof handle);
  c.give(0, false);
  return step::next;
}
step destroy_stream(worker&, const caller& c) {
  c.give(0, false);
  return step::next;
}
// Functions for a thread's last error. The setter returns its argument.
step set_last_error(worker& m, const caller& c) {
  const std::lock_guard lock(*m.s->heap);
  m.s->launches->last_errors[c.thread()] = c.word(first_argument);
  return step::next;
}
step peek_last_error(worker& m, const caller& c) {
  const std::lock_guard lock(*m.s->heap);
  const auto it = m.s->launches->last_errors.find(c.thread());
  c.give(it == m.s->launches->last_errors.end() ? 0 : it->second, false);
  return step::next;
}
step take_last_error(worker& m, const caller& c) {
  peek_last_error(m, c);
  const std::lock_guard lock(*m.s->heap);
  m.s->launches->last_errors.erase(c.thread());
  return step::next;
}

// --- Graphs

// void cudaGraphSetConditional(handle, unsigned value)
step set_condition(worker& m, const caller& c) {
  const auto& set = m.s->launches->set_condition;
  if (!set)
    return m.fail("sets a condition of a graph, but bankwise supports graph conditions only in whole programs",
                  static_cast<int>(c.lane), formatted("use bankwise run PROGRAM, without {}", worded(setting::grid)));
  const u64 handle = c.pair(first_argument);
  const std::lock_guard lock(*m.s->heap);
  if (set(handle, c.word(first_argument + 2))) return step::next;
  return m.fail(fault_kind::launch_failure,
                formatted("sets the condition with the handle {}, which does not belong to a graph", handle),
                static_cast<int>(c.lane), "pass a handle that cudaGraphConditionalHandleCreate returned");
}

struct supplied_function {
  std::string_view name;
  step (*run)(worker&, const caller&);
  bool independent = false;
  bool ends_launch = false;
  bool uses_heap = false;
};
constexpr supplied_function functions[] = {
    {.name = "vprintf", .run = vprintf, .independent = true},
    {.name = "__assertfail", .run = assert_failed, .independent = true, .ends_launch = true},
    {.name = "malloc", .run = allocate, .uses_heap = true},
    {.name = "free", .run = release},
    {.name = "__cuda_syscall_cnpv2GetParameterBufferV2", .run = prepare_launch, .uses_heap = true},
    {.name = "__cuda_syscall_cnpv2LaunchDeviceV2", .run = launch_prepared},
    {.name = "__cuda_syscall_cnpv2StreamCreate", .run = create_stream},
    {.name = "__cuda_syscall_cnpv2StreamDestroy", .run = destroy_stream},
    {.name = "__cuda_syscall_cnpv2SetLastError", .run = set_last_error},
    {.name = "__cuda_syscall_cnpv2GetLastError", .run = take_last_error},
    {.name = "__cuda_syscall_cnpv2PeekAtLastError", .run = peek_last_error},
    {.name = "cudaGraphSetConditional", .run = set_condition},
};

const supplied_function* find(std::string_view name) {
  for (const supplied_function& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace

bool is_supplied(std::string_view name) { return find(name) != nullptr; }

bool uses_heap(std::string_view name) {
  const supplied_function* f = find(name);
  return f != nullptr && f->uses_heap;
}

bool changes_nothing_shared(std::string_view name) {
  const supplied_function* f = find(name);
  return f != nullptr && f->independent;
}

std::uint64_t return_address(worker& m) {
  const auto back = [&](unsigned lane) { return caller{m, lane}.pair(return_register); };
  const std::uint64_t first = back(static_cast<unsigned>(std::countr_zero(m.p->mask)));
  u32 elsewhere = 0;
  for (u32 rest = m.p->mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (back(lane) != first) elsewhere |= 1u << lane;
  }
  if (elsewhere != 0) split(m, elsewhere, m.p->pc);
  return first;
}

step call_supplied(worker& m, std::string_view name) {
  const supplied_function* f = find(name);
  if (f == nullptr) return m.fail(formatted("calls {}, which does not exist", name));
  m.fault_is = fault_kind::none;
  step last = step::next;
  for (u32 rest = m.p->mask; rest != 0 && (last != step::fault || f->ends_launch); rest &= rest - 1)
    last = f->run(m, {m, static_cast<unsigned>(std::countr_zero(rest))});
  return last;
}

}  // namespace bankwise::emulate
