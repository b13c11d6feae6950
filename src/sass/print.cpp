#include "sass/print.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "sass/words.hpp"

namespace bankwise::sass {

namespace {

using sv = std::string_view;

std::string reg(std::uint64_t n) { return n == register_zero ? "RZ" : "R" + std::to_string(n); }
std::string ureg(std::uint64_t n) { return n == uniform_register_zero ? "URZ" : "UR" + std::to_string(n); }
std::string pred(std::uint64_t n) { return n == predicate_true ? "PT" : "P" + std::to_string(n); }
std::string upred(std::uint64_t n) { return n == predicate_true ? "UPT" : "UP" + std::to_string(n); }
std::string hex0x(std::uint64_t n) { return "0x" + hex(n); }
std::string signed_hex(std::int64_t n) {
  return n < 0 ? "-0x" + hex(0 - static_cast<std::uint64_t>(n)) : hex0x(static_cast<std::uint64_t>(n));
}

// nvdisasm prints floats with 20 significant digits, and from a thousand million on with 20 digits behind the point.
std::string float_text(double v) {
  if (std::isnan(v))
    return std::string(std::signbit(v) ? "-" : "+") + ((bits_of_double(v) >> 51 & 1) != 0 ? "QNAN " : "SNAN ");
  if (std::isinf(v)) return v < 0 ? "-INF " : "+INF ";
  if (v == 0) return std::signbit(v) ? "-0.0 " : "0";
  char buffer[64];
  const int n = std::snprintf(buffer, sizeof buffer, std::fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
  return {buffer, static_cast<std::size_t>(n)};
}

class printer {
 public:
  printer(const instruction& i, std::uint64_t pc, bool reuse) : i_(i), pc_(pc), reuse_(reuse) {}

  std::string run() {
    const opcode_info* info = i_.info();
    if (info == nullptr) return "UNKNOWN 0x" + hex(i_.high, 16) + hex(i_.low, 16);
    info_ = info;
    if (i_.guard() != predicate_true || i_.guard_negated()) {
      out_ += std::string("@") + (i_.guard_negated() ? "!" : "") +
              (has_uniform_guard(*info) ? upred(i_.guard()) : pred(i_.guard())) + " ";
    }
    format(info->format);
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return std::move(out_);
  }

 private:
  void format(sv f) {
    while (!f.empty()) {
      if (f[0] != '{') {
        out_ += f[0];
        f.remove_prefix(1);
        continue;
      }
      const std::size_t close = f.find('}');
      item(f.substr(1, close - 1));
      f.remove_prefix(close + 1);
    }
  }

  static unsigned number(sv s) {
    unsigned n = 0;
    std::from_chars(s.data(), s.data() + s.size(), n);
    return n;
  }

  // A source predicate with its negation bit three above.
  std::string not_pred(unsigned at, bool uniform) const {
    return std::string(i_.bit(at + 3) ? "!" : "") + (uniform ? upred(i_.bits(at, 3)) : pred(i_.bits(at, 3)));
  }
  static std::string inverted_pred(std::uint64_t p, bool uniform) {
    return std::string((p & 8) != 0 ? "!" : "") + (uniform ? upred(7 - (p & 7)) : pred(7 - (p & 7)));
  }
  bool is_plain_true(unsigned at) const { return i_.bits(at, 4) == predicate_true; }

  void item(sv t) {
    switch (t[0]) {
      case '.': {
        const std::size_t mark = t.find_first_of(":!");
        if (i_.bit(number(t.substr(mark + 1))) == (t[mark] == ':')) out_ += t.substr(0, mark);
        return;
      }
      case '%': {
        const std::size_t first = t.find(':'), second = t.find(':', first + 1);
        const auto value = i_.bits(number(t.substr(first + 1)), number(t.substr(second + 1)));
        const sv name = t.substr(1, first - 1);
        if (name == "sr") {
          const sv text = special_register(static_cast<unsigned>(value), i_.set);
          out_ += text.empty() ? "SR" + std::to_string(value) : std::string(text);
          return;
        }
        const auto table = words(name, i_.set);
        out_ += value < table.size() ? std::string(table[value]) : ".INVALID" + std::to_string(value);
        return;
      }
      case 'R': out_ += reg(i_.bits(number(t.substr(1)), 8)) + reuse_mark(number(t.substr(1))); return;
      case 'U': out_ += ureg(i_.uniform(number(t.substr(1)))); return;
      case 'P': out_ += pred(i_.bits(number(t.substr(1)), 3)); return;
      case 'Q': out_ += upred(i_.bits(number(t.substr(1)), 3)); return;
      case 'B':
        if (t[1] == '/') break;
        out_ += "B" + std::to_string(i_.bits(number(t.substr(1)), 4));
        return;
      case '!': out_ += not_pred(number(t.substr(2)), t[1] == 'Q'); return;
      case '+':
        if (t[1] == '~') {
          // Stored inverted: all zero is PT.
          if (const auto p = i_.bits(number(t.substr(3)), 4); p != 0) out_ += ", " + inverted_pred(p, t[2] == 'Q');
          return;
        }
        if (!is_plain_true(number(t.substr(3)))) out_ += ", " + not_pred(number(t.substr(3)), t[2] == 'Q');
        return;
      case '?':
        if (t[1] == '!') {
          if (!is_plain_true(number(t.substr(3)))) out_ += not_pred(number(t.substr(3)), t[2] == 'Q') + ", ";
        } else if (const auto p = i_.bits(number(t.substr(2)), 3); p != predicate_true) {
          out_ += (t[1] == 'Q' ? upred(p) : pred(p)) + ", ";
        }
        return;
      case 's': {
        const std::size_t colon = t.find(':');
        out_ += signed_hex(i_.signed_bits(number(t.substr(1)), number(t.substr(colon + 1))));
        return;
      }
      case 'x': {
        const std::size_t colon = t.find(':');
        out_ += hex0x(i_.bits(number(t.substr(1)), number(t.substr(colon + 1))));
        return;
      }
      case '@': special(t.substr(1)); return;
      default: break;
    }
    operand(t[0], t[2]);
  }

  // --- operands of ALU rows -----------------------------------------------------------------------------------------

  // a: slot at 24. b and c: slots at 32 and 64, exchanged in the forms that put c at 32. B and D are whatever stands at
  // 32, in the role of b or of c.
  void operand(char which, char type) {
    const alu_form form = form_of(i_);
    const bool c_at_32 = form == alu_form::c_imm || form == alu_form::c_const || form == alu_form::c_uniform;
    const bool at_32 = which == 'B' || which == 'D' || (which == 'b') != c_at_32;
    const bool uniform = type == 'u' || type == 'v' || type == 'w' || type == 'y' || type == 'r' || type == 'g';
    const auto name = [&](unsigned at) { return uniform ? ureg(i_.uniform(at)) : reg(i_.bits(at, 8)); };
    const unsigned reuse = which == 'a' ? 122 : which == 'b' || (which == 'B' && !c_at_32) ? 123 : 124;
    if (which == 'a') return slotted(name(24), reuse, 24, type);
    if (!at_32) return slotted(name(64), reuse, 64, type);
    switch (form) {
      case alu_form::b_imm:
      case alu_form::c_imm: return immediate(type);
      case alu_form::b_const:
      case alu_form::c_const: return slotted(constant(), 0, 32, type);
      case alu_form::b_uniform:
      case alu_form::c_uniform: return slotted(ureg(i_.uniform(32)), 0, 32, type);
      default: return slotted(name(32), reuse, 32, type);
    }
  }

  // One operand with its modifiers, whose places depend on the slot: negation, absolute value, half selection.
  void slotted(const std::string& name, unsigned reuse, unsigned slot, char type) {
    const bool halves = type == 'h' || type == 'm';
    const unsigned neg = slot == 24 ? 72 : slot == 32 ? 63 : halves ? 84 : 75;
    const unsigned abs = slot == 24 ? 73 : slot == 32 ? 62 : halves ? 83 : 74;
    const bool is_float = halves || type == 'f' || type == 'g' || type == 'd' || type == 'e';
    std::string s = name;
    if (is_float && i_.bit(abs)) s = "|" + s + "|";
    if (reuse_ && reuse != 0 && i_.bit(reuse)) s += ".reuse";
    if (type == 'h') s += half_select(slot == 24 ? 74 : slot == 32 ? 60 : 81);
    const bool negatable = is_float || type == 'i' || type == 't' || type == 'n' || type == 'v' ||
                           ((type == 'q' || type == 'r') && slot == 32);
    if (negatable && i_.bit(neg)) s = (!is_float && type != 'i' && type != 't' && i_.bit(74) ? "~" : "-") + s;
    if ((type == 'l' || type == 'w') && i_.bit(neg)) s = "~" + s;
    out_ += s;
  }

  std::string half_select(unsigned at) const {
    switch (i_.bits(at, 2)) {
      case 2: return ".H0_H0";
      case 3: return ".H1_H1";
      case 1: return info_->op == opcode::HFMA2 && at == 60 ? ".F32" : ".INVALID1";
      default: return info_->op == opcode::HFMA2 && at == 60 && i_.bit(86) ? ".H0_NH1" : "";
    }
  }

  std::string reuse_mark(unsigned slot) const {
    if (!reuse_) return "";
    const unsigned bit = slot == 24 ? 122 : slot == 32 ? 123 : slot == 64 ? 124 : 0;
    return bit != 0 && i_.bit(bit) ? ".reuse" : "";
  }

  std::string constant() const {
    const std::string offset = "[" + hex0x(i_.bits(38, 16)) + "]";
    if (i_.bit(91))
      return "cx[" + (i_.bits(32, 6) == 63 ? "URZ" : "UR" + std::to_string(i_.bits(32, 6))) + "]" + offset;
    const bool apart = info_->op == opcode::HFMA2 && i_.set < isa::hopper;
    return "c[" + hex0x(i_.bits(54, 5)) + (apart ? "] " : "]") + offset;
  }

  // float to double without turning signalling NaNs into quiet ones.
  static double widened(std::uint32_t n) {
    if ((n & 0x7f800000) != 0x7f800000) return float_of_bits(n);
    return double_of_bits(static_cast<std::uint64_t>(n & 0x80000000) << 32 | std::uint64_t{0x7ff} << 52 |
                          static_cast<std::uint64_t>(n & 0x7fffff) << 29);
  }

  void immediate(char type) {
    const auto n = static_cast<std::uint32_t>(i_.bits(32, 32));
    switch (type) {
      case 'f':
      case 'g': out_ += float_text(widened(n)); return;
      case 'd':
      case 'e': out_ += float_text(double_of_bits(static_cast<std::uint64_t>(n) << 32)); return;
      case 'h':
      case 'm': {
        const bool bf16 = i_.bit(info_->op == opcode::HSET2 || info_->op == opcode::HSETP2 ? 65 : 85);
        const auto one = [&](std::uint32_t h) {
          return float_text(bf16 ? float_of_bfloat16(static_cast<std::uint16_t>(h))
                                 : float_of_half(static_cast<std::uint16_t>(h)));
        };
        out_ += one(n >> 16);
        if (!(info_->op == opcode::HADD2 && i_.bit(78))) out_ += ", " + one(n & 0xffff);  // .F32 adds one half
        return;
      }
      case 's':
      case 'y':
      case 'n':
      case 'v': out_ += signed_hex(static_cast<std::int32_t>(n)); return;
      case 't':  // signed unless the instruction compares as unsigned
        out_ += i_.bit(72) ? signed_hex(static_cast<std::int32_t>(n)) : hex0x(n);
        return;
      default: out_ += hex0x(n); return;
    }
  }

  // --- memory addresses ---------------------------------------------------------------------------------------------

  // "[R2+UR4+0x10]": whichever parts there are.
  static std::string address(const std::string& base, const std::string& uniform, std::int64_t offset) {
    std::string s = base;
    if (!uniform.empty()) s += (s.empty() ? "" : "+") + uniform;
    if (offset != 0) s += (s.empty() ? "" : "+") + signed_hex(offset);
    return "[" + (s.empty() ? "RZ" : s) + "]";
  }

  std::string scaled_base(bool keep_zero) const {
    static constexpr sv scale[] = {"", ".X4", ".X8", ".X16"};
    const std::uint64_t r = i_.bits(24, 8), s = i_.bits(78, 2);
    return r == register_zero && !keep_zero && s == 0 ? "" : reg(r) + std::string(scale[s]);
  }

  // A shared address with an optional uniform register at `at`.
  std::string shared(bool has_uniform, unsigned at, bool scaled) const {
    const std::int64_t offset = i_.signed_bits(40, 24);
    const std::string base = scaled ? scaled_base(!has_uniform && offset == 0)
                             : i_.bits(24, 8) == register_zero && (has_uniform || offset != 0) ? ""
                                                                                               : reg(i_.bits(24, 8));
    return address(base, has_uniform ? ureg(i_.uniform(at)) : "", offset);
  }

  std::string wide_base() const { return reg(i_.bits(24, 8)) + (is_wide_address(i_) ? ".64" : ".U32"); }

  std::string described(unsigned uniform_at, std::int64_t offset) const {
    // Before sm_90 a descriptor is not printed, and neither is RZ beside a uniform register.
    const bool older = i_.set < isa::hopper;
    const std::string u = ureg(i_.uniform(uniform_at));
    if (has_descriptor(i_)) return (older ? "" : "desc[" + u + "]") + address(wide_base(), "", offset);
    return address(older && i_.bits(24, 8) == register_zero ? "" : wide_base(), u, offset);
  }

  std::string target() const { return signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_))); }

