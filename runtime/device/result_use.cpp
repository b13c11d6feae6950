#include "runtime/device/result_use.hpp"

#include <algorithm>
#include <cstring>

namespace bankwise::cuda {

namespace {

#if defined(__x86_64__)

// An instruction of x86-64 in one of the forms that compilers write after a call.
//
//     prefixes   REX   opcode   ModRM [SIB] [displacement]   [immediate]
struct instruction {
  enum class kind : std::uint8_t { unknown, other, jump, branch, call, returns };
  kind is = kind::unknown;
  unsigned bytes = 0;
  bool reads = false, writes = false;  // eax
  const unsigned char* target = nullptr;
};

struct operands {
  unsigned bytes = 0, reg = 0, rm = 0;
  bool is_register = false;    // whether rm is a register, and not memory
  bool address_reads = false;  // whether the address contains rax
};

operands read_operands(const unsigned char* at, unsigned rex) {
  operands o;
  const unsigned mode = at[0] >> 6, low = at[0] & 7;
  o.reg = (at[0] >> 3 & 7) | (rex & 4) << 1;
  o.rm = low | (rex & 1) << 3;
  o.is_register = mode == 3;
  o.bytes = 1;
  if (o.is_register) return o;
  bool wide = mode == 2;
  if (low == 4) {
    const unsigned base = (at[1] & 7) | (rex & 1) << 3, index = (at[1] >> 3 & 7) | (rex & 2) << 2;
    o.bytes = 2;
    wide |= mode == 0 && (at[1] & 7) == 5;
    o.address_reads = (base == 0 && !(mode == 0 && (at[1] & 7) == 5)) || index == 0;
  } else {
    wide |= mode == 0 && low == 5;
    o.address_reads = o.rm == 0;
  }
  o.bytes += wide ? 4 : mode == 1 ? 1 : 0;
  return o;
}

std::int32_t number_at(const unsigned char* p) {
  std::int32_t n = 0;
  std::memcpy(&n, p, sizeof n);
  return n;
}

// Opcodes with two operands in ModRM, of which `reg` or `rm` is written.
instruction decode(const unsigned char* const code) {
  using kind = instruction::kind;
  instruction i;
  const unsigned char* p = code;
  bool is_short = false;  // 16-bit immediates
  for (; *p == 0x66 || *p == 0xf2 || *p == 0xf3 || *p == 0x64 || *p == 0x2e; ++p) is_short |= *p == 0x66;
  const unsigned rex = (*p & 0xf0) == 0x40 ? *p++ : 0;
  const unsigned op = *p++;
  const auto end = [&](unsigned more, kind is = kind::other) {
    i.is = is;
    i.bytes = static_cast<unsigned>(p - code) + more;
    return i;
  };
  if (op == 0xc3 || op == 0xc2) return end(op == 0xc2 ? 2 : 0, kind::returns);
  if (op == 0xc9 || op == 0x90) return end(0);  // leave, nop
  if ((op & 0xf0) == 0x50) {                    // push, pop
    const bool is_a = (op & 7) == 0 && (rex & 1) == 0;
    i.reads = is_a && op < 0x58;
    i.writes = is_a && op >= 0x58;
    return end(0);
  }
  if (op == 0xe8 || op == 0xe9 || op == 0xeb) {
    i.target = p + (op == 0xeb ? 1 : 4) + (op == 0xeb ? static_cast<signed char>(*p) : number_at(p));
    return end(op == 0xeb ? 1 : 4, op == 0xe8 ? kind::call : kind::jump);
  }
  if ((op & 0xf0) == 0x70) {
    i.target = p + 1 + static_cast<signed char>(*p);
    return end(1, kind::branch);
  }
  if ((op & 0xf8) == 0xb8) {  // mov register, immediate
    i.writes = (op & 7) == 0 && (rex & 1) == 0;
    return end((rex & 8) != 0 ? 8 : is_short ? 2 : 4);
  }
  const bool is_wide_opcode = op == 0x0f;
  const unsigned second = is_wide_opcode ? *p++ : 0;
  if (is_wide_opcode && (second & 0xf0) == 0x80) {
    i.target = p + 4 + number_at(p);
    return end(4, kind::branch);
  }
  const operands o = read_operands(p, rex);
  const auto rm_is_a = o.is_register && o.rm == 0;
  i.reads = o.address_reads;
  if (is_wide_opcode) {
    switch (second) {
      case 0x1e:                                        // endbr64
      case 0x1f: i.reads = false; return end(o.bytes);  // nop
      case 0x10:
      case 0x11:
      case 0x28:
      case 0x29:
      case 0x57:
      case 0x6f:
      case 0x7f:  // moves of vectors
      case 0xd6:
      case 0xef: return end(o.bytes);
      case 0xb6:
      case 0xb7:
      case 0xbe:
      case 0xbf:  // movzx, movsx
        i.reads |= rm_is_a;
        i.writes = o.reg == 0;
        return end(o.bytes);
      default: return i;
    }
  }
  switch (op) {
    case 0x8b:  // mov register, rm
      i.reads |= rm_is_a;
      i.writes = o.reg == 0;
      return end(o.bytes);
    case 0x8d: i.writes = o.reg == 0; return end(o.bytes);  // lea
    case 0x89:                                              // mov rm, register
      i.reads |= o.reg == 0;
      i.writes = rm_is_a;
      return end(o.bytes);
    case 0x31:
    case 0x33:  // xor; of a register with itself, it is a move of zero
      if (o.is_register && o.reg == o.rm) {
        i.writes = o.reg == 0;
        return end(o.bytes);
      }
      i.reads |= rm_is_a || o.reg == 0;
      return end(o.bytes);
    case 0x01:
    case 0x03:
    case 0x29:
    case 0x2b:
    case 0x39:
    case 0x3b:
    case 0x85:
    case 0x84:
    case 0x21:
    case 0x23:
    case 0x09:
    case 0x0b:
    case 0x38:
    case 0x3a:
    case 0x63: i.reads |= rm_is_a || o.reg == 0; return end(o.bytes);
    case 0x83:
    case 0xc1: i.reads |= rm_is_a; return end(o.bytes + 1);
    case 0x80: i.reads |= rm_is_a; return end(o.bytes + 1);
    case 0x81: i.reads |= rm_is_a; return end(o.bytes + (is_short ? 2 : 4));
    case 0xc6: return end(o.bytes + 1);
    case 0xc7: i.writes = rm_is_a; return end(o.bytes + (is_short ? 2 : 4));
    case 0xff:
      i.reads |= rm_is_a;
      if ((p[0] >> 3 & 7) == 2) return end(o.bytes, kind::call);
      return (p[0] >> 3 & 7) == 6 || (p[0] >> 3 & 7) < 2 ? end(o.bytes) : i;
    default: return i;
  }
}

result_use follow(const unsigned char* code, unsigned& left, unsigned depth) {
  using kind = instruction::kind;
  while (left != 0) {
    --left;
    const instruction i = decode(code);
    if (i.is == kind::unknown || i.reads) return result_use::used;
    if (i.writes || i.is == kind::call) return result_use::overwritten;
    if (i.is == kind::returns) return result_use::returned;
    if (i.is == kind::branch) {
      constexpr unsigned most_depth = 3;
      if (depth == most_depth) return result_use::used;
      // A use on one of the paths decides, then a return.
      const result_use taken = follow(i.target, left, depth + 1);
      if (taken == result_use::used) return taken;
      const result_use next = follow(code + i.bytes, left, depth + 1);
      return next == result_use::overwritten ? taken : next;
    }
    code = i.is == kind::jump ? i.target : code + i.bytes;
  }
  return result_use::used;
}

#endif

}  // namespace

result_use use_at([[maybe_unused]] const unsigned char* code, [[maybe_unused]] unsigned most_instructions) {
#if defined(__x86_64__)
  return follow(code, most_instructions, 0);
#else
  return result_use::used;
#endif
}

bool uses_result(const std::vector<std::uint64_t>& sites) {
  for (const std::uint64_t at : sites)
    if (const result_use how = use_at(reinterpret_cast<const unsigned char*>(at)); how != result_use::returned)
      return how == result_use::used;
  return true;
}

}  // namespace bankwise::cuda
