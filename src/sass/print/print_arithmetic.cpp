// Prints the parts {@name} in instructions on integers, floats and predicates, and in moves and conversions.
#include "sass/operand/pack_form.hpp"
#include "sass/print/printer.hpp"

namespace bankwise::sass {

// --- moves, integers

void printer::quad() {
  if (const auto lanes = value("lanes"); lanes != 0xf) out_ += ", " + hex0x(lanes);
}
void printer::predicate_mask() {
  if (const auto mask = value("mask"); mask != 0xff) out_ += ", " + hex0x(mask);
}
// Prints IMAD. If the factor is 0, 1 or a power of two, the instruction has another name.
void printer::integer_multiply() {
  out_ += "IMAD";
  const alu_form form = form_of(i_);
  const bool b_imm = form == alu_form::b_imm;
  const bool aliased = b_imm || form == alu_form::b_reg_c_reg || form == alu_form::c_imm ||
                       (form == alu_form::c_const && i_.set < isa::hopper);
  if (!aliased || flag(".X")) return;
  const alu_operand a = alu_operand_of(i_, 'a', 'x'), b = alu_operand_of(i_, 'b', 'x'),
                    c = alu_operand_of(i_, 'c', 'x');
  const std::uint32_t factor = immediate_of(i_);
  // 2^31 and 2^16 do not count as powers of two. IMAD.U32 by 2^16 has another use.
  const bool power_of_two = factor != 0 && (factor & (factor - 1)) == 0 && factor != 0x10000 && factor >> 31 == 0;
  if ((b_imm ? factor == 0 : b.number == register_zero) || a.number == register_zero)
    out_ += ".MOV";
  else if (b_imm && factor == 1)
    out_ += ".IADD";
  else if (b_imm && power_of_two && c.number == register_zero)
    out_ += ".SHL";
}
void printer::dot_product() {
  const bool halves = flag("halves");
  out_ += !halves ? ".4A" : flag("high") ? ".2A.HI" : ".2A.LO";
  out_ += flag("a_signed") ? (halves ? ".S16" : ".S8") : (halves ? ".U16" : ".U8");
  out_ += flag("b_signed") ? ".S8" : ".U8";
}
void printer::compared() {
  if (flag(".64"))
    out_ += flag(".U32") ? ".U64" : ".S64";
  else if (flag(".U32"))
    out_ += ".U32";
}
void printer::min_max_type() { out_ += flag(".64") ? (flag(".U32") ? ".U64" : ".S64") : flag(".U32") ? ".U32" : ""; }
void printer::wide_immediate() { out_ += hex0x(wide_immediate_of(i_)); }

// --- floats, conversions

// Prints the operand of MUFU. Functions 6 and 7 use the upper word of a double.
void printer::mufu_source() {
  const auto function = row_fields(i_).as<math_function>("mufu");
  const bool is_high = function == math_function::reciprocal_high || function == math_function::reciprocal_root_high;
  operand('B', is_high ? 'd' : 'f');
}
void printer::half_marks() {
  const bool bf16 = flag(".BF16_V2"), is_float = flag(".F32"), flushes = flag(".FTZ"), zeroes = flag(".FMZ");
  out_ += bf16 && is_float ? ".INVALID3" : bf16 ? ".BF16_V2" : is_float ? ".F32" : "";
  const char* const both = i_.set >= isa::hopper ? ".OOB" : ".INVALID3";
  out_ += flushes && zeroes ? both : flushes ? ".FTZ" : zeroes ? ".FMZ" : "";
}
void printer::relu_predicate() {
  if (const predicate_operand p = predicate("relu_lanes"); flag(".RELU") && !p.is_true()) out_ += ", " + text_of(p);
}
// If the source is a half: prints the flag for the upper half of a register.
void printer::upper_half() {
  const auto from = row_fields(i_).as<float_format>("from");
  const bool halves =
      info_->op == opcode::MUFU ? value("mufu_type") != 0 : from == float_format::f16 || from == float_format::bf16;
  const bool in_register = form_of(i_) == alu_form::b_reg_c_reg || form_of(i_) == alu_form::b_uniform;
  if (halves && in_register && value("part") == 1) out_ += ".H1";
}
void printer::source_part() {
  const auto size = value("size"), part = value("part");
  if (form_of(i_) == alu_form::b_imm || part == 0 || size > 1) return;
  out_ += size == 1 ? ".H1" : ".B" + std::to_string(part);
}
void printer::equal_predicate() {
  if (flag(".IS_A")) out_ += "P0, ";
}
void printer::equal_predicates() {
  if (flag(".IS_A")) out_ += "P0, P0, ";
}
void printer::integer_type() {
  const bool is_signed = flag("signed");
  const auto size = value("size");
  if (!(is_signed && size == 2)) out_ += std::string(is_signed ? ".S" : ".U") + std::to_string(8u << size);
}

// Prints F2FP. Several fields together select the form (operand/pack_form.hpp).
void printer::pack_floats() {
  static constexpr sv type[] = {".F16",  ".BF16", ".???2", ".TF32", ".E5M2",  ".E4M3",  ".E8",    ".???7",
                                ".???8", ".E2M1", ".E2M3", ".E3M2", ".???12", ".???13", ".???14", ".???15"};
  static constexpr sv source[] = {".F32",  ".F16",  ".E5M2",  ".E4M3", ".???4",  ".E2M1",  ".E2M3",  ".E3M2",
                                  ".???8", ".BF16", ".???10", ".E8",   ".???12", ".???13", ".???14", ".???15"};
  static constexpr sv round[] = {"", ".???1", ".???2", ".RZ", ".???4", ".???5", ".???6", ".???7"};
  static constexpr sv bytes[] = {"", ".B1", ".B2", ".B3"};
  const pack_form f = pack_form_of(i_);
  const auto to = static_cast<std::size_t>(f.to);
  const bool newer = i_.set >= isa::blackwell;
  if (flag(".SATFINITE") && !f.from_small() && (newer || f.to != pack_target::tf32)) out_ += ".SATFINITE";
  if (flag(".RELU") && f.from != pack_source::ue8m0) out_ += ".RELU";
  const bool untyped = i_.set < isa::ada;  // before sm_89, the source is F32 and the default result is F16
  if (!untyped || f.to != pack_target::f16) out_ += type[to];
  if (!untyped) out_ += source[static_cast<std::size_t>(f.from)];
  out_ += f.unpacks ? ".UNPACK_B" : f.packs_b ? ".PACK_B" : f.merges_one ? ".MERGE_C" : ".PACK_AB";
  if (f.merges_pair) out_ += "_MERGE_C";
  const bool rounds_up = newer && f.to_small() && f.to != pack_target::e2m1 && value("rnd") == 2;
  out_ += rounds_up ? ".RP" : round[value("rnd")];
  out_ += " " + reg(register_of("result")) + ", ";
  if (f.has_a()) {
    operand('a', 'x');
    out_ += ", ";
  }
  const bool is_number = alu_operand_of(i_, 'b', 'x').kind == operand_kind::immediate && f.from == pack_source::f32;
  operand('b', is_number ? 'f' : 'x');
  if (f.from == pack_source::e2m1)
    out_ += bytes[value(".H1") | value(".H1_B") << 1];
  else if ((f.unpacks && !newer && value("part") == 1) || (f.from_small() && flag(".H1_B")))
    out_ += ".H1";
  if (f.has_c) {
    out_ += ", ";
    operand('c', 'x');
    if (flag(".H1") && f.to != pack_target::e2m1) out_ += ".H1";
  }
}

// --- predicates

void printer::split_table() { out_ += hex0x(value("table_high") << 3 | value("table_low")); }
void printer::r2ur_predicate() {
  if (const predicate_operand p = predicate("differ"); flag(".OR") || !p.is_true()) out_ += text_of(p) + ", ";
}

}  // namespace bankwise::sass
