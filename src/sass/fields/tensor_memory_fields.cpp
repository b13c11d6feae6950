// Reads the fields of instructions on tensor memory.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::tensor_memory(opcode family) const {
  switch (family) {
    case op::LDTM:
    case op::STTM: return move_of_tensor();
    case op::UTCCP: return fill();
    case op::UTCSHIFT:
      if (value("shift_direction") == 0) return unknown_form{};
      return tensor_shift{tensor_place_at(slot::a), flag(".2CTA")};
    case op::UTCMMA: return product_in_tensor_memory();
    case op::UTCBAR: return tensor_commit{uniform_at(slot::a), uniform_at(slot::c), flag(".MULTICAST")};
    case op::UTCATOMSWS_FAS:
      if (!flag(".ALIGN")) return unknown_form{};
      return tensor_allocation{allocation_step::find, uniform_at(slot::b), flag(".2CTA")};
    case op::UTCATOMSWS:
      if (value("exchanges") != 0) return unknown_form{};
      return tensor_allocation{value("allocation") == 0 ? allocation_step::keep : allocation_step::add,
                               uniform_at(slot::b), flag(".2CTA")};
    default: return std::nullopt;
  }
}

tensor_place field_reader::tensor_place_at(unsigned at) const {
  const auto offset = static_cast<std::uint32_t>(value("offset_high") << 24 | value("offset"));
  return {uniform_at(at), static_cast<std::int32_t>(offset)};
}

fields field_reader::move_of_tensor() const {
  const unsigned layout = tensor_layout_number(f_);
  if (layout >= tensor_layouts) return unknown_form{};
  tensor_move m;
  m.layout = static_cast<tensor_layout>(layout);
  m.repeats = static_cast<std::uint8_t>(tensor_repeats(f_));
  if (m.repeats * registers_of(m.layout) > 128) return unknown_form{};
  const bool loads = op_ == op::LDTM;
  m.at = tensor_place_at(loads ? slot::b : slot::c);
  m.data = register_at(loads ? slot::d : slot::b);
  m.packs = flag(".PACK16BIT") || flag(".EXPAND16BIT");
  if (!f_.has("extreme")) return m;
  const bool has_layout = m.layout == tensor_layout::lanes32_bits32 || m.layout == tensor_layout::first_threads ||
                          m.layout == tensor_layout::last_threads;
  if (value("extreme_type") > 2 || m.repeats < 2 || !has_layout) return unknown_form{};
  m.extreme = static_cast<tensor_move::extreme_type>(value("extreme_type") + 1);
  m.minimum = flag(".MIN"), m.of_magnitudes = flag(".ABS"), m.keeps_nan = flag(".NAN");
  m.result = f_.register_of("extreme");
  return m;
}

fields field_reader::fill() const {
  tensor_fill c;
  c.to = tensor_place_at(slot::a);
  c.form = static_cast<tensor_copy_form>(value("form_high") << 2 | value("form"));
  if (value("filled_memory") != 0 || value("read_memory") != 0) return unknown_form{};
  if (c.form == tensor_copy_form::none || c.form > tensor_copy_form::m32_all) return unknown_form{};
  c.descriptor = uniform_at(slot::b);
  if (value("narrow_floats") > 2) return unknown_form{};
  c.element_bits = value("narrow_floats") == 0 ? 8 : value("narrow_floats") == 1 ? 4 : 6;
  c.pair = flag(".2CTA");
  return c;
}

fields field_reader::product_in_tensor_memory() const {
  tensor_product p;
  p.a = uniform_at(slot::a), p.b = uniform_at(slot::b), p.sums = uniform_at(slot::c);
  p.instruction = f_.register_of("instruction"), p.mask = f_.register_of("mask");
  const std::uint64_t kind = value("numbers");
  const bool has_scales_of_bytes = i_.bit(10) && i_.bit(11);
  p.scaled = has_scales_of_bytes || flag("scaled");
  p.a_in_tensor_memory = i_.bits(9, 3) == 4 || i_.bits(9, 3) == 7;
  if (has_scales_of_bytes) {
    if (kind != 3 || flag("scaled")) return unknown_form{};
    p.numbers = tensor_numbers::bytes;
  } else if (p.scaled) {
    if (kind != 0) return unknown_form{};
    p.numbers = tensor_numbers::nibbles;
  } else {
    if (kind == 2) return unknown_form{};
    p.numbers = kind == 0 ? tensor_numbers::halves : kind == 1 ? tensor_numbers::integers : tensor_numbers::bytes;
  }
  p.long_blocks = flag("long_blocks");
  p.scale = p.numbers == tensor_numbers::halves ? byte("scale") : 0;
  const predicate_operand adds = f_.predicate("adds");
  p.predicate = adds.number, p.predicate_negated = adds.negated;
  p.pair = flag(".2CTA"), p.weight_stationary = flag(".WS"), p.shifts_a = flag(".ASHIFT");
  return p;
}

// Reads a tensor copy by TMA. An unknown mode is an error only when the instruction is executed.
fields field_reader::tensor_copy() const {
  tensor_transfer t;
  t.box = uniform_at(slot::b), t.map = uniform_at(slot::a), t.blocks = uniform_at(slot::c);
  t.dimensions = static_cast<std::uint8_t>(value("tma_dim") + 1);
  t.operation = as<atomic_op>("atom_op");
  t.multicast = flag(".MULTICAST");
  t.im2col = flag(".IM2COL") || value("tma_mode") == 1 || value("tma_store_mode") == 1;
  t.along_w = value("tma_mode") == 2 ? w_column::of_128 : value("tma_mode") == 3 ? w_column::of_map : w_column::none;
  t.four_rows = value("tma_mode") == 4 || value("tma_store_mode") == 2;
  t.pair = flag(".2CTA");
  if (value("tma_mode") > 4 || value("tma_store_mode") > 2) return unknown_form{};
  return t;
}

}  // namespace bankwise::sass
