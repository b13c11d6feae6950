#include "emulate/decode.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "sass/print.hpp"

namespace bankwise::emulate {

namespace {

using sass::alu_form;
using sass::opcode;

// --- what runs in place of an instruction that cannot

step unknown_encoding(machine& m, const micro_op& u, std::uint32_t) {
  return m.fail(
      "an instruction that bankwise does not know: 0x" + hex(u.ins.high, 16) + hex(u.ins.low, 16), -1,
      "the README lists what is not executed yet; else send this line and the cubin to the project; opcode bits 0x" +
          hex(u.ins.opcode_bits(), 3));
}
step not_executable(machine& m, const micro_op& u, std::uint32_t mask) {
  if (mask == 0) return step::next;
  return m.fail(
      "an instruction that is printed but not executed yet: " + sass::to_text(u.ins, m.pc_of(u) - m.section->begin) +
          ", encoding 0x" + hex(u.ins.high, 16) + hex(u.ins.low, 16),
      -1, "the README lists what is not executed yet; else send this line and the cubin to the project");
}
step outside_constants(machine& m, const micro_op& u, std::uint32_t) {
  return m.fail("it reads constant bank " + std::to_string(u.ins.bits(54, 5)) + " at 0x" + hex(u.ins.bits(38, 16)) +
                    ", which is past its end",
                -1, "the cubin does not fit the parameters that it declares; compile it again");
}

// The instruction of the vector units that does on every lane what one of the uniform datapath does once.
opcode twin_of(opcode op) {
  switch (op) {
    case opcode::USEL: return opcode::SEL;
    case opcode::UISETP: return opcode::ISETP;
    case opcode::UIADD3: return opcode::IADD3;
    case opcode::ULEA: return opcode::LEA;
    case opcode::ULOP3: return opcode::LOP3;
    case opcode::UPRMT: return opcode::PRMT;
    case opcode::USHF: return opcode::SHF;
    case opcode::UBMSK: return opcode::BMSK;
    case opcode::USGXT: return opcode::SGXT;
    case opcode::UIMAD: return opcode::IMAD;
    case opcode::UIMAD_WIDE: return opcode::IMAD_WIDE;
    case opcode::UIMAD_HI: return opcode::IMAD_HI;
    case opcode::UIADD3_64: return opcode::IADD_64;
    case opcode::UMOV_64: return opcode::MOV_64;
    case opcode::UI2F: return opcode::I2F;
    case opcode::UI2FP: return opcode::I2FP;
    case opcode::UVIMNMX: return opcode::VIMNMX;
    case opcode::UIMNMX: return opcode::IMNMX;
    case opcode::UFLO: return opcode::FLO;
    case opcode::UBREV: return opcode::BREV;
    case opcode::UPOPC: return opcode::POPC;
    case opcode::UMOV_I:
    case opcode::UMOV_U: return opcode::MOV;
    case opcode::UPLOP3: return opcode::PLOP3;
    case opcode::UP2UR: return opcode::P2R;
    case opcode::UR2UP: return opcode::R2P;
    default: return op;
  }
}

bool is_double(char letter) { return letter == 'd' || letter == 'e'; }

class decoder {
 public:
  decoder(code_cache& cache, const std::array<std::vector<std::byte>, constant_banks>& banks,
          const handler_table& handlers)
      : cache_(cache), banks_(banks), handlers_(handlers) {}

  micro_op run(const sass::instruction& i, std::uint32_t index, std::uint64_t pc) {
    i_ = &i;
    u_ = {};
    u_.ins = i;
    u_.index = index;
    u_.guard = static_cast<std::uint8_t>(i.guard());
    u_.guard_flip = i.guard_negated() ? ~0u : 0;
    const sass::opcode_info* info = i.info();
    if (info == nullptr) {
      u_.run = unknown_encoding;
      return u_;
    }
    info_ = info;
    u_.op = info->op;
    u_.uniform_guard = sass::has_uniform_guard(*info);
    u_.d = static_cast<std::uint16_t>(i.bits(16, 8));
    predicates();
    if (info->alu)
      operands();
    else
      plain_operands();
    op_ = twin_of(info->op);
    const handler vector = handlers_[static_cast<std::size_t>(op_)];
    u_.run = handlers_[static_cast<std::size_t>(info->op)];
    if (op_ != info->op && vector != nullptr) {
      u_.vector = vector;
      const bool only_predicates = op_ == opcode::ISETP || op_ == opcode::PLOP3 || op_ == opcode::R2P;
      u_.uniform_d = static_cast<std::uint8_t>(only_predicates ? sass::uniform_register_zero : i.uniform(16));
      u_.uniform_wide = op_ == opcode::IMAD_WIDE || op_ == opcode::IADD_64 || op_ == opcode::MOV_64 ||
                        (op_ == opcode::I2F && bits(75, 3) == 3) || (op_ == opcode::IMNMX && bit(74));
    }
    if (u_.run == nullptr) u_.run = not_executable;
    fields(pc);
    if (is_row_destination()) {
      const unsigned d = u_.d;
      u_.d = op_ != info->op ? trash_row : written_row(d);
      u_.d_high = op_ != info->op ? trash_row + 1 : written_row(d, 1);
    }
    if (failed_) u_.run = outside_constants;
    failed_ = false;
    return u_;
  }

