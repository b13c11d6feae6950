// Reads the fields of moves and integer instructions.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::integers(opcode family) const {
  switch (family) {
    case op::PRMT: return byte_permute{as<permute_mode>("prmt")};
    case op::MOV: return wide_move{flag(".64")};
    case op::MOV_64: return wide_move{true};
    case op::P2R:
    case op::R2P: return predicate_byte{byte("byte"), static_cast<std::uint32_t>(value("mask"))};
    case op::IADD3:
    case op::IMAD: return carry_add{flag(".X")};
    case op::IADD_64: return add_64();
    case op::LEA: return scaled_add{byte("shift"), flag(".HI"), flag(".X"), flag(".SX32")};
    case op::LOP3: return bitwise{byte("table"), flag(".PAND")};
    case op::VABSDIFF: return difference{!flag(".U32"), false};
    case op::VABSDIFF4: return difference{!flag(".U8"), flag(".ACC")};
    case op::ISETP:
      return integer_comparison{as<integer_relation>("icmp"), logic_of("bool"), !flag(".U32"), flag(".EX"),
                                flag(".64")};
    case op::SHF: return funnel_shift{as<shift_type>("shf_type"), value("shf_dir") != 0, flag(".W"), flag(".HI")};
    case op::SGXT: return bit_range{!flag(".U32"), flag(".W")};
    case op::BMSK: return bit_range{false, flag(".W")};
    case op::IMAD_WIDE: return wide_multiply{!flag(".U32"), flag(".X"), false};
    case op::IMAD_HI: return wide_multiply{!flag(".U32"), flag(".X"), true};
    case op::IDP:
      return dot_product{!flag("halves") ? dot_parts::bytes
                         : !flag("high") ? dot_parts::halves_by_lower_bytes
                                         : dot_parts::halves_by_upper_bytes,
                         flag("a_signed"), flag("b_signed")};
    case op::VIADD: return add_packed();
    case op::IMNMX: return minimum_or_maximum();
    case op::VIMNMX:
    case op::VIADDMNMX:
    case op::VIMNMX3: return packed_extreme();
    case op::FLO: return leading_bit{!flag(".U32"), flag(".SH")};
    case op::I2I: return narrowing{as<narrow_integer>("i2i")};
    case op::I2IP: return narrow_pair();
    default: return std::nullopt;
  }
}

fields field_reader::add_64() const {
  const bool extended = flag(".X");
  if (op_ == op::UIADD3_64 && (extended || !is_true("carry") || !is_true("second_carry"))) return unknown_form{};
  return carry_add{extended};
}

fields field_reader::add_packed() const {
  const auto type = f_.has("viadd_u8") ? as<sum_type>("viadd_u8") : as<sum_type>("viadd");
  const bool saturates = flag(".SAT") || flag(".ISAT");
  switch (type) {
    case sum_type::s32: return packed_add{type, saturates};
    case sum_type::u32:
    case sum_type::u16x2:
    case sum_type::u8x4: return saturates ? fields(unknown_form{}) : packed_add{type, false};
  }
  return unknown_form{};
}

fields field_reader::minimum_or_maximum() const {
  const bool wide = flag(".64");
  if (wide && (value("extended_results") != 63 || value("extended_condition") != 15)) return unknown_form{};
  return integer_extreme{flag(".U32") ? extreme_type::u32 : extreme_type::s32, false, wide};
}

fields field_reader::packed_extreme() const {
  const auto type = f_.has("vimnmx_s32") ? as<extreme_type>("vimnmx_s32") : as<extreme_type>("vimnmx");
  if (type > extreme_type::u8x4) return unknown_form{};
  return integer_extreme{type, flag(".RELU"), false};
}

fields field_reader::narrow_pair() const {
  static constexpr std::uint8_t parts[] = {0, 0, 0, 0, 3, 3, 2, 2};
  if (value("i2ip_part") != parts[value("i2ip")]) return unknown_form{};
  return narrowing{as<narrow_integer>("i2ip")};
}

}  // namespace bankwise::sass
