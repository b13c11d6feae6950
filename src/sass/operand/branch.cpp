// Distances and conditions of branches.
#include "sass/operand/branch.hpp"

#include "sass/row.hpp"

namespace bankwise::sass {

branch branch_of(const instruction& i) {
  const row_fields f(i);
  branch b;
  b.any = f.flag(".ANY");
  const auto set_condition = [&] {
    const predicate_operand p = f.predicate("uniform_condition");
    b.predicate = p.number, b.predicate_negated = p.negated;
  };
  if (f.info().op == opcode::BRA_U) {
    b.kind = branch_kind::uniform;
    set_condition();
    return b;
  }
  b.kind = f.as<branch_kind>("kind");
  if (b.kind == branch_kind::uniform) set_condition();
  if (b.kind >= branch_kind::diverged && i.set != isa::turing) {
    b.has_lanes = true;
    b.lanes = f.register_of("lanes");
    b.lanes_inverted = f.flag(".INVERTED");
  }
  return b;
}

std::uint64_t branch_target(const instruction& i, std::uint64_t pc) {
  // The distance is signed and in units of 4 bytes. It counts from the next instruction. The low byte is at the
  // position where BSSY names a barrier. LEPC counts bytes. Before sm_90, LEPC has no distance, and returns its own
  // address.
  const opcode_info* info = i.info();
  if (info != nullptr && info->op == opcode::LEPC && i.set < isa::hopper) return pc;
  if (info != nullptr && info->op == opcode::LEPC)
    return pc + 16 + static_cast<std::uint64_t>(row_fields(i).signed_value("distance"));
  const std::int64_t words =
      info != nullptr && info->op == opcode::BSSY ? row_fields(i).signed_value("distance") : i.distance();
  return pc + 16 + static_cast<std::uint64_t>(words * 4);
}

}  // namespace bankwise::sass
