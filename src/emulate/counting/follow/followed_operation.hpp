// Follows one executed instruction. Derives the dependence of its results on blockIdx from the dependence of its
// operands (block_class.hpp).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "emulate/block/worker.hpp"
#include "emulate/counting/block_class.hpp"

namespace bankwise::emulate {

using register_form = block_class::form;
using register_place = followed::place;

// The register of an operand. The register file is `none` if the operand is not a register.
register_place register_of(const source& s);

struct followed_operation {
  followed_operation(worker& on, const micro_op& operation, std::uint32_t lanes)
      : m(on),
        u(operation),
        flow((*on.s->followed)[operation.index]),
        blocks(*on.blocks),
        w(*on.w),
        mask(lanes),
        op(vector_form(operation.op)) {}

  worker& m;
  const micro_op& u;
  const followed& flow;
  block_class& blocks;
  warp& w;
  std::uint32_t mask;
  sass::opcode op;

  std::uint32_t here() const { return m.p->mask; }
  static bool is_uniform(register_place p) {
    return p.file == sass::file::uniform || p.file == sass::file::uniform_predicate;
  }
  std::uint32_t lanes_of(register_place p) const { return is_uniform(p) ? ~0u : mask; }

  // The dependence of a register on blockIdx. Null if the register does not depend on it.
  const register_form* form_at(register_place p) { return form_at(p, flow.by_itself ? mask : here()); }
  const register_form* form_at(register_place p, std::uint32_t lanes);
  const register_form* form_of(const source& s) { return form_at(register_of(s)); }
  bool any_varies();
  bool predicates_vary();
  // The form of a result that is an unknown function of the operands.
  register_form part_of_reads();

  void pin_reads();
  // Reduces the class to blocks in which the forms of the operands are valid for all bits, not only for the low bits.
  void tighten_reads();

  step execute() { return u.checked(m, u, mask); }
  void clear();  // removes the dependence of the results on blockIdx
  step run_and_clear();
  step give_up();  // reduces the class to blocks in which the operands are equal

  // The lower word of the result, which can be linear.
  register_place result() const;
  bool is_upper(register_place p) const;

  void read(register_place p, std::uint32_t* to);
  void write(register_place p, const std::uint32_t* from);
};

// Whether of_lane() returns the same value for all lanes in the mask.
template <class F>
bool all_alike(std::uint32_t lanes, F of_lane) {
  for (int i = 0; i < 32; ++i)
    if ((lanes >> i & 1) != 0 && of_lane(i) != of_lane(std::countr_zero(lanes))) return false;
  return true;
}

}  // namespace bankwise::emulate