 private:
  bool bit(unsigned at) const { return i_->bit(at); }
  std::uint8_t bits(unsigned first, unsigned count) const { return static_cast<std::uint8_t>(i_->bits(first, count)); }
  std::uint32_t flip_of(unsigned at) const { return bit(at) ? ~0u : 0; }

  // Memory instructions keep the number of their first register: they read and write vectors.
  bool is_row_destination() const {
    switch (op_) {
      case opcode::LDS:
      case opcode::LDSM:
      case opcode::LDG:
      case opcode::LDG_R:
      case opcode::LD:
      case opcode::LDL:
      case opcode::LDC:
      case opcode::ATOMS:
      case opcode::ATOMS_U:
      case opcode::ATOMS_CAS:
      case opcode::ATOMS_CAST:
      case opcode::ATOMS_POPC:
      case opcode::ATOM:
      case opcode::ATOM_R:
      case opcode::ATOM_CAS:
      case opcode::ATOM_F:
      case opcode::ATOMG:
      case opcode::ATOMG_R:
      case opcode::ATOMG_CAS:
      case opcode::ATOMG_F:
      case opcode::HMMA:
      case opcode::IMMA:
      case opcode::BMMA:
      case opcode::DMMA: return false;
      default: return true;
    }
  }

  // The places that most instructions use; fields() corrects the others.
  void predicates() {
    u_.p0 = bits(81, 3);
    u_.p1 = bits(84, 3);
    u_.q0 = bits(87, 3);
    u_.q0_flip = flip_of(90);
  }

  source constant(std::uint32_t value) { return {source_kind::constant, 0, cache_.spread(value)}; }
  static source uniform(unsigned n, unsigned k = 0) {
    const unsigned zero = sass::uniform_register_zero;
    return {source_kind::uniform, static_cast<std::uint16_t>(n >= zero || n + k > zero ? zero : n + k), nullptr};
  }

  source bank_word(std::uint64_t bank, std::uint64_t offset) {
    if (bank >= constant_banks || offset + 4 > banks_[bank].size()) {
      failed_ = true;
      return constant(0);
    }
    std::uint32_t value = 0;
    std::memcpy(&value, banks_[bank].data() + offset, 4);
    return constant(value);
  }

  struct pair {
    source low, high;
    bool immediate = false;
  };
  pair register_pair(unsigned at, bool is_uniform) const {
    if (is_uniform) {
      const unsigned r = i_->uniform(at);
      return {uniform(r), uniform(r, 1)};
    }
    return {register_source(bits(at, 8)), register_source(bits(at, 8), 1)};
  }
  // What stands at bits 32-63.
  pair at_32(char letter, bool is_uniform) {
    const auto imm = static_cast<std::uint32_t>(i_->bits(32, 32));
    switch (sass::form_of(*i_)) {
      case alu_form::b_imm:
      case alu_form::c_imm: return {is_double(letter) ? constant(0) : constant(imm), constant(imm), true};
      case alu_form::b_const:
      case alu_form::c_const: {
        if (bit(91)) {  // through a descriptor in a uniform register: nothing that nvcc makes of CUDA C++
          failed_ = true;
          return {};
        }
        const auto bank = i_->bits(54, 5), offset = i_->bits(38, 16);
        // A conversion to or from 64 bits may have a source of 32, which may be the last word of its bank.
        const bool wide = is_double(letter) && !(info_->op == opcode::F2F64 && bits(84, 3) != 3) &&
                          !(info_->op == opcode::F2I64 && bits(84, 3) != 3);
        return {bank_word(bank, offset), wide ? bank_word(bank, offset + 4) : constant(0)};
      }
      case alu_form::b_uniform:
      case alu_form::c_uniform: return register_pair(32, true);
      default: return register_pair(32, is_uniform);
    }
  }

  struct operand {
    pair where;
    std::uint32_t keep = ~0u, flip = 0;
    std::uint8_t halves = 0;
  };
  // Signs, absolute values and half selections stand at fixed distances from the slot.
  operand modified(const pair& where, unsigned slot, char letter) const {
    operand o{where};
    if (where.immediate) return o;
    const bool halves = letter == 'h' || letter == 'm';
    const unsigned neg = slot == 24 ? 72 : slot == 32 ? 63 : halves ? 84 : 75;
    const unsigned abs = slot == 24 ? 73 : slot == 32 ? 62 : halves ? 83 : 74;
    if (halves || letter == 'f' || is_double(letter)) {
      if (bit(abs)) o.keep = 0x7fffffffu;
      if (bit(neg)) o.flip = 0x80000000u;
      if (letter == 'h') o.halves = bits(slot == 24 ? 74 : slot == 32 ? 60 : 81, 2);
    } else if (letter == 'n' || letter == 'v' || letter == 'i' || letter == 'l' || letter == 'w' ||
               ((letter == 'q' || letter == 'r') && slot == 32)) {
      o.flip = flip_of(neg);
    }
    return o;
  }