  // --- what has no pattern ------------------------------------------------------------------------------------------
  void special(sv name);
  void matrix(sv name);
  void barrier();
  void f2fp();

  const instruction& i_;
  const opcode_info* info_ = nullptr;
  std::uint64_t pc_;
  bool reuse_;
  std::string out_;
};

void printer::special(sv name) {
  using op = opcode;
  // Moves, integers.
  if (name == "quad") {
    if (i_.bits(72, 4) != 0xf) out_ += ", " + hex0x(i_.bits(72, 4));
  } else if (name == "r2p_mask") {
    if (const auto mask = i_.bits(32, 32); mask != 0xff) out_ += ", " + hex0x(mask);
  } else if (name == "iadd3_carry" || name == "uiadd3_carry") {
    const bool u = name[0] == 'u';
    if (i_.bit(74)) out_ += ", " + not_pred(87, u) + ", " + not_pred(77, u);
  } else if (name == "imad_carry" || name == "lea_carry" || name == "uimad_carry" || name == "ulea_carry") {
    if (i_.bit(74)) out_ += ", " + not_pred(87, name[0] == 'u');
  } else if (name == "lea_sx") {
    if (i_.bit(73)) out_ += ".SX32";
  } else if (name == "lea_high" || name == "ulea_high") {
    if (i_.bit(80) && !i_.bit(73)) {
      operand('c', name[0] == 'u' ? 'u' : 'x');
      out_ += ", ";
    }
  } else if (name == "isetp_ex" || name == "uisetp_ex") {
    if (i_.bit(72)) out_ += ", " + not_pred(68, name[0] == 'u');
  } else if (name == "imad") {
    // Aliases that say what a multiplication by 0, 1 or a power of two is for.
    out_ += "IMAD";
    const alu_form form = form_of(i_);
    const bool c_at_32 = form == alu_form::c_imm || form == alu_form::c_const || form == alu_form::c_uniform;
    const bool b_imm = form == alu_form::b_imm;
    const bool aliased = b_imm || form == alu_form::b_reg_c_reg || form == alu_form::c_imm ||
                         (form == alu_form::c_const && i_.set < isa::hopper);
    const auto imm = i_.bits(32, 32);
    const bool b_zero = b_imm ? imm == 0 : i_.bits(c_at_32 ? 64 : 32, 8) == register_zero;
    if (aliased && !i_.bit(74)) {
      const bool power_of_two = imm != 0 && (imm & (imm - 1)) == 0 && imm != 0x10000;
      if (b_zero || i_.bits(24, 8) == register_zero)
        out_ += ".MOV";
      else if (b_imm && imm == 1)
        out_ += ".IADD";
      else if (b_imm && power_of_two && i_.bits(64, 8) == register_zero)
        out_ += ".SHL";
    }
    if (!i_.bit(73)) out_ += ".U32";
    if (i_.bit(74)) out_ += ".X";
  } else if (name == "idp") {
    if (!i_.bit(76))
      out_ += std::string(".4A") + (i_.bit(73) ? ".S8" : ".U8") + (i_.bit(74) ? ".S8" : ".U8");
    else
      out_ +=
          std::string(i_.bit(77) ? ".2A.HI" : ".2A.LO") + (i_.bit(73) ? ".S16" : ".U16") + (i_.bit(74) ? ".S8" : ".U8");
  } else if (name == "mufu_src") {
    const auto function = i_.bits(74, 4);
    operand('B', function == 6 || function == 7 ? 'd' : 'f');
  } else if (name == "half_flush") {
    out_ += i_.bit(80) && i_.bit(76) ? ".OOB" : i_.bit(80) ? ".FTZ" : i_.bit(76) ? ".FMZ" : "";
  } else if (name == "relu_pred") {
    if (i_.bit(79) && i_.bits(87, 3) != predicate_true) out_ += ", " + pred(i_.bits(87, 3));
  } else if (name == "f2f_half") {
    // The upper half of a register: only where the source is a half.
    const auto from = i_.bits(84, 3);
    const bool halves = info_->op == op::MUFU ? i_.bits(72, 2) != 0 : from == 1 || from == 4;
    const bool in_register = form_of(i_) == alu_form::b_reg_c_reg || form_of(i_) == alu_form::b_uniform;
    if (halves && in_register && i_.bits(60, 2) == 1) out_ += ".H1";
  } else if (name == "i2f_byte") {
    const auto size = i_.bits(84, 2), part = i_.bits(60, 2);
    if (form_of(i_) == alu_form::b_imm || part == 0 || size > 1) return;
    out_ += size == 1 ? ".H1" : ".B" + std::to_string(part);
  } else if (name == "is_a" || name == "is_a2") {
    if (i_.bit(65)) out_ += name == "is_a" ? "P0, " : "P0, P0, ";
  } else if (name == "int_type" || name == "int_source") {
    const bool to_int = name == "int_type";
    const bool is_signed = i_.bit(to_int ? 72 : 74);
    const auto size = i_.bits(to_int ? 75 : 84, 2);
    if (!(is_signed && size == 2)) out_ += std::string(is_signed ? ".S" : ".U") + std::to_string(8u << size);
  } else if (name == "f2fp") {
    f2fp();
    // Predicates and votes.
  } else if (name == "plop3_c") {
    out_ += i_.bit(67) ? not_pred(68, true) : not_pred(68, false);
  } else if (name == "plop3_lut") {
    out_ += hex0x(i_.bits(72, 5) << 3 | i_.bits(64, 3));
  } else if (name == "vote_dst" || name == "voteu_dst") {
    const bool u = name[4] == 'u';
    if (const auto r = u ? i_.uniform(16) : i_.bits(16, 8); r != (u ? uniform_register_zero : register_zero))
      out_ += (u ? ureg(r) : reg(r)) + ", ";
  } else if (name == "match") {
    out_ += std::string(i_.bit(79) ? ".ANY" : ".ALL") + (i_.bit(73) ? ".U64" : "");
    if (!i_.bit(79)) out_ += " " + pred(i_.bits(81, 3)) + ",";
  } else if (name == "r2ur_pred") {
    if (i_.bit(84) || i_.bits(81, 3) != predicate_true) out_ += pred(i_.bits(81, 3)) + ", ";
    // Constants.
  } else if (name == "const") {
    out_ += constant();
  } else if (name == "const_indexed") {
    const bool uniform = info_->op == op::ULDC_U || info_->op == op::LDCU;
    const auto r = uniform ? i_.uniform(24) : i_.bits(24, 8);
    const std::int64_t offset = info_->op == op::LDCU ? i_.signed_bits(37, 17) : i_.signed_bits(38, 16);
    const bool zero = r == (uniform ? uniform_register_zero : register_zero);
    out_ += "c[" + hex0x(i_.bits(54, 5)) + "]" +
            (zero && offset != 0 ? "[" + signed_hex(offset) + "]" : address(uniform ? ureg(r) : reg(r), "", offset));
    // Control flow.
  } else if (name == "target" || name == "target_abs") {
    out_ += target();
  } else if (name == "bra") {
    static constexpr sv kind[] = {"", ".U", ".DIV", ".CONV"};
    const auto k = i_.bits(32, 2);
    out_ += std::string(kind[k]) + (i_.bit(84) ? ".ANY " : " ");
    if (!is_plain_true(87)) out_ += not_pred(87, false) + ", ";
    if (k == 1 && i_.bits(24, 4) != 0) out_ += inverted_pred(i_.bits(24, 4), true) + ", ";
    if (k >= 2 && i_.set != isa::turing)
      out_ += std::string(lanes_inverted(i_) ? "~" : "") + ureg(i_.uniform(24)) + ", ";
    out_ += target();
  } else if (name == "bra_u") {
    out_ += std::string(".U") + (i_.bit(84) ? ".ANY " : " ") + (is_plain_true(87) ? "" : not_pred(87, false) + ", ") +
            not_pred(24, true) + ", " + target();
  } else if (name == "wide_64") {
    if (i_.set >= isa::blackwell && i_.bit(80)) out_ += ".64";
  } else if (name == "compared") {
    if (i_.set >= isa::blackwell && i_.bit(80))
      out_ += i_.bit(73) ? ".S64" : ".U64";
    else if (!i_.bit(73))
      out_ += ".U32";
  } else if (name == "minmax") {
    out_ += i_.bit(74) ? (i_.bit(73) ? ".S64" : ".U64") : i_.bit(73) ? "" : ".U32";
  } else if (name == "imm64") {
    out_ += hex0x(i_.bits(24, 40) | i_.bits(64, 24) << 40);
  } else if (name == "reconvergent") {
    if (i_.set >= isa::blackwell && i_.bit(73)) out_ += ".RECONVERGENT";
    if (i_.set >= isa::blackwell && i_.bit(72)) out_ += ".RELIABLE";
  } else if (name == "brx") {  // relative to the next instruction, as the register is
    out_ += " " + reg(i_.bits(24, 8)) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
  } else if (name == "brxu") {
    out_ += " " + ureg(i_.uniform(24)) + " " + signed_hex(i_.distance() * 4);
  } else if (name == "bmov_src") {
    const bool to_barrier = info_->op == op::BMOV_B || info_->op == op::BMOV_I;
    const auto n = i_.bits(24, 5);
    out_ += n < 16                  ? "B" + std::to_string(n)
            : to_barrier && n == 22 ? "TRAP_RETURN_PC.HI"
            : n == 24               ? "MEXITED"
                                    : "B" + std::to_string(n);
  } else if (name == "abs_offset") {
    if (const std::int64_t offset = i_.distance(); offset != 0) out_ += " " + signed_hex(offset * 4);
  } else if (name == "exit_pred" || name == "flow_pred") {
    if (!is_plain_true(87)) out_ += " " + not_pred(87, false);
  } else if (name == "bpt") {
    const auto kind = i_.bits(84, 3);
    out_ += kind == 1   ? ".CAL"
            : kind == 0 ? ".INVALID0"
            : kind == 3 ? ".TRAP"
            : kind == 2 ? ".PAUSE"
            : kind == 4 ? ".INT"
                        : ".DRAIN";
    if (const auto n = i_.bits(34, 20); n != 0) out_ += " " + hex0x(n);
  } else if (name == "collective") {
    if (i_.bit(86)) out_ += ", " + target();
  } else if (name == "warpsync_imm") {
    if (traits_of(i_.set).warpsync_names_lanes) {
      out_ += " " + (is_plain_true(87) ? "" : not_pred(87, false) + ", ") + hex0x(i_.bits(32, 32));
      return;
    }
    if (i_.bit(86)) out_ += ".COLLECTIVE";
    out_ += ".ALL";
    if (!is_plain_true(87)) out_ += " " + not_pred(87, false) + (i_.bit(86) ? "," : "");
    if (i_.bit(86)) out_ += " " + target();
  } else if (name == "nanosleep") {
    out_ += std::string(i_.bit(85) ? ".WARP" : "") + (i_.bit(86) ? ".RAND" : "") + (i_.bit(84) ? ".SYNCS" : "");
  } else if (name == "rpc") {
    out_ += i_.bit(31) ? ".HI" : ".LO";
  } else if (name == "depbar") {
    if (i_.bit(47)) {
      out_ += ".LE SB" + std::to_string(i_.bits(44, 3)) + ", " + hex0x(i_.bits(38, 6));
      std::string rest;
      for (unsigned b = 0; b < 6; ++b)
        if (i_.bit(32 + b)) rest += (rest.empty() ? "" : ",") + std::to_string(b);
      if (!rest.empty()) out_ += ", {" + rest + "}";
    } else {
      for (unsigned b = 6; b-- > 0;)
        if (i_.bit(32 + b)) out_ += std::string(out_.ends_with("DEPBAR") ? " {" : ",") + std::to_string(b);
      if (!out_.ends_with("DEPBAR")) out_ += "}";
    }
  } else if (name == "bar" || name == "b2r") {
    barrier();
  } else if (name == "cctl") {
    static constexpr sv cache[] = {"", ".U", ".C", ".I"};
    static constexpr sv what[] = {".PF1",    ".PF2",   ".WB",     ".IV",   ".IVALL", ".RS",
                                  ".IVALLP", ".WBALL", ".WBALLP", ".PML2", ".DML2",  ".RML2"};
    const auto k = i_.bits(87, 4);
    const bool all = k == 4 || k == 6 || k == 7 || k == 8;
    out_ += std::string(i_.bit(72) && !all ? ".E" : "") + std::string(cache[i_.bits(78, 2)]) +
            std::string(k < 12 ? what[k] : ".INVALID");
    if (!all) {
      out_ += " ";
      out_ += i_.bit(91) ? address(reg(i_.bits(24, 8)) + ".U32", ureg(i_.uniform(64)), i_.signed_bits(32, 32))
                         : address(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
    }
    // Memory.
  } else if (name == "shared_r" || name == "shared_popc") {
    out_ += shared(i_.bit(91) || name == "shared_popc", name == "shared_r" ? 32 : 64,
                   info_->op == op::LDS || info_->op == op::ATOMS_POPC);
  } else if (name == "popc_or_arrive") {
    out_ += is_shared_arrive(i_) ? ".ARRIVE.64" : ".POPC.INC.32";
  } else if (name == "shared") {
    out_ += shared(false, 0, info_->op != op::STL);
  } else if (name == "shared_u64") {
    out_ += shared(true, 64, info_->op != op::ARRIVES);
  } else if (name == "shared_stsm") {
    out_ += shared(i_.bit(91), 64, false);
  } else if (name == "shared_syncs") {
    const auto r = i_.bits(24, 8);
    out_ += address(r == register_zero ? "" : reg(r), ureg(i_.uniform(64)), i_.signed_bits(40, 24));
  } else if (name == "uniform24") {
    out_ += address(ureg(i_.uniform(24)), "", i_.signed_bits(40, 24));
  } else if (name == "local") {
    if (i_.bit(76))
      out_ += "desc[" + ureg(i_.uniform(32)) + "]" + address(reg(i_.bits(24, 8)), "", i_.signed_bits(40, 24));
    else
      out_ += shared(i_.bit(91), 32, false);
  } else if (name == "local_u64") {
    if (i_.bit(76))
      out_ += "desc[" + ureg(i_.uniform(64)) + "]" + address(reg(i_.bits(24, 8)), "", i_.signed_bits(40, 24));
    else
      out_ += shared(true, 64, false);
  } else if (name == "global") {
    if (i_.bit(91))
      out_ += described(32, i_.signed_bits(40, 24));
    else
      out_ += address(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
  } else if (name == "global_ld") {
    if (i_.bit(91))
      out_ += described(32, i_.signed_bits(40, 24));
    else
      out_ += address(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
  } else if (name == "global_qspc" && i_.bit(91)) {
    out_ += described(32, i_.signed_bits(40, 24));
  } else if (name == "global_plain" || name == "global_qspc") {
    out_ += address(reg(i_.bits(24, 8)), "", i_.signed_bits(40, 24));
  } else if (name == "global_st") {
    if (i_.bit(91))
      out_ += described(64, global_offset(i_));
    else
      out_ += address(reg(i_.bits(24, 8)), "", i_.signed_bits(40, 24));
  } else if (name == "global_st32") {
    out_ += address(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
  } else if (name == "ldgsts") {
    const std::string to = address(reg(i_.bits(16, 8)), "", i_.signed_bits(44, 20));
    std::string from;
    if (i_.bit(91))
      from = described(64, i_.signed_bits(32, 12));
    else
      from = address(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 12));
    out_ += to + ", " + from;
  } else if (name == "evict") {
    static constexpr sv kind[] = {".EF", "", ".EL", ".LU", ".EU", ".NA", ".INVALID6", ".INVALID7"};
    out_ += kind[i_.bits(84, 3)];
  } else if (name == "strong" || name == "strong_st" || name == "strong_cas") {
    static constexpr sv load[] = {"",          ".CONSTANT.PRIVATE", ".CONSTANT.CTA",        ".CONSTANT.CTA.PRIVATE",
                                  ".CONSTANT", ".STRONG.SM",        ".STRONG.GPU.PRIVATE",  ".STRONG.GPU",
                                  ".MMIO.GPU", ".CONSTANT.SM",      ".STRONG.SYS",          ".CONSTANT.SM.PRIVATE",
                                  ".MMIO.SYS", ".CONSTANT.VC",      ".CONSTANT.VC.PRIVATE", ".CONSTANT.GPU"};
    const auto k = i_.bits(77, 4);
    if (name == "strong_cas" && i_.bit(87)) return;
    if (traits_of(i_.set).split_order) {
      static constexpr sv strength[] = {".CONSTANT", "", ".STRONG", ".MMIO"}, scope[] = {".CTA", ".SM", ".GPU", ".SYS"};
      out_ += std::string(strength[i_.bits(79, 2)]) + std::string(scope[i_.bits(77, 2)]);
      return;
    }
    out_ += k == 4 && name != "strong" ? ".STRONG.SM.PRIVATE" : std::string(load[k]);
  } else if (name == "cas") {
    static constexpr sv kind[] = {".CAS", ".CAST", ".CAS", ".CAST.SPIN"};
    out_ += kind[i_.bits(87, 2)];
  } else {
    matrix(name);
  }
}

// Tensor cores: shapes depend on several fields, and sparse forms have operands of their own.
void printer::matrix(sv name) {
  if (name == "hmma_shape") {
    const bool wide = i_.bit(75), half_k = i_.bit(78);
    if (i_.bit(73))
      out_ += half_k ? ".16832" : wide ? ".16816" : ".1688";
    else
      out_ += half_k ? (wide ? ".INVALID3" : ".1684") : wide ? ".16816" : ".1688";
  } else if (name == "hmma_a" || name == "hmma_b") {
    const unsigned at = name.back() == 'a' ? 24 : 32;
    if (i_.bit(at == 24 ? 72 : 63)) out_ += "-";
    out_ += reg(i_.bits(at, 8)) + reuse_mark(at);
  } else if (name == "imma_shape") {
    const auto k = i_.bits(85, 2) << 1 | i_.bits(75, 1);
    if (i_.set < isa::hopper) {
      static constexpr sv shapes[] = {".8816",  ".INVALID1", ".8832",  ".INVALID3",
                                      ".16816", ".16832",    ".16864", ".INVALID7"};
      out_ += shapes[k];
      return;
    }
    out_ += k == 0   ? ".8816"
            : k == 1 ? ".8832"
            : k == 4 ? ".16816"
            : k == 5 ? ".16832"
            : k == 7 ? ".16864"
                     : ".INVALID" + std::to_string(k);
  } else if (name == "imma_types") {
    static constexpr sv type[] = {".U8", ".S8", ".U4", ".S4"};
    const bool older = i_.set < isa::hopper;
    out_ += std::string(type[i_.bits(76, 1) | i_.bits(older ? 83 : 77, 1) << 1]) +
            std::string(type[i_.bits(78, 1) | i_.bits(older ? 84 : 79, 1) << 1]);
  } else if (name == "sparse") {
    const bool sparse = i_.bit(info_->op == opcode::HMMA ? 73 : 72);
    if (sparse) out_ += ", " + reg(i_.bits(40, 8)) + ", " + hex0x(i_.bits(48, 2));
  } else if (name == "bulk_desc") {
    if (i_.bit(76)) out_ += ", desc[" + ureg(i_.uniform(40)) + "]";
  } else if (name == "warpgroup") {
    const auto kind = i_.bits(79, 2);
    out_ += kind == 0 ? ".ARRIVE" : kind == 1 ? ".WAIT" : ".DEPBAR.LE gsb0, " + hex0x(i_.bits(84, 3));
  } else if (name == "encoding") {
    out_ += " /* 0x" + hex(i_.high, 16) + hex(i_.low, 16) + " */";
  } else if (name == "gmma_n") {
    out_ += std::to_string(warp_group_columns(i_, info_->op));
  } else if (name == "hgmma_k") {
    out_ += i_.bits(76, 2) == 2 || i_.bit(58) ? "8" : "16";
  } else if (name == "gmma_operands") {
    const bool a_in_registers = i_.bits(9, 3) == 6;
    if (a_in_registers) out_ += (i_.bit(72) ? "-" : "") + reg(i_.bits(24, 8)) + ", ";
    out_ += "gdesc[" + ureg(i_.uniform(a_in_registers ? 32 : 24)) + "]";
    if (i_.bit(61) && !a_in_registers) out_ += ".tnspA";
    if (i_.bit(62)) out_ += ".tnspB";
    if (i_.bit(72) && !a_in_registers) out_ += ".negA";
    if (i_.bit(63)) out_ += ".negB";
  } else if (name == "gmma_group") {
    if (i_.bits(84, 3) != 7) out_ += ", gsb0";
    if (i_.bit(73)) out_ += ", " + reg(i_.bits(40, 8)) + ", " + hex0x(i_.bits(48, 2));
  } else if (name == "mma_pred") {
    if (const auto p = i_.bits(87, 4); p != 0) out_ += ", " + inverted_pred(p, true);
  }
}

void printer::barrier() {
  if (info_->op == opcode::B2R) {
    static constexpr sv kind[] = {"", ".RESULT", ".WARP", ".INVALID3"};
    const auto k = i_.bits(78, 2);
    out_ += std::string(kind[k]) + " " + reg(i_.bits(16, 8));
    if (k == 0) out_ += ", " + hex0x(i_.bits(54, 4));
    if (k == 1 && i_.bits(81, 3) != predicate_true) out_ += ", " + pred(i_.bits(81, 3));
    return;
  }
  static constexpr sv kind[] = {".SYNC", ".ARV", ".RED", ".SCAN"};
  static constexpr sv reduction[] = {".POPC", ".AND", ".OR", ".INVALID3"};
  const auto k = i_.bits(77, 2);
  out_ += kind[k];
  if (i_.bit(79)) out_ += "ALL";
  if (k == 2) out_ += reduction[i_.bits(74, 2)];
  if (i_.bit(80)) out_ += ".DEFER_BLOCKING";
  const bool id_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_RI;
  const bool count_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_IR;
  out_ += " " + (id_is_reg ? reg(i_.bits(32, 8)) : hex0x(i_.bits(54, 4)));
  if (count_is_reg)
    out_ += ", " + reg(i_.bits(32, 8));
  else if (const auto n = i_.bits(42, 12); n != 0)
    out_ += ", " + hex0x(n);
  if (k >= 2) out_ += ", " + not_pred(87, false);
}

// F2FP packs two floats, converts one in place, or unpacks: which of them is spread over four fields.
void printer::f2fp() {
  static constexpr sv type[] = {".F16", ".BF16", ".???2", ".TF32", ".E5M2", ".E4M3", ".???6", ".???7"};
  const bool from_f16 = i_.bit(73), from_fp8 = i_.bit(74), merge = i_.bit(78);
  // Bits 73-74: 0 from F32, 1 from F16, 2 from E5M2, 3 from E4M3.
  const auto source = i_.bits(73, 2), mode = i_.bits(89, 2);
  const auto to = i_.bits(76, 1) | i_.bits(86, 2) << 1;
  const bool unpack_b = from_f16 || from_fp8, pack_b = !unpack_b && mode == 1;
  if (i_.bit(77) && !from_fp8 && type[to] != ".TF32") out_ += ".SATFINITE";
  if (i_.bit(75)) out_ += ".RELU";
  const bool untyped = i_.set < isa::ada;  // from F32, and to F16 unless it says otherwise
  if (!untyped || to != 0) out_ += type[to];
  if (!untyped) out_ += std::string(source == 0 ? ".F32" : source == 1 ? ".F16" : source == 2 ? ".E5M2" : ".E4M3");
  const bool merges = mode == 2 || (merge && mode == 0);
  out_ += unpack_b ? ".UNPACK_B" : pack_b ? ".PACK_B" : merge && mode == 0 ? ".MERGE_C" : ".PACK_AB";
  if (mode == 2) out_ += "_MERGE_C";
  static constexpr sv round[] = {"", ".???1", ".???2", ".RZ"};
  out_ += round[i_.bits(79, 2)];
  out_ += " ";
  out_ += reg(i_.bits(16, 8)) + ", ";
  if (!unpack_b && !pack_b && !(merge && mode == 0)) {
    operand('a', 'x');
    out_ += ", ";
  }
  operand('b', 'x');
  if (unpack_b && i_.bits(60, 2) == 1) out_ += ".H1";
  if (from_fp8 && i_.bit(88)) out_ += ".H1";
  if (merges) {
    out_ += ", ";
    operand('c', 'x');
    if (i_.bit(72)) out_ += ".H1";
  }
}

}  // namespace

bool is_wide_address(const instruction& i) {
  const opcode_info* info = i.info();
  if (info == nullptr) return false;
  const bool apart = traits_of(i.set).wide_mark_apart && i.bit(91);
  switch (info->op) {
    case opcode::LDGSTS: return i.bit(i.set >= isa::blackwell ? 83 : 70);
    case opcode::QSPC: return i.bit(i.bit(91) ? 90 : 72);
    // Where the operation of an atomic needs bit 90, the mark is lower.
    case opcode::ATOM:
    case opcode::ATOM_F:
    case opcode::ATOMG:
    case opcode::ATOMG_F: return i.bit(apart ? 70 : 72);
    default: return i.bit(apart ? 90 : 72);
  }
}

bool has_descriptor(const instruction& i) {
  const opcode_info* info = i.info();
  if (info == nullptr || !i.bit(91)) return false;
  const bool newest = i.set >= isa::blackwell;  // bits 70 and 71 are of the uniform register's number
  switch (info->op) {
    case opcode::LDGSTS: return newest || i.bit(76);
    case opcode::ATOM:
    case opcode::ATOMG: return i.bit(newest ? 76 : 71);
    case opcode::ATOM_F:
    case opcode::ATOMG_F: return i.bit(newest ? 90 : 71);
    case opcode::REDG:
    case opcode::REDG_F: return i.bit(newest ? 81 : 71);
    default: return i.bit(76);
  }
}

std::int64_t global_offset(const instruction& i) {
  const opcode_info* info = i.info();
  const bool is_atomic = info != nullptr && (info->op == opcode::ATOM || info->op == opcode::ATOM_F ||
                                             info->op == opcode::ATOMG || info->op == opcode::ATOMG_F);
  return i.signed_bits(40, is_atomic && i.set >= isa::blackwell ? 23 : 24);
}

bool lanes_inverted(const instruction& i) { return i.set < isa::hopper ? i.bit(30) : !i.bit(91); }

bool is_shared_arrive(const instruction& i) { return i.set < isa::hopper && i.bits(87, 4) == 9; }

std::uint64_t branch_target(const instruction& i, std::uint64_t pc) {
  // Signed, from the next instruction: a count of 4 bytes, its low byte where BSSY names a barrier; LEPC counts bytes.
  // Older ones of LEPC have none: it is their own pc.
  const opcode_info* info = i.info();
  if (info != nullptr && info->op == opcode::LEPC && i.set < isa::hopper) return pc;
  if (info != nullptr && info->op == opcode::LEPC) return pc + 16 + static_cast<std::uint64_t>(i.signed_bits(24, 58));
  const bool marked = i.set >= isa::blackwell;  // BSSY has marks at 72 and 73
  const std::int64_t words =
      info != nullptr && info->op == opcode::BSSY ? i.signed_bits(34, marked ? 38 : 48) : i.distance();
  return pc + 16 + static_cast<std::uint64_t>(words * 4);
}

std::string to_text(const instruction& i, std::uint64_t pc) { return printer(i, pc, false).run(); }
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc) { return printer(i, pc, true).run(); }

}  // namespace bankwise::sass
