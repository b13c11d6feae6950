#include "emulate/block/order_events.hpp"

#include <optional>

#include "emulate/block/worker.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

std::optional<order_kind> order_of(opcode op) {
  switch (op) {
    case opcode::NOP:
    case opcode::WARPSYNC_I:
    case opcode::WARPSYNC_R:
    case opcode::WARPGROUP:
    case opcode::SHFL_RR:
    case opcode::SHFL_RI:
    case opcode::SHFL_IR:
    case opcode::SHFL_II:
    case opcode::VOTE:
    case opcode::VOTEU:
    case opcode::MATCH:
    case opcode::REDUX:
    case opcode::CREDUX: return order_kind::sync;
    case opcode::LDGDEPBAR:
    case opcode::UTMACMDFLUSH: return order_kind::commit;
    case opcode::DEPBAR: return order_kind::wait;
    case opcode::ARRIVES: return order_kind::arrive_copies;
    case opcode::MEMBAR: return order_kind::fence;
    case opcode::CCTL: return order_kind::forget_l1;
    case opcode::FENCE: return order_kind::fence_async;
    default: return std::nullopt;
  }
}

// The number in an event: the largest number of groups that are not complete, or the scope of a fence.
std::uint32_t number_in(const worker& m, const micro_op& u) {
  const sass::instruction i = m.section->instruction_at(u.index);
  return static_cast<std::uint32_t>(u.op == opcode::DEPBAR ? i.bits(38, 6) : i.bits(76, 3));
}

}  // namespace

bool makes_order(const micro_op& u) {
  // ptxas also makes a VOTEU without a result register, to copy a predicate to the uniform datapath.
  if (u.op == opcode::VOTEU && u.uniform_d == sass::uniform_register_zero) return false;
  if (u.op == opcode::CCTL) return std::holds_alternative<sass::l1_invalidation>(u.fields);
  return order_of(u.op).has_value();
}

void tell_order(worker& m, const micro_op& u, std::uint32_t mask) {
  if (m.order == nullptr || mask == 0) return;
  const order_kind kind = *order_of(u.op);
  m.tell(kind, mask, kind == order_kind::wait || kind == order_kind::fence ? number_in(m, u) : 0);
}

step run_told(worker& m, const micro_op& u, std::uint32_t mask) {
  tell_order(m, u, mask);
  return u.checked(m, u, mask);
}

}  // namespace bankwise::emulate
