// Reads the fields of an instruction. Each source file, such as integer_fields.cpp, contains the functions for a group
// of opcode families.
#pragma once

#include <algorithm>
#include <optional>

#include "sass/fields/fields.hpp"
#include "sass/operand/access_bytes.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

class field_reader {
 public:
  explicit field_reader(const instruction& i) : i_(i), f_(i), op_(f_.info().op) {}

  fields run() const;

 private:
  using op = opcode;

  // Each function reads the fields of the opcodes in its group, and returns nothing for other opcodes.
  std::optional<fields> integers(opcode family) const;
  std::optional<fields> textures(opcode family) const;
  std::optional<fields> floats(opcode family) const;
  std::optional<fields> control(opcode family) const;
  std::optional<fields> asynchronous(opcode family) const;
  std::optional<fields> tensor(opcode family) const;
  std::optional<fields> tensor_memory(opcode family) const;
  std::optional<fields> memory(opcode family) const;

  std::uint64_t value(field_name n) const { return f_.value(n); }
  std::uint8_t byte(field_name n) const { return f_.byte(n); }
  template <class Modifier>
  Modifier as(field_name n) const {
    return f_.as<Modifier>(n);
  }
  bool flag(field_name n) const { return f_.flag(n); }
  std::uint8_t bytes() const { return static_cast<std::uint8_t>(access_bytes(f_)); }
  logic logic_of(field_name n) const { return static_cast<logic>(std::min<std::uint64_t>(f_.value(n), 2)); }
  std::uint8_t register_at(unsigned at) const { return static_cast<std::uint8_t>(i_.bits(at, 8)); }
  std::uint8_t uniform_at(unsigned at) const { return static_cast<std::uint8_t>(i_.uniform(at)); }
  bool is_true(field_name n) const { return f_.predicate(n).is_true(); }
  bool is_immediate() const { return form_of(i_) == alu_form::b_imm || form_of(i_) == alu_form::c_imm; }
  bool upper_half() const { return value("part") == 1 && !is_immediate(); }
  unsigned number(file f) const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::operand && p.file == f) return static_cast<unsigned>(i_.bits(p.at, p.count));
    return 0;
  }
  // Returns which half of its register the operand in this slot uses.
  half_choice half(char slot) const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::alu && (p.slot == slot || ((p.slot == 'B' || p.slot == 'D') && slot == 'b')))
        return alu_operand_of(i_, p).half;
    return half_choice::both;
  }
  address address_in_row() const {
    for (const part& p : parts_of(f_.info()))
      if (p.kind == part_kind::address) return address_of(i_, *find_form(p.text));
    return {};
  }

  // --- integer_fields.cpp

  // Returns unknown_form for a UIADD3.64 with carries, because its encoding is not known well enough.
  fields add_64() const;
  fields add_packed() const;
  fields minimum_or_maximum() const;
  fields packed_extreme() const;
  // Reads the conversion of two numbers to a pair of narrow integers. The result's bits above the pair come from c.
  fields narrow_pair() const;

  // --- texture_fields.cpp

  texture_handle handle() const;
  fields texture() const;
  // Values have 32 bits. Only values of an addition may have 64 bits. The values of a formatted surface are unsigned,
  // or have the surface's format.
  fields reduction(surface_access s) const;
  // Reads a query for the size of a level.
  fields query() const;
  fields surface() const;

  // --- float_fields.cpp

  // Whether the operand is a float instead of a pair of halves (.F32). nvcc never generates this operand for CUDA C++.
  bool takes_float() const;
  product_scale scale() const;
  // Returns unknown_form for encodings with signs, because the positions of the signs are unknown.
  fields float_pairs() const;
  fields function() const;
  // Whether the source format is f32. The modifiers of other formats are unknown.
  bool uniform_from_f32(field_name from) const { return value(from) == 2; }
  bool is_known(const pack_form& f) const;
  fields pack_floats() const;

  // --- control_fields.cpp

  // Reads CREDUX. Returns unknown_form if a bit is set whose meaning is unknown.
  fields cross_reduction() const;
  bool is_collective() const;
  // Whether a WARPSYNC joins only lanes that wait at this instruction. False before sm_90, because older GPUs were not
  // measured.
  bool gathers_here() const;

  // --- tensor_fields.cpp

  fields product() const;
  // Whether the selector is valid. The selector selects one, two or all four of a row's lanes.
  static bool selects_lanes(const tensor_shape& shape, unsigned selector);
  bool has_only_bytes() const;
  fields small_product() const;
  fields products_of_a_step() const;
  fields group() const;

  // --- tensor_memory_fields.cpp

  tensor_place tensor_place_at(unsigned at) const;
  fields move_of_tensor() const;
  fields fill() const;
  fields product_in_tensor_memory() const;
  fields tensor_copy() const;

  // --- memory_fields.cpp

  // The register after the result, or after the address if there is no result.
  std::uint8_t data_register() const;
  bool is_strong() const;
  memory_access plain_access() const;
  bool is_reduction() const { return op_ == op::REDG || op_ == op::REDG_F; }
  fields access() const;
  fields matrices() const;
  fields copy() const;
  fields count_lanes() const;
  fields atomic() const;
  fields float_atomic(memory_access a) const;
  // Reads an atomic of sm_75 to sm_89 on global memory. `type` is U32, S32, U64, F32.FTZ, F16x2, S64 or F64. The only
  // operation on floats is addition.
  static fields typed_atomic(memory_access a, std::uint64_t type);

  const instruction& i_;
  row_fields f_;
  opcode op_;
};

}  // namespace bankwise::sass