  void operands() {
    sass::operand_letters letters = sass::letters_of(*info_);
    // Rows whose operands depend on more than the form say so in functions of the printer.
    switch (info_->op) {
      case opcode::LEA: letters.c = 'x'; break;
      case opcode::ULEA: letters.c = 'u'; break;
      case opcode::MUFU: letters.at_32 = 'f'; break;
      case opcode::F2FP: letters = {'f', 'f', 'x', 0}; break;
      case opcode::HMMA: letters = {'x', 'x', 'x', 0}; break;
      case opcode::IMMA:
      case opcode::BMMA: letters = {'x', 'x', 'x', 0}; break;
      default: break;
    }
    const bool is_uniform = sass::has_uniform_guard(*info_);
    const alu_form form = sass::form_of(*i_);
    const bool c_at_32 = form == alu_form::c_imm || form == alu_form::c_const || form == alu_form::c_uniform;
    if (letters.a != 0) {
      const operand a = modified(register_pair(24, is_uniform), 24, letters.a);
      u_.a = a.where.low, u_.a_high = a.where.high, u_.keep_a = a.keep, u_.flip_a = a.flip;
      u_.mode = static_cast<std::uint8_t>(u_.mode | a.halves);
    }
    if (letters.at_32 != 0) {
      if (info_->op == opcode::MUFU && (bits(74, 4) == 6 || bits(74, 4) == 7)) letters.at_32 = 'e';
      set_b(modified(at_32(letters.at_32, is_uniform), 32, letters.at_32));
    } else if (letters.b != 0) {
      set_b(modified(c_at_32 ? register_pair(64, is_uniform) : at_32(letters.b, is_uniform), c_at_32 ? 64 : 32,
                     letters.b));
    }
    if (letters.c != 0) {
      const operand c = modified(c_at_32 ? at_32(letters.c, is_uniform) : register_pair(64, is_uniform),
                                 c_at_32 ? 32 : 64, letters.c);
      u_.c = c.where.low, u_.c_high = c.where.high, u_.keep_c = c.keep, u_.flip_c = c.flip;
      u_.mode = static_cast<std::uint8_t>(u_.mode | c.halves << 4);
    }
  }
  void set_b(const operand& b) {
    u_.b = b.where.low, u_.b_high = b.where.high, u_.keep_b = b.keep, u_.flip_b = b.flip;
    u_.mode = static_cast<std::uint8_t>(u_.mode | b.halves << 2);
  }

  void plain_operands() {
    u_.a = register_source(bits(24, 8));
    u_.a_high = register_source(bits(24, 8), 1);
    if (info_->op == opcode::UMOV_I) u_.b = constant(static_cast<std::uint32_t>(i_->bits(32, 32)));
    if (info_->op == opcode::UMOV_U) u_.b = uniform(i_->uniform(32)), u_.b_high = uniform(i_->uniform(32), 1);
    if (info_->op == opcode::UP2UR || info_->op == opcode::UR2UP) u_.a = uniform(i_->uniform(24));
  }

  void q1(unsigned at) {
    u_.q1 = bits(at, 3);
    u_.q1_flip = flip_of(at + 3);
  }

