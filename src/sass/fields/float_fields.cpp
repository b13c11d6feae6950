// Reads the fields of instructions on floats, and of conversions.
#include "sass/fields/field_reader.hpp"
#include "sass/operand/float_pair.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::floats(opcode family) const {
  switch (family) {
    case op::FADD:
    case op::FMUL:
    case op::FFMA:
      if (op_ == op::UFADD && flag("halves")) return unknown_form{};  // an operation on halves
      return float_arithmetic{as<rounding>("rnd"), scale(), flag(".FTZ"), flag(".SAT"), flag(".FMZ")};
    case op::FADD2:
    case op::FMUL2:
    case op::FFMA2: return float_pairs();
    case op::FMNMX: return float_extreme{flag(".FTZ"), flag(".NAN"), flag(".XORSIGN")};
    case op::FMNMX3:
      if (flag("other")) return unknown_form{};
      return float_extreme{flag(".FTZ"), flag(".NAN"), false};
    case op::FSEL: return float_extreme{flag(".FTZ"), false, false};
    case op::FSET:
    case op::FSETP: return float_comparison{as<float_relation>("fcmp"), logic_of("bool"), flag(".FTZ")};
    case op::DSETP: return float_comparison{as<float_relation>("dcmp"), logic_of("bool"), false};
    case op::MUFU: return function();
    case op::DADD:
    case op::DMUL:
    case op::DFMA: return float_arithmetic{as<rounding>("rnd")};
    case op::HADD2:
    case op::HMUL2:
    case op::HFMA2:
    case op::HFMA2_MMA:
      if (takes_float()) return unknown_form{};
      return half_arithmetic{flag(".BF16_V2"), flag(".FTZ"), flag(".SAT"), flag(".RELU"), flag(".FMZ"),
                             flag(".F32"),     half('a'),    half('b'),    half('c')};
    case op::HSET2:
    case op::HSETP2:
      return half_comparison{as<float_relation>("fcmp"),    logic_of("bool"), flag(".BF16_V2"), flag(".FTZ"),
                             flag(".H_AND") || flag(".BF"), half('a'),        half('b')};
    case op::HMNMX2:
      return half_extreme{flag(".BF16_V2"), flag(".FTZ"), flag(".NAN"), flag(".XORSIGN"), half('a'), half('b')};
    case op::VHMNMX: return half_extreme{flag(".BF16_V2"), false, flag(".NAN"), false, half('a'), half('b'), half('c')};

    // Conversions.
    case op::F2F:
    case op::F2F64:
      if (op_ == op::UF2F && (!uniform_from_f32("from") || value("to") == 3)) return unknown_form{};
      return float_conversion{as<float_format>("from"), as<float_format>("to"), as<rounding>("rnd"), flag(".FTZ"),
                              upper_half()};
    case op::FRND:
    case op::FRND64:
      if (op_ == op::UFRND && value("to") != 1 && value("to") != 2)
        return unknown_form{};  // converts two registers or only a part of a register
      return float_conversion{as<float_format>("to"), as<float_format>("to"), as<rounding>("f2i_rnd"), flag(".FTZ"),
                              upper_half()};
    case op::F2I:
    case op::F2I64:
      if (op_ == op::UF2I && (!uniform_from_f32("from") || value("size") == 3)) return unknown_form{};
      return to_integer{as<float_format>("from"),
                        static_cast<std::uint8_t>(8u << value("size")),
                        as<rounding>("f2i_rnd"),
                        flag(".FTZ"),
                        upper_half(),
                        flag("signed"),
                        flag(".NTZ")};
    case op::I2F:
    case op::I2F64:
      return from_integer{static_cast<std::uint8_t>(8u << value("size")), as<float_format>("to"), as<rounding>("rnd"),
                          is_immediate() ? std::uint8_t{0} : byte("part"), flag("signed")};
    case op::I2FP: return from_integer{32, float_format::f32, as<rounding>("rnd"), 0, flag(".S32")};
    case op::F2FP: return pack_floats();
    case op::F2IP: return integer_pack{as<narrow_integer>("i2ip"), as<rounding>("f2i_rnd"), flag(".H1"), flag(".RELU")};
    default: return std::nullopt;
  }
}

