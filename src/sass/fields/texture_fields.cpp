// Reads the fields of instructions on textures and surfaces.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::textures(opcode family) const {
  switch (family) {
    case op::TEX:
    case op::TEX_B:
    case op::TEX_C:
    case op::TLD:
    case op::TLD_B:
    case op::TLD_C:
    case op::TLD4:
    case op::TLD4_B:
    case op::TLD4_C:
    case op::TXD:
    case op::TXD_B:
    case op::TXD_C: return texture();
    case op::TXQ:
    case op::TXQ_C: return query();
    case op::SULD:
    case op::SULD_B:
    case op::SULD_C:
    case op::SUST:
    case op::SUST_B:
    case op::SUST_C:
    case op::SUST_P:
    case op::SUST_P_C:
    case op::SURED:
    case op::SURED_C: return surface();
    default: return std::nullopt;
  }
}

texture_handle field_reader::handle() const {
  if (f_.has("word")) return {handle_place::constant, byte("bank"), static_cast<std::uint16_t>(value("word") * 4)};
  if (op_ == op::SULD_B || op_ == op::SUST_B) return {handle_place::vector, register_at(slot::c), 0};
  if (flag(".B")) return {handle_place::vector, register_zero, 0};
  return {handle_place::uniform, uniform_at(40), 0};
}

fields field_reader::texture() const {
  texture_access t;
  t.form = texture_form_of(i_);
  t.handle = handle();
  t.first = register_at(slot::a), t.second = register_at(slot::b);
  t.low = register_at(slot::d), t.high = register_at(slot::c);
  t.channel = byte("gather");
  if (flag(".DC") || flag(".MS") || flag(".PTP") || t.form.level == texture_level_use::unknown) return unknown_form{};
  return t;
}

fields field_reader::reduction(surface_access s) const {
  constexpr unsigned of_u32 = 0, of_s32 = 1, of_u64 = 2, of_format = 6;
  const std::uint64_t size = value("surface_size");
  s.bytes = size == of_u64 ? 8 : 4;
  s.is_signed = size == of_s32;
  if (s.is_formatted ? size != of_u32 && size != of_format : size > of_u64) return unknown_form{};
  if (s.bytes == 8 && s.operation != atomic_op::add) return unknown_form{};
  return s;
}

fields field_reader::query() const {
  texture_access t;
  t.form = texture_form_of(i_);
  t.handle = handle();
  t.first = register_at(slot::a);
  t.low = register_at(slot::d), t.high = register_at(slot::c);
  if (value("texture_query") != 0 || (t.form.channels & 8) != 0) return unknown_form{};
  return t;
}

fields field_reader::surface() const {
  surface_access s;
  const auto dim = value("surface_dim");
  s.handle = handle();
  s.place = register_at(slot::a), s.data = register_at(slot::b), s.result = register_at(slot::d);
  s.bytes = bytes();
  s.dimensions = dim < 3 ? 1 : dim < 5 ? 2 : 3;
  s.has_layer = dim == 2 || dim == 4;
  s.outside = as<beyond_surface>("surface_clamp");
  s.operation = as<atomic_op>("atom_op");
  s.is_signed = f_.has("mem_size") && (value("mem_size") == 1 || value("mem_size") == 3);
  s.is_formatted = !flag(".BA");
  if (f_.has("surface_channels")) {
    s.is_formatted = true;
    s.bytes = 4, s.channels = byte("surface_channels");
    // The meaning of other masks of channels is unknown.
    if (s.channels != 1 && s.channels != 3 && s.channels != 15) return unknown_form{};
  } else if (s.is_formatted && !f_.has("surface_size")) {
    return unknown_form{};
  }
  if (dim > 5 || s.outside > beyond_surface::trap) return unknown_form{};
  if (f_.has("surface_size")) return reduction(s);
  return s.bytes != 0 ? fields{s} : unknown_form{};
}

}  // namespace bankwise::sass