  // --- modifiers, by opcode: see the handlers for what each means ---
  void fields(std::uint64_t pc) {
    switch (op_) {
      case opcode::PRMT: u_.mode = bits(72, 3); break;
      case opcode::MOV:
        u_.flag3 = is_wide_integer(80);
        if (u_.flag3) wide_b(), u_.uniform_wide = true;
        break;
      case opcode::MOV_64: {
        u_.b = constant(static_cast<std::uint32_t>(i_->bits(24, 32)));
        u_.b_high = constant(static_cast<std::uint32_t>(i_->bits(56, 32)));
        u_.flag3 = true;
        break;
      }
      case opcode::SEL_64:
        u_.b = register_source(bits(32, 8));
        u_.b_high = register_source(bits(32, 8), 1);
        break;
      case opcode::SEL_64_I:
        u_.b = constant(static_cast<std::uint32_t>(i_->bits(32, 32)));
        u_.b_high = constant(bit(64) ? ~0u : 0);
        break;
      case opcode::IADD_64:
        u_.flag1 = bit(74);
        // A sum of three with carries is not known well enough.
        if (info_->op == opcode::UIADD3_64 && (u_.flag1 || u_.p0 != 7 || u_.p1 != 7)) u_.run = not_executable;
        wide_b();
        break;
      case opcode::P2R:
      case opcode::R2P:
        u_.mode = bits(76, 2);
        u_.immediate = static_cast<std::uint32_t>(i_->bits(32, 32));
        break;
      case opcode::IADD3:
        u_.flag1 = bit(74);
        q1(77);
        break;
      case opcode::LEA:
        u_.mode = bits(75, 5);
        u_.flag0 = bit(80), u_.flag1 = bit(74), u_.flag2 = bit(73);
        break;
      case opcode::LOP3:
        u_.mode = bits(72, 8);
        u_.flag0 = bit(80);
        break;
      case opcode::VABSDIFF:
      case opcode::VABSDIFF4: u_.flag0 = bit(73), u_.flag1 = bit(75); break;
      case opcode::ISETP:
        u_.mode = bits(76, 3), u_.kind = bits(74, 2);
        u_.flag0 = bit(73), u_.flag1 = bit(72), u_.flag3 = is_wide_integer(80);
        q1(68);
        if (u_.flag3) wide_b();
        break;
      case opcode::SHF: u_.kind = bits(73, 2), u_.flag0 = bit(76), u_.flag1 = bit(75), u_.flag2 = bit(80); break;
      case opcode::SGXT:
      case opcode::BMSK: u_.flag0 = bit(73), u_.flag1 = bit(75); break;
      case opcode::IMAD: u_.flag1 = bit(74); break;
      case opcode::IMAD_WIDE:
      case opcode::IMAD_HI:
        u_.flag0 = bit(73), u_.flag1 = bit(74), u_.flag2 = op_ == opcode::IMAD_HI;
        wide_c();
        break;
      case opcode::IDP:
        u_.kind = static_cast<std::uint8_t>(bit(76) ? 1 + bits(77, 1) : 0), u_.flag0 = bit(73), u_.flag1 = bit(74);
        break;
      case opcode::VIADD:
        u_.kind = bits(73, 3), u_.flag1 = bit(80);
        if (u_.kind == 3 || u_.kind > 4 || (u_.flag1 && u_.kind != 2)) u_.run = not_executable;
        break;
      case opcode::IMNMX:
        u_.kind = bit(73) ? 1 : 0;
        u_.flag3 = is_wide_integer(74);
        if (u_.flag3) wide_b();
        if (u_.flag3 && (bits(81, 6) != 63 || bits(77, 4) != 15)) u_.run = not_executable;  // other predicates
        break;
      case opcode::VIMNMX:
      case opcode::VIADDMNMX:
      case opcode::VIMNMX3:
        u_.kind = bits(72, op_ == opcode::VIMNMX ? 3 : 2), u_.flag0 = bit(76);
        if (u_.kind > 4) u_.run = not_executable;
        break;
      case opcode::FLO: u_.flag0 = bit(73), u_.flag1 = bit(74); break;
      case opcode::I2I: u_.kind = bits(76, 2); break;
      case opcode::I2IP: {
        u_.kind = bits(76, 3), u_.flag0 = bit(74);
        // Which bits of c go above the pair: the compiler asks for as many as there is room for.
        static constexpr std::uint8_t parts[] = {0, 0, 0, 0, 3, 3, 2, 2};
        if (bits(72, 2) != parts[u_.kind]) u_.run = not_executable;
        break;
      }

      case opcode::FADD:
      case opcode::FMUL:
      case opcode::FFMA:
        u_.mode = bits(78, 2), u_.kind = bits(84, 3);
        u_.flag0 = bit(80), u_.flag1 = bit(77), u_.flag2 = op_ != opcode::FADD && bit(76);
        break;
      case opcode::FADD2:
      case opcode::FMUL2:
      case opcode::FFMA2:
        // Where signs stand is not known.
        u_.mode = bits(78, 2), u_.flag0 = bit(80), u_.kind = 4;
        if (bits(72, 6) != 0 || i_->bits(81, 10) != 0 || sass::form_of(*i_) != alu_form::b_reg_c_reg)
          u_.run = not_executable;
        break;
      case opcode::FMNMX3:
        u_.flag0 = bit(80);
        if (bit(81) || bit(82)) u_.run = not_executable;
        break;
      case opcode::FMNMX: u_.flag0 = bit(80), u_.flag1 = bit(81), u_.flag2 = bit(82); break;
      case opcode::FSEL: u_.flag0 = bit(80); break;
      case opcode::FSET:
      case opcode::FSETP: u_.mode = bits(76, 4), u_.kind = bits(74, 2), u_.flag0 = bit(80); break;
      case opcode::DSETP: u_.mode = bits(76, 4), u_.kind = bits(74, 2); break;
      case opcode::MUFU:
        u_.mode = bits(74, 4), u_.kind = bits(72, 2), u_.flag0 = bits(60, 2) == 1 && !is_immediate(),
        u_.flag1 = is_immediate();
        if (i_->set < sass::isa::hopper) u_.kind /= 2;  // F16 is 2 there, and BF16 nothing
        if (u_.kind > 2 || (i_->set >= sass::isa::blackwell && bit(80))) u_.run = not_executable;  // pairs
        break;
      case opcode::DADD:
      case opcode::DMUL:
      case opcode::DFMA: u_.mode = bits(78, 2); break;

      case opcode::HADD2:
      case opcode::HMUL2:
      case opcode::HFMA2:
      case opcode::HFMA2_MMA:
        u_.flag0 = bit(85), u_.flag1 = bit(80), u_.flag2 = bit(77),
        u_.flag3 = op_ != opcode::HADD2 && op_ != opcode::HMUL2 && bit(79);
        u_.kind = static_cast<std::uint8_t>((op_ != opcode::HADD2 && bit(76) ? 1 : 0) |
                                            (op_ != opcode::HMUL2 && op_ != opcode::HFMA2_MMA && bit(78) ? 2 : 0));
        break;
      case opcode::HSET2:
      case opcode::HSETP2:
        u_.flag0 = bit(65), u_.flag1 = bit(80), u_.flag2 = bit(71);
        u_.kind = bits(69, 2), u_.immediate = bits(76, 4);
        break;
      case opcode::HMNMX2: u_.flag0 = bit(85), u_.flag1 = bit(80), u_.flag2 = bit(81), u_.flag3 = bit(82); break;

      case opcode::F2F:
      case opcode::F2F64:
      case opcode::FRND:
      case opcode::FRND64:
        u_.kind = bits(84, 3), u_.immediate = bits(75, 3), u_.mode = bits(78, 2);
        if (op_ == opcode::FRND || op_ == opcode::FRND64) u_.kind = bits(75, 3);
        u_.flag0 = bit(80), u_.flag1 = bits(60, 2) == 1 && !is_immediate();
        break;
      case opcode::F2I:
      case opcode::F2I64:
        u_.kind = bits(84, 3), u_.immediate = 8u << bits(75, 2), u_.mode = bits(78, 2);
        u_.flag0 = bit(80), u_.flag1 = bits(60, 2) == 1 && !is_immediate(), u_.flag2 = bit(72), u_.flag3 = bit(77);
        break;
      case opcode::I2F:
      case opcode::I2F64:
        u_.kind = bits(84, 2), u_.immediate = bits(75, 3), u_.mode = bits(78, 2);
        u_.flag2 = bit(74), u_.offset = is_immediate() ? 0 : bits(60, 2);
        if (u_.kind == 3 && !is_immediate()) wide_b();
        break;
      case opcode::I2FP: u_.kind = 2, u_.immediate = 2, u_.mode = bits(78, 2), u_.flag2 = bit(74); break;
      case opcode::F2FP: f2fp(); break;
      case opcode::F2IP: u_.kind = bits(76, 2), u_.mode = bits(78, 2), u_.flag0 = bit(72); break;

      case opcode::PLOP3:
        u_.mode = static_cast<std::uint8_t>(i_->bits(72, 5) << 3 | i_->bits(64, 3));
        u_.kind = bits(16, 8);
        q1(77);
        u_.q2 = bits(68, 3), u_.q2_flip = flip_of(71);
        u_.flag0 = info_->op == opcode::PLOP3 && bit(67);
        break;
      case opcode::PLOP3_SIGN:
        u_.mode = bits(72, 8), u_.kind = bits(16, 8);
        u_.b = register_source(bits(32, 8)), u_.c = register_source(bits(64, 8));
        break;
      case opcode::WARPSYNC_R:
        if (sass::traits_of(i_->set).warpsync_names_lanes) u_.a = register_source(bits(32, 8));
        break;
      case opcode::VOTE:
      case opcode::VOTEU: u_.mode = bits(72, 2); break;
      case opcode::S2R:
      case opcode::S2UR:
      case opcode::CS2R: u_.kind = bits(72, 8), u_.flag0 = bit(80); break;
      case opcode::SHFL_RR:
      case opcode::SHFL_RI:
      case opcode::SHFL_IR:
      case opcode::SHFL_II:
        u_.mode = bits(58, 2);
        u_.b = op_ == opcode::SHFL_RR || op_ == opcode::SHFL_RI ? register_source(bits(32, 8)) : constant(bits(53, 5));
        u_.c = op_ == opcode::SHFL_RR || op_ == opcode::SHFL_IR
                   ? register_source(bits(64, 8))
                   : constant(static_cast<std::uint32_t>(i_->bits(40, 13)));
        break;

      case opcode::BRA:
      case opcode::BRA_U:
      case opcode::BSSY:
      case opcode::CALL_REL:
      case opcode::CALL_REL_R:
      case opcode::RET:
      case opcode::BRX:
      case opcode::LEPC: u_.target = sass::branch_target(*i_, pc); break;
      default:
        if (!info_->alu && op_ == info_->op) memory();
        break;
    }
  }