bool field_reader::takes_float() const {
  constexpr half_choice one = half_choice::one_float;
  return half('a') == one || half('b') == one || half('c') == one;
}

product_scale field_reader::scale() const {
  return op_ == op::FMUL || op_ == op::UFMUL ? as<product_scale>("fmul_scale") : product_scale::one;
}

fields field_reader::float_pairs() const {
  // The meaning of these bits is unknown: .FMZ, and the sign of only one half (.NP).
  constexpr std::uint64_t lower = 0x30, upper = 0x324;
  if ((value("lower_marks") & lower) != 0 || (value("upper_marks") & upper) != 0) return unknown_form{};
  for (const char slot : {'a', 'b', 'c'})
    if (pair_order_of(i_, slot) == pair_order::unknown) return unknown_form{};
  return float_arithmetic{as<rounding>("rnd"), product_scale::one, flag(".FTZ")};
}

fields field_reader::function() const {
  std::uint64_t format = value("mufu_type");
  if (i_.set < isa::hopper) format /= 2;  // before sm_90, number 2 means F16, and there is no BF16
  if (format > 2 || flag(".BF16x2")) return unknown_form{};
  return special_function{as<math_function>("mufu"), static_cast<math_format>(format), upper_half(), is_immediate()};
}

// Whether a conversion between the two formats exists. From sm_100 on, the encoding also permits other combinations of
// formats.
bool field_reader::is_known(const pack_form& f) const {
  const bool from_byte = f.from == pack_source::e5m2 || f.from == pack_source::e4m3;
  const bool from_short = f.from == pack_source::e2m1 || f.from == pack_source::e2m3 || f.from == pack_source::e3m2;
  const bool to_short = f.to == pack_target::e2m1 || f.to == pack_target::e2m3 || f.to == pack_target::e3m2;
  if (i_.set < isa::blackwell) return true;
  if (from_short) return f.to == pack_target::f16;
  if (f.from == pack_source::ue8m0) return f.to == pack_target::bf16;
  if (f.from == pack_source::bf16) return f.to == pack_target::ue8m0;
  if (to_short || f.to == pack_target::ue8m0) return f.from == pack_source::f32 && f.merges_pair;
  return from_byte || f.from == pack_source::f32 || f.from == pack_source::f16;
}

fields field_reader::pack_floats() const {
  if (op_ == op::UF2FP) {
    if ((value("form") | 8) != 0xc2468) return unknown_form{};
    float_pack p;
    p.saturates = true;
    p.form.to = value("uf2fp") != 0 ? pack_target::e4m3 : pack_target::e5m2;
    p.form.merges_pair = p.form.has_c = true;
    return p;
  }
  const bool newer = i_.set >= isa::blackwell;
  if (value("rnd") > 3) return unknown_form{};  // .RS: it is unknown which bits of c determine the rounding
  float_pack p{pack_form_of(i_), as<rounding>("rnd"), flag(".RELU"), flag(".SATFINITE"), flag(".H1")};
  if (!is_known(p.form) || (p.form.to == pack_target::e2m1 && flag(".H1"))) return unknown_form{};
  if (p.rounding == rounding::up && p.form.to != pack_target::ue8m0 && newer) return unknown_form{};
  if (p.form.to == pack_target::tf32 && !newer) p.saturates = false;
  if (p.form.unpacks && (p.form.from_small() || !p.form.to_small()))
    p.upper_half = (!newer && value("part") == 1) || (p.form.from_small() && flag(".H1_B"));
  if (p.form.from == pack_source::e2m1) p.byte = static_cast<std::uint8_t>(value(".H1") | value(".H1_B") << 1);
  return p;
}

}  // namespace bankwise::sass
