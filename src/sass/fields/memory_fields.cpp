// Reads the fields of loads, stores, atomics and copies.
#include "sass/fields/field_reader.hpp"

#include <span>
#include <utility>

namespace bankwise::sass {

std::optional<fields> field_reader::memory(opcode family) const {
  switch (family) {
    case op::LDSM:
    case op::STSM: return matrices();
    case op::LDGSTS: return copy();
    case op::QSPC:
    case op::QSPC_R: return space_query{address_in_row(), as<queried_space>("qspc")};
    default: return std::nullopt;
  }
}

std::uint8_t field_reader::data_register() const {
  std::uint8_t r = register_zero;
  for (const part& p : parts_of(f_.info()))
    if (p.kind == part_kind::operand && p.file == file::vector && p.at != slot::d && r == register_zero)
      r = register_at(p.at);
  return r;
}

bool field_reader::is_strong() const {
  const auto order = value("order");
  if (traits_of(i_.set).split_order) return order >> 2 >= 2;
  return order >= 5 && order != 9 && order != 11 && order < 13;
}

memory_access field_reader::plain_access() const {
  memory_access a;
  a.address = address_in_row();
  const bool is_uniform = traits_of(op_).unit == unit::uniform;
  const bool has_result =
      traits_of(op_).action == action::load || (traits_of(op_).action == action::update && !is_reduction());
  if (has_result) a.result = is_uniform ? uniform_at(slot::d) : register_at(slot::d);
  a.data = data_register();
  a.strong = is_strong();
  a.never_merges = op_ == op::LD && (i_.set < isa::hopper || a.address.has_descriptor || flag("generic_pair"));
  return a;
}

fields field_reader::access() const {
  memory_access a = plain_access();
  const field_name size = f_.has("ldc_size")    ? field_name("ldc_size")
                          : f_.has("ldcu_size") ? field_name("ldcu_size")
                                                : field_name("mem_size");
  a.bytes = bytes();
  if (op_ == op::LDG_256) {
    a.upper = std::exchange(a.data, register_zero);
    a.kept = static_cast<std::uint8_t>(kept_words(f_));
  } else if (op_ == op::STG_256) {
    a.upper = register_at(slot::d);
  }
  a.is_signed = value(size) == 1 || value(size) == 3;
  // The load has a predicate as a result, or a predicate that makes the result zero.
  const bool has_predicates = !is_true("unless") || !is_true("found");
  const bool is_constant = traits_of(op_).space == space::constant;
  if (a.bytes == 0 || has_predicates || (op_ == op::LDC && value("ldc_mode") != 0) ||
      (is_constant && a.bytes == 16 && op_ != op::LDCU) || (op_ == op::ULDC && a.address.has_descriptor))
    return unknown_form{};
  return a;
}

fields field_reader::matrices() const {
  const bool loads = op_ == op::LDSM;
  struct form {
    std::uint64_t shape, from;
    matrix_shape is;
    std::uint8_t bits;
  };
  static constexpr form loaded[] = {{0, 0, matrix_shape::m8n8, 16},        {1, 0, matrix_shape::m8n8_trans, 16},
                                    {4, 7, matrix_shape::m16n16_trans, 8}, {4, 6, matrix_shape::m16n16_trans, 6},
                                    {4, 5, matrix_shape::m16n16_trans, 4}, {2, 6, matrix_shape::m8n16, 6},
                                    {2, 5, matrix_shape::m8n16, 4}};
  static constexpr form stored[] = {
      {0, 0, matrix_shape::m8n8, 16}, {1, 0, matrix_shape::m8n8_trans, 16}, {2, 1, matrix_shape::m16n8_trans, 8}};
  const std::uint64_t count = value("ldsm_count"), shape = loads ? value("ldsm_shape") : value("stsm_shape"),
                      from = loads ? value("ldsm_from") : value("stsm_from");
  const std::span<const form> known = loads ? std::span<const form>(loaded) : stored;
  const auto f =
      std::find_if(known.begin(), known.end(), [&](const form& k) { return k.shape == shape && k.from == from; });
  if (f == known.end() || count > (f->is == matrix_shape::m16n16_trans ? 1 : 2)) return unknown_form{};
  const unsigned matrices = f->is == matrix_shape::m16n16_trans ? 2u << count : 1u << count;
  return matrix_access{address_in_row(), static_cast<std::uint8_t>(matrices), register_at(loads ? slot::d : slot::b),
                       f->is, f->bits};
}

fields field_reader::copy() const {
  if (bytes() == 0) return unknown_form{};
  return copy_access{address_of(i_, *find_form("copy_target")),
                     address_of(i_, *find_form("copy_source")),
                     bytes(),
                     flag(".ZFILL"),
                     !is_true("condition"),
                     !flag(".BYPASS")};
}

fields field_reader::count_lanes() const {
  memory_access a = plain_access();
  a.bytes = arrives_at_mbarrier(f_) ? 8 : 4;
  return a;
}

fields field_reader::atomic() const {
  memory_access a = plain_access();
  const bool on_shared = traits_of(op_).space == space::shared;
  a.is_swap = op_ == op::ATOMS_CAS || op_ == op::ATOMS_CAST || op_ == op::ATOM_CAS || op_ == op::ATOMG_CAS;
  a.reduces = is_reduction();
  if (a.is_swap) a.swap = register_at(slot::c);
  a.bytes = bytes();
  if (f_.has("atom_float")) return float_atomic(a);
  if (op_ == op::ATOMS_CAST)
    a.swapped = swap_result::is_stored_or_spin, a.result = register_zero;  // the predicate is the only result
  else if (a.is_swap)
    a.swapped = as<swap_result>("swap");
  else
    a.operation = as<atomic_op>("atom_op");
  if (a.operation > atomic_op::safe_add) return unknown_form{};
  if (!on_shared && traits_of(i_.set).float_atomics_typed) return typed_atomic(a, value("atom_size"));
  const auto size = on_shared ? value("atoms_size") : value("atom_size");
  a.is_signed = (size & 1) != 0;
  a.spins = on_shared && a.is_swap && a.swapped != swap_result::old_value;
  if (a.bytes == 0 || (a.bytes == 16 && !a.is_swap && a.operation != atomic_op::exchange)) return unknown_form{};
  return a;
}

fields field_reader::float_atomic(memory_access a) const {
  static constexpr std::optional<atomic_op> operations[] = {
      atomic_op::add, {}, atomic_op::minimum, {}, atomic_op::maximum, {}, {}, {}};
  const std::optional<atomic_op> operation = operations[value("atom_fop")];
  if (a.bytes == 0 || !operation) return unknown_form{};
  a.operation = *operation;
  a.float_type = as<atomic_float>("atom_float");
  a.is_float = true;
  return a;
}

fields field_reader::typed_atomic(memory_access a, std::uint64_t type) {
  static constexpr std::optional<atomic_float> float_types[] = {
      {}, {}, {}, atomic_float::f32_ftz, atomic_float::f16x2, {}, atomic_float::f64, {}};
  a.is_signed = type == 1 || type == 5;
  a.is_float = float_types[type].has_value();
  a.float_type = float_types[type].value_or(atomic_float::f16x2);
  if (a.bytes == 0 || (a.is_float && a.operation != atomic_op::add)) return unknown_form{};
  return a;
}

}  // namespace bankwise::sass