  bool is_immediate() const { return sass::form_of(*i_) == alu_form::b_imm || sass::form_of(*i_) == alu_form::c_imm; }

  // The mark of an operation on 64-bit integers, which sm_120 has.
  bool is_wide_integer(unsigned at) const { return i_->set >= sass::isa::blackwell && bit(at); }
  // The upper word of b in such an operation, where b is no register.
  void wide_b() {
    const alu_form form = sass::form_of(*i_);
    if (form == alu_form::b_imm || form == alu_form::c_imm)
      u_.b_high = constant(static_cast<std::int32_t>(i_->bits(32, 32)) < 0 ? ~0u : 0);
    if (form == alu_form::b_const || form == alu_form::c_const)
      u_.b_high = bank_word(i_->bits(54, 5), i_->bits(38, 16) + 4);
  }

  // IMAD.WIDE and .HI add a pair: the upper word of c, which prints as one operand.
  void wide_c() {
    const alu_form form = sass::form_of(*i_);
    if (form == alu_form::c_imm) u_.c_high = constant(static_cast<std::int32_t>(i_->bits(32, 32)) < 0 ? ~0u : 0);
    if (form == alu_form::c_const) u_.c_high = bank_word(i_->bits(54, 5), i_->bits(38, 16) + 4);
  }

