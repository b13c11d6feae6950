// Distances and conditions of branches.
#include "sass/branch.hpp"

#include "sass/row.hpp"

namespace bankwise::sass {

branch branch_of(const instruction& i) {
  const row_fields f(i);
  branch b;
  b.any = f.flag(".ANY");
  if (f.info().op == opcode::BRA_U) {
    b.kind = branch_kind::uniform;
    b.predicate = static_cast<std::uint8_t>(i.bits(24, 3));
    b.predicate_negated = i.bit(27);
    return b;
  }
  b.kind = static_cast<branch_kind>(f.value("kind"));
  if (b.kind == branch_kind::uniform) {  // stored inverted: all zero is true
    b.predicate = static_cast<std::uint8_t>(7 - i.bits(24, 3));
    b.predicate_negated = i.bit(27);
  }
  if (b.kind >= branch_kind::diverged && i.set != isa::turing) {
    b.has_lanes = true;
    b.lanes = static_cast<std::uint8_t>(i.uniform(24));
    b.lanes_inverted = f.flag(".INVERTED");
  }
  return b;
}

std::uint64_t branch_target(const instruction& i, std::uint64_t pc) {
  // Signed, from the next instruction: a count of 4 bytes, its low byte where BSSY names a barrier; LEPC counts bytes.
  // Older ones of LEPC have none: it is their own pc.
  const opcode_info* info = i.info();
  if (info != nullptr && info->op == opcode::LEPC && i.set < isa::hopper) return pc;
  if (info != nullptr && info->op == opcode::LEPC) return pc + 16 + static_cast<std::uint64_t>(i.signed_bits(24, 58));
  const bool marked = i.set >= isa::blackwell;  // BSSY has marks at 72 and 73
  const std::int64_t words =
      info != nullptr && info->op == opcode::BSSY ? i.signed_bits(34, marked ? 38 : 48) : i.distance();
  return pc + 16 + static_cast<std::uint64_t>(words * 4);
}

}  // namespace bankwise::sass
