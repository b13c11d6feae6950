// Functions that the CUDA driver supplies to kernels: printf, assert, malloc and free. Host code here, called as device
// code calls functions: arguments in R4 and up, each at a multiple of its size, the result in R4, the way back in R20.
#include <bit>
#include <cstdio>

#include "base/text.hpp"
#include "emulate/machine.hpp"

namespace bankwise::emulate {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned first_argument = 4, return_register = 20;
constexpr std::size_t most_text = 1u << 16;      // characters of a format or of one %s
constexpr unsigned most_width = 1u << 12;        // of a conversion, and its precision
constexpr std::size_t most_printed = 64u << 20;  // by one block
constexpr std::uint64_t characters_a_step = 64;  // of a format, for the budget

// One lane's view of the machine.
struct caller {
  machine& m;
  unsigned lane;

  u32 word(unsigned r) const { return m.w->reg(r)[lane]; }
  u64 pair(unsigned r) const { return static_cast<u64>(word(r + 1)) << 32 | word(r); }
  void give(u64 value, bool wide) const {
    m.w->reg(first_argument)[lane] = static_cast<u32>(value);
    if (wide) m.w->reg(first_argument + 1)[lane] = static_cast<u32>(value >> 32);
  }

  // The byte at a generic address and how many follow it, or null.
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
  // The text up to its zero byte, or up to where memory or patience ends. False: not an address.
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

// The arguments of printf in memory, each at a multiple of its size.
class argument_list {
 public:
  argument_list(const caller& c, u64 address) : c_(c), address_(address) {}

  // False: there is no memory there.
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

// "%-8.3lld" taken apart.
struct conversion {
  std::string flags;
  bool has_precision = false;
  unsigned width = 0, precision = 0;
  bool wide = false;  // 64 bits
  unsigned halves = 0;
  char letter = 0;
};

// The conversion's text by the host's printf, which CUDA's own uses too.
template <class T>
void append(std::string& out, const conversion& c, const char* length, T value) {
  const std::string format = "%" + c.flags + (c.width != 0 ? std::to_string(c.width) : "") +
                             (c.has_precision ? "." + std::to_string(c.precision) : "") + length + c.letter;
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

// One argument as its conversion wants it. False: there is none in memory.
bool convert(const caller& c, const conversion& how, argument_list& list, std::string& out) {
  u64 value = 0;
  switch (how.letter) {
    case 'd':
    case 'i': {
      if (!list.take(how.wide ? 8 : 4, value)) return false;
      auto n = how.wide ? static_cast<long long>(value) : static_cast<std::int32_t>(value);
      if (how.halves == 1) n = static_cast<std::int16_t>(n);
      if (how.halves == 2) n = static_cast<std::int8_t>(n);
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

// Reads digits or a star. False: a star without an argument.
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

// What printf writes; a conversion that C does not have, or whose argument is not there, prints as it stands.
std::string formatted(const caller& c, std::string_view f, argument_list& list) {
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

bool print(machine& m, std::string text, bool is_error) {
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

step too_much(machine& m, unsigned lane) {
  return m.fail(fault_kind::timeout, "a block prints more than " + grouped(most_printed) + " bytes",
                static_cast<int>(lane), {});
}

// int vprintf(const char* format, const void* arguments): how many arguments there were.
step vprintf(machine& m, const caller& c) {
  std::string format;
  if (!c.text(c.pair(first_argument), format)) {
    c.give(~u64{0}, false);
    return step::next;
  }
  m.block->instructions += format.size() / characters_a_step;
  argument_list list(c, c.pair(first_argument + 2));
  std::string text = formatted(c, format, list);
  m.block->instructions += text.size() / characters_a_step;
  c.give(static_cast<u64>(list.taken()), false);
  return print(m, std::move(text), false) ? step::next : too_much(m, c.lane);
}

// --- assert

// void __assertfail(const char* expression, const char* file, unsigned line, const char* function, size_t char_bytes)
step assert_failed(machine& m, const caller& c) {
  const auto text = [&](unsigned r) {
    std::string s;
    c.text(c.pair(r), s);
    return s;
  };
  const launch& l = *m.s->l;
  const u32 t = m.w->id * 32 + c.lane;
  const auto triple = [](u32 x, u32 y, u32 z) {
    return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
  };
  const std::string failed = "Assertion `" + text(first_argument) + "` failed";
  std::string message =
      text(first_argument + 2) + ":" + std::to_string(c.word(first_argument + 4)) + ": " + text(first_argument + 6) +
      ": block: " + triple(m.block->index[0], m.block->index[1], m.block->index[2]) +
      ", thread: " + triple(t % l.block[0], t / l.block[0] % l.block[1], t / l.block[0] / l.block[1]) + " " + failed +
      ".\n";
  if (!print(m, std::move(message), true)) return too_much(m, c.lane);
  // The first lane that failed is the one that the error names; the others have their line, too.
  return m.fault_is == fault_kind::assert_failed
             ? step::fault
             : m.fail(fault_kind::assert_failed, failed, static_cast<int>(c.lane), {});
}

// --- the heap

step allocate(machine& m, const caller& c) {
  const std::lock_guard lock(*m.s->heap);
  c.give(m.s->memory->heap().allocate(c.pair(first_argument)), true);
  return step::next;
}
step release(machine& m, const caller& c) {
  const u64 address = c.pair(first_argument);
  const std::lock_guard lock(*m.s->heap);
  if (address == 0 || m.s->memory->heap().release(address)) return step::next;
  return m.fail(fault_kind::illegal_address,
                "frees address 0x" + hex(address) + ", which malloc did not return, or which is free",
                static_cast<int>(c.lane), {});
}

struct supplied_function {
  std::string_view name;
  step (*run)(machine&, const caller&);
  bool independent;
  bool ends_launch;
};
constexpr supplied_function functions[] = {
    {"vprintf", vprintf, true, false},
    {"__assertfail", assert_failed, true, true},
    {"malloc", allocate, false, false},
    {"free", release, false, false},
};

const supplied_function* find(std::string_view name) {
  for (const supplied_function& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace

bool is_supplied(std::string_view name) { return find(name) != nullptr; }

bool changes_nothing_shared(std::string_view name) {
  const supplied_function* f = find(name);
  return f != nullptr && f->independent;
}

std::uint64_t return_address(machine& m) {
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

step call_supplied(machine& m, std::string_view name) {
  const supplied_function* f = find(name);
  if (f == nullptr) return m.fail("it calls " + std::string(name) + ", which is not there");
  m.fault_is = fault_kind::none;
  step last = step::next;
  for (u32 rest = m.p->mask; rest != 0 && (last != step::fault || f->ends_launch); rest &= rest - 1)
    last = f->run(m, {m, static_cast<unsigned>(std::countr_zero(rest))});
  return last;
}

}  // namespace bankwise::emulate