  void f2fp() {
    const auto source = i_->bits(73, 2), pack = i_->bits(89, 2);
    const bool merge = bit(78), from_fp8 = bit(74), unpack = source != 0;
    u_.immediate = static_cast<std::uint32_t>(bits(76, 1) | bits(86, 2) << 1);
    u_.offset = static_cast<std::int64_t>(source);
    u_.mode = bits(79, 2);
    u_.flag0 = bit(75), u_.flag2 = bit(77);
    u_.flag1 = unpack ? (from_fp8 ? bit(88) || bits(60, 2) == 1 : bits(60, 2) == 1) : bit(72);
    if (from_fp8)
      u_.kind = 3;
    else if (u_.immediate >= 4)
      u_.kind = 4;
    else if (!unpack && pack == 1)
      u_.kind = 2;
    else if (merge && pack == 0)
      u_.kind = 1;
    else
      u_.kind = 0;
    if (u_.kind == 4) u_.flag1 = bit(72), u_.flag3 = pack == 2;
  }

  void size_from(unsigned at) {
    static constexpr std::uint8_t sizes[] = {1, 1, 2, 2, 4, 8, 16, 0};
    const auto n = bits(at, 3);
    u_.bytes = sizes[n];
    u_.flag0 = n == 1 || n == 3;
    if (u_.bytes == 0) u_.run = not_executable;
  }

  // An atomic of sm_75 to sm_89 on global memory: U32, S32, U64, F32.FTZ, F16x2, S64, F64; floats only add.
  void typed_atomic(std::uint64_t type) {
    static constexpr std::uint8_t bytes[] = {4, 4, 8, 4, 4, 8, 8, 0}, float_kinds[] = {0, 0, 0, 9, 0, 0, 15, 0};
    u_.bytes = bytes[type];
    u_.flag0 = type == 1 || type == 5;
    u_.flag3 = type == 3 || type == 4 || type == 6;
    u_.kind = float_kinds[type];
    if (u_.bytes == 0 || (u_.flag3 && u_.mode != 0)) u_.run = not_executable;
  }

