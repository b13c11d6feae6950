// Reads the fields of matrix products on tensor cores.
#include "sass/fields/field_reader.hpp"

namespace bankwise::sass {

std::optional<fields> field_reader::tensor(opcode family) const {
  switch (family) {
    case op::HMMA:
    case op::IMMA:
    case op::BMMA:
    case op::DMMA:
    case op::QMMA: return has_only_bytes() ? product() : small_product();
    case op::QMMA_SF:
    case op::OMMA_SF: return small_product();
    case op::HMMA_884: return products_of_a_step();
    case op::MOVM:
      // a GPU reports this encoding as an illegal instruction
      if (value("movm") != (flag(".U4TO8") ? 1u : 0u)) return unknown_form{};
      return matrix_transpose{flag(".U4TO8")};
    case op::HGMMA:
    case op::IGMMA:
    case op::BGMMA:
    case op::QGMMA: return group();
    default: return std::nullopt;
  }
}

fields field_reader::product() const {
  const std::optional<tensor_shape> shape = tensor_shape_of(i_);
  if (!shape) return unknown_form{};
  matrix_product p;
  p.shape = *shape;
  p.a = register_at(slot::a), p.b = register_at(slot::b), p.c = register_at(slot::c), p.result = register_at(slot::d);
  p.has_predicate = !is_true("adds_c");
  p.saturates = flag(".SAT");
  switch (op_) {
    case op::IMMA:
      p.a_signed = flag("a_signed"), p.b_signed = flag("b_signed");
      p.a_nibbles = flag("a_nibbles"), p.b_nibbles = flag("b_nibbles");
      if (p.a_nibbles != p.b_nibbles) return unknown_form{};
      break;
    case op::BMMA:
      p.bits = as<bit_product>("bmma_op");
      if (p.bits != bit_product::exclusive && p.bits != bit_product::conjunction) return unknown_form{};
      break;
    case op::DMMA: {
      p.negates_a = alu_operand_of(i_, 'a', 'd').negated, p.negates_b = alu_operand_of(i_, 'b', 'd').negated;
      p.negates_c = alu_operand_of(i_, 'c', 'd').negated;
      break;
    }
    case op::HMMA:
      p.numbers = as<product_number>("hmma_in");
      p.negates_a = flag(".negA"), p.negates_b = flag(".negB");
      if (p.numbers > product_number::tf32 || (p.shape.k == 4 && p.numbers != product_number::tf32))
        return unknown_form{};
      break;
    case op::QMMA:
      p.a_e5m2 = flag("a_type"), p.b_e5m2 = flag("b_type");
      p.negates_a = flag(".negA"), p.negates_b = flag(".negB");
      p.short_sums = i_.set == isa::ada;
      if (p.shape.sparse != (p.shape.k == 64)) return unknown_form{};
      break;
    default: break;
  }
  if (p.shape.sparse) {
    p.metadata = f_.register_of("metadata"), p.selector = byte("selector");
    if (!selects_lanes(p.shape, p.selector)) return unknown_form{};
  }
  return p;
}

bool field_reader::selects_lanes(const tensor_shape& shape, unsigned selector) {
  const unsigned bits = shape.k * shape.element_bits;
  if (bits != 256 && bits != 512) return false;
  return (selector + 1) * shape.metadata_lanes() <= 4;
}

// Whether all numbers have 8 bits. In a byte, a number of 6 bits is in the low bits, and a number of 4 bits is in the
// middle bits.
bool field_reader::has_only_bytes() const { return value("a_type_high") == 0 && value("b_type_high") == 0; }

fields field_reader::small_product() const {
  const std::optional<tensor_shape> shape = tensor_shape_of(i_);
  if (!shape) return unknown_form{};
  scaled_product p;
  p.shape = *shape;
  p.a = register_at(slot::a), p.b = register_at(slot::b), p.c = register_at(slot::c), p.result = register_at(slot::d);
  p.has_predicate = !is_true("adds_c");
  if (op_ == op::OMMA_SF) {
    const auto scales = as<block_scales>("scales");
    if (scales == block_scales::two_ue4m3) return unknown_form{};  // PTX does not support this combination of types
    p.a_type = p.b_type = small_float::e2m1;
    p.ue4m3 = scales == block_scales::four_ue4m3;
    p.scales = scales == block_scales::two_ue8m0 ? 2 : 4;
  } else {
    p.a_type = static_cast<small_float>(value("a_type") | value("a_type_high") << 1);
    p.b_type = static_cast<small_float>(value("b_type") | value("b_type_high") << 1);
    for (const small_float t : {p.a_type, p.b_type})
      if (t == static_cast<small_float>(2) || t > small_float::e2m1) return unknown_form{};
    p.scales = op_ == op::QMMA_SF ? 1 : 0;
  }
  p.negates_a = flag(".negA"), p.negates_b = flag(".negB");
  if (op_ == op::QMMA) {
    p.metadata = f_.register_of("metadata");
    if (p.shape.k != (p.shape.sparse ? 64 : 32)) return unknown_form{};  // only bytes have a shape with k = 16
  } else {
    const std::uint8_t first = f_.register_of("a_scales");
    p.metadata = first;
    p.a_scales = p.shape.sparse && first != register_zero ? static_cast<std::uint8_t>(first + 1) : first;
    p.b_scales = f_.register_of("b_scales"), p.places = f_.register_of("places");
  }
  if (p.shape.sparse) {
    p.selector = byte("selector");
    if (!selects_lanes(p.shape, p.selector)) return unknown_form{};
  }
  return p;
}

fields field_reader::products_of_a_step() const {
  quad_product p;
  p.a = register_at(slot::a), p.b = register_at(slot::b), p.c = register_at(slot::c), p.result = register_at(slot::d);
  p.step = byte("step");
  p.a_by_columns = value("a_major") != 0, p.b_by_columns = value("b_major") != 0;
  p.to_f32 = value("hmma_type") != 0, p.from_f32 = value("c_type") != 0;
  p.has_predicate = !is_true("adds_c");
  if ((p.from_f32 && !p.to_f32) || (!p.to_f32 && p.step > 1)) return unknown_form{};
  return p;
}

fields field_reader::group() const {
  group_product g;
  g.columns = static_cast<std::uint16_t>(warp_group_columns(f_));
  g.a_in_shared = !group_has_a_in_registers(i_);
  g.a = register_at(slot::a), g.c = register_at(slot::c), g.result = register_at(slot::d);
  g.descriptors = f_.register_of("descriptors");
  g.a_transposed = flag(".tnspA"), g.b_transposed = flag(".tnspB");
  g.negates_a = flag(".negA"), g.negates_b = flag(".negB");
  g.to_f32 = flag("hmma_type");
  g.saturates = flag(".SAT");
  g.sparse = flag(".SP");
  if (g.sparse) g.metadata = f_.register_of("metadata"), g.selector = byte("selector");
  if (op_ == op::HGMMA) g.numbers = as<product_number>("hmma_in");
  if (g.numbers > product_number::tf32) return unknown_form{};
  if (op_ == op::IGMMA) g.a_signed = flag("a_type"), g.b_signed = flag("b_type");
  if (op_ == op::QGMMA) g.a_e5m2 = flag("a_type"), g.b_e5m2 = flag("b_type");
  const predicate_operand adds_c = f_.predicate("adds_c");
  g.predicate = adds_c.number, g.predicate_negated = adds_c.negated;
  return g;
}

}  // namespace bankwise::sass