  // kind: scale of the base register as a shift; flag1: the global address is 64 bits wide; flag0: sign-extend.
  // b: what is added to the base, or RZ. c.index: the first register of the data.
  void memory() {
    u_.b = u_.b_high = register_source(sass::register_zero);
    const auto add_uniform = [&](unsigned at) {
      u_.b = uniform(i_->uniform(at));
      u_.b_high = uniform(i_->uniform(at), 1);
    };
    const auto data = [&](unsigned at) { u_.c.index = bits(at, 8); };
    static constexpr std::uint8_t shifts[] = {0, 2, 3, 4};
    u_.offset = i_->signed_bits(40, 24);
    switch (op_) {
      case opcode::LDS:
        size_from(73);
        u_.kind = shifts[bits(78, 2)];
        if (bit(91)) add_uniform(32);
        u_.always = true;
        break;
      case opcode::STS:
      case opcode::STS_U:
        size_from(73);
        u_.kind = shifts[bits(78, 2)];
        if (op_ == opcode::STS_U) add_uniform(64);
        data(32);
        u_.always = true;
        break;
      case opcode::LDSM:
      case opcode::STSM: {
        static constexpr std::uint8_t counts[] = {1, 2, 4, 0};
        u_.mode = counts[bits(72, 2)];
        u_.flag0 = op_ == opcode::LDSM ? bits(78, 2) == 1 : bit(78);
        if (u_.mode == 0 || (op_ == opcode::LDSM && bits(78, 2) > 1)) u_.run = not_executable;
        if (bit(91)) add_uniform(op_ == opcode::LDSM ? 32 : 64);
        data(32);
        u_.bytes = 16;
        u_.always = true;
        break;
      }
      case opcode::ATOMS:
      case opcode::ATOMS_U:
      case opcode::ATOMS_CAS:
      case opcode::ATOMS_CAST:
      case opcode::ATOMS_POPC:
        u_.kind = shifts[bits(78, 2)];
        if (op_ == opcode::ATOMS_U || op_ == opcode::ATOMS_POPC) add_uniform(64);
        data(32);
        u_.bytes = bits(73, 3) >= 2 ? 8 : 4;
        u_.flag0 = (bits(73, 3) & 1) != 0;
        if (op_ == opcode::ATOMS_POPC && sass::is_shared_arrive(*i_))
          u_.run = not_executable;
        else if (op_ == opcode::ATOMS_POPC)
          u_.bytes = 4;
        else if (bits(73, 3) > 3)
          u_.run = not_executable;
        u_.mode = op_ == opcode::ATOMS_CAS || op_ == opcode::ATOMS_CAST ? bits(87, 2) : bits(87, 4);
        if (op_ == opcode::ATOMS_CAST) {  // its result is only the predicate
          u_.d = sass::register_zero;
          if (u_.mode != 3) u_.run = not_executable;
        }
        u_.always = true;
        break;
      case opcode::SYNCS_ARRIVE:
      case opcode::SYNCS_PHASECHK:
      case opcode::ARRIVES:
        add_uniform(64);
        u_.c = register_source(bits(32, 8));
        u_.always = true;
        break;
      case opcode::HGMMA:
      case opcode::QGMMA:
      case opcode::IGMMA:
      case opcode::BGMMA:
      case opcode::SYNCS_EXCH:
      case opcode::SYNCS_CCTL:
      case opcode::UBLKCP:
      case opcode::UBLKRED:
      case opcode::UTMALDG:
      case opcode::UTMALDG_U:
      case opcode::UTMASTG:
      case opcode::UTMAREDG: u_.always = true; break;
      case opcode::STAS:
        size_from(73);
        data(32);
        u_.always = true;
        break;
      case opcode::REDAS:
        u_.bytes = bits(73, 2) >= 2 ? 8 : 4;
        u_.flag0 = bit(73);
        u_.mode = bits(87, 3);
        data(32);
        u_.always = true;
        break;
      case opcode::LDGSTS:
        size_from(i_->set >= sass::isa::blackwell ? 74 : 73);
        u_.flag1 = sass::is_wide_address(*i_);
        u_.immediate = static_cast<std::uint32_t>(i_->signed_bits(44, 20));
        u_.offset = i_->signed_bits(32, 12);
        if (bit(91) && !sass::has_descriptor(*i_)) add_uniform(64);
        u_.always = true;
        break;
      case opcode::LDG:
      case opcode::LD:
        u_.always = op_ == opcode::LD;
        size_from(73);
        u_.flag1 = sass::is_wide_address(*i_);
        if (!bit(91))
          u_.offset = i_->signed_bits(32, 32);
        else if (!bit(76))
          add_uniform(32);
        // A result predicate, or a predicate that zeroes the result.
        if (bits(64, 4) != 0 || (op_ == opcode::LDG && bits(81, 3) != 7)) u_.run = not_executable;
        break;
      case opcode::LDG_R:
        size_from(73);
        u_.flag1 = bit(72);
        if (bits(64, 4) != 0 || bits(81, 3) != 7) u_.run = not_executable;
        break;
      case opcode::STG:
      case opcode::ST:
        u_.always = op_ == opcode::ST;
        size_from(73);
        u_.flag1 = sass::is_wide_address(*i_);
        if (bit(91) && !bit(76)) add_uniform(64);
        data(32);
        break;
      case opcode::STG_R:
      case opcode::ST_R:
        u_.always = op_ == opcode::ST_R;
        size_from(73);
        u_.flag1 = bit(72);
        u_.offset = i_->signed_bits(32, 32);
        data(64);
        break;
      case opcode::ATOM:
      case opcode::ATOM_R:
      case opcode::ATOM_CAS:
      case opcode::ATOM_F:
      case opcode::ATOMG:
      case opcode::ATOMG_R:
      case opcode::ATOMG_CAS:
      case opcode::ATOMG_F:
      case opcode::REDG:
      case opcode::REDG_F: {
        u_.always = op_ == opcode::ATOM || op_ == opcode::ATOM_R || op_ == opcode::ATOM_CAS || op_ == opcode::ATOM_F;
        u_.flag1 = sass::is_wide_address(*i_);
        const bool has_uniform = op_ == opcode::ATOM || op_ == opcode::ATOM_F || op_ == opcode::ATOMG ||
                                 op_ == opcode::ATOMG_F || op_ == opcode::REDG || op_ == opcode::REDG_F;
        u_.offset = sass::global_offset(*i_);
        if (has_uniform && bit(91) && !sass::has_descriptor(*i_)) add_uniform(64);
        data(32);
        u_.flag2 = op_ == opcode::REDG || op_ == opcode::REDG_F;
        u_.mode = u_.flag2 ? bits(87, 3) : bits(87, 4);
        const auto size = bits(73, 3);
        if (op_ == opcode::ATOM_F || op_ == opcode::ATOMG_F || op_ == opcode::REDG_F) {
          u_.mode = bits(87, 3);
          u_.kind = bits(73, 4);
          u_.flag3 = true;
          // Vectors of F16, of BF16, -, of F32.FTZ, of F32, F64.
          static constexpr std::uint8_t bytes[] = {4, 8, 16, 4, 8, 16, 0, 0, 0, 4, 8, 16, 4, 8, 16, 8};
          u_.bytes = bytes[u_.kind];
          if (u_.bytes == 0) u_.run = not_executable;
        } else {
          if (op_ == opcode::ATOM_CAS) u_.mode = bits(87, 2);
          if (sass::traits_of(i_->set).float_atomics_typed) {
            typed_atomic(size);
            break;
          }
          static constexpr std::uint8_t bytes[] = {4, 4, 8, 8, 16, 0, 0, 0};
          u_.bytes = bytes[size];
          u_.flag0 = (size & 1) != 0;
          const bool moves = op_ == opcode::ATOM_CAS || op_ == opcode::ATOMG_CAS || u_.mode == 8;
          if (u_.bytes == 0 || (u_.bytes == 16 && !moves)) u_.run = not_executable;
        }
        break;
      }
      case opcode::QSPC:
        u_.flag1 = bit(bit(91) ? 90 : 72), u_.kind = bits(73, 2);
        if (bit(91) && !bit(76)) add_uniform(32);
        break;
      case opcode::QSPC_R: u_.flag1 = bit(72), u_.kind = bits(73, 2); break;
      case opcode::LDL:
        size_from(73);
        if (bit(91) && !bit(76)) add_uniform(32);
        break;
      case opcode::STL:
      case opcode::STL_U:
        size_from(73);
        if (op_ == opcode::STL_U && !bit(76)) add_uniform(64);
        data(32);
        break;
      case opcode::LDC:
        size_from(73);
        u_.offset = i_->signed_bits(38, 16);
        u_.mode = bits(54, 5);
        if (bits(78, 2) != 0 || u_.bytes == 16) u_.run = not_executable;
        break;
      case opcode::ULDC:
      case opcode::ULDC_U:
      case opcode::LDCU:
        size_from(73);
        u_.mode = bits(54, 5);
        u_.offset = op_ == opcode::ULDC   ? static_cast<std::int64_t>(i_->bits(38, 16))
                    : op_ == opcode::LDCU ? i_->signed_bits(37, 17)
                                          : i_->signed_bits(38, 16);
        u_.uniform_d = static_cast<std::uint8_t>(i_->uniform(16));
        if (op_ != opcode::ULDC) u_.b = uniform(i_->uniform(24));
        if ((u_.bytes == 16 && op_ != opcode::LDCU) || (op_ == opcode::ULDC && bit(91))) u_.run = not_executable;
        break;
      default: break;
    }
  }

  code_cache& cache_;
  const std::array<std::vector<std::byte>, constant_banks>& banks_;
  const handler_table& handlers_;
  const sass::instruction* i_ = nullptr;
  const sass::opcode_info* info_ = nullptr;
  opcode op_ = opcode::NOP;
  micro_op u_;
  bool failed_ = false;
};

}  // namespace

code_cache::code_cache(const cubin::program& p, const std::array<std::vector<std::byte>, constant_banks>& banks)
    : program_(p), banks_(banks), sections_(p.sections.size()), ready_(p.sections.size()), handlers_(handlers()) {}

const std::uint32_t* code_cache::spread(std::uint32_t value) {
  const auto [entry, is_new] = row_of_.try_emplace(value, nullptr);
  if (is_new) {
    lane_row& lanes = rows_.emplace_back();
    for (std::uint32_t& lane : lanes.at) lane = value;
    entry->second = lanes.at;
  }
  return entry->second;
}

const decoded_section* code_cache::at(std::uint64_t address) {
  for (std::size_t n = 0; n < program_.sections.size(); ++n) {
    const cubin::code_section& code = program_.sections[n];
    const std::uint64_t count = code.bytes.size() / cubin::instruction_bytes;
    if (address < code.address || address >= code.address + count * cubin::instruction_bytes) continue;
    if (const decoded_section* known = ready_[n].load()) return known;
    const std::lock_guard lock(mutex_);
    if (sections_[n] == nullptr) {
      auto section = std::make_unique<decoded_section>();
      section->begin = code.address;
      section->end = code.address + count * cubin::instruction_bytes;
      section->ops.reserve(count);
      decoder d(*this, banks_, handlers_);
      const sass::isa set = sass::isa_of(program_.sm);
      for (std::uint32_t i = 0; i < count; ++i)
        section->ops.push_back(d.run(sass::load_instruction(code.bytes.data() + std::size_t{i} * 16, set), i,
                                     section->begin + std::uint64_t{i} * 16));
      for (const micro_op& u : section->ops)
        if (u.d < zero_row) section->written_rows = std::max(section->written_rows, std::min(u.d + 8u, zero_row));
      written_rows_.store(std::max(written_rows_.load(), section->written_rows));
      sections_[n] = std::move(section);
      ready_[n].store(sections_[n].get());
    }
    return sections_[n].get();
  }
  return nullptr;
}

}  // namespace bankwise::emulate
