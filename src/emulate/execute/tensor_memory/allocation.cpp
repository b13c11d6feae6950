// Allocation of tensor memory (UTCATOMSWS) and completion (UTCBAR).
//
// ptxas implements tcgen05.alloc as a loop around UTCATOMSWS.FIND_AND_SET, with words of the reserved shared memory:
//
//     0x48  an mbarrier, for a pair of blocks    0x54  the allocated units, a bit each
//     0x50  its parity                           0x58  the first unit of each allocation
//                                                0x5c  not zero after relinquish_alloc_permit
//
// The first block of a pair allocates for both blocks. Before an allocation, ptxas's code waits at the mbarrier for the
// second block. The first allocation has nothing to wait for. So prepare_pair (block_runner.cpp) makes an mbarrier
// whose first phase is complete.
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor_memory/cells.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// In bankwise, every block has a whole tensor memory. So no block waits for another block to free columns.
step utcatomsws_fas(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::tensor_allocation>();
  block_state* const peer = f.pair ? peer_of(m, "tcgen05.alloc") : nullptr;
  if (f.pair && peer == nullptr) return step::fault;
  const u32 count = uniform_word(m, f.operand);
  tensor_memory& own = m.block->tensors;
  const unsigned first =
      std::has_single_bit(count) ? own.find_free(count, peer != nullptr ? peer->tensors.allocated : 0) : ~0u;
  if (first == ~0u)
    return m.fail(formatted("calls tcgen05.alloc for {} columns", u64{count} * tensor_memory::unit), -1,
                  "the number of columns must be 32, 64, 128, 256 or 512");
  const bool found = first < tensor_memory::columns / tensor_memory::unit;
  if (found) {
    const u32 taken = ((1u << count) - 1) << first;
    own.allocated |= taken;
    if (peer != nullptr) peer->tensors.allocated |= taken;
    m.set_uniform(u.uniform_d, first);
  }
  m.set_uniform_predicate(u.p0, found);
  m.yielded |= !found;
  return step::next;
}

step give_way_after(worker& m, const micro_op& u) {
  m.p->pc = m.pc_of(u) + sass::instruction_bytes;
  m.gives_way = true;
  return step::moved;
}

// Frees columns (tcgen05.dealloc), or ends an allocation. For a dealloc, ptxas's code first checks the word at 0x54.
// After this instruction, ptxas's code clears bits of the word. In CUTLASS's example 112, four warps free the same
// columns. On a GPU, all four warps pass the check before the first warp clears the bits, so the warp yields here.
step utcatomsws(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::tensor_allocation>();
  if (f.pair)
    return m.fail("bankwise cannot execute an allocation of columns for two blocks (.cta_group::2) yet", -1,
                  missing_hint);
  const u32 old = m.block->tensors.allocated, x = uniform_word(m, f.operand);
  m.block->tensors.allocated = f.step == sass::allocation_step::keep ? old & x : (old | x) & 0xffff;
  m.set_uniform(u.uniform_d, old);
  return f.step == sass::allocation_step::keep ? give_way_after(m, u) : step::next;
}

// All earlier operations are already done, so the arrival is immediate. Then the warp yields. On a GPU, an arrival
// takes some time, so that waiting warps see each phase before the next phase ends. Programs rely on this order.
step utcbar(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::tensor_commit>();
  const int lane = std::countr_zero(mask);
  const u32 address = uniform_word(m, f.barrier);
  const auto arrive = [&](u32 at) {
    std::byte* const b = find_mbarrier(m, at, lane);
    if (b == nullptr) return step::fault;
    tell_mbarrier(m, order_kind::release, at);
    return update(m, b, lane, 1, 0, 0);
  };
  if (!f.multicast && arrive(address) != step::next) return step::fault;
  for (u32 rest = f.multicast ? uniform_word(m, f.blocks) & 0xffff : 0; rest != 0; rest &= rest - 1)
    if (arrive(static_cast<u32>(std::countr_zero(rest)) << rank_shift | (address & offset_mask)) != step::next)
      return step::fault;
  return give_way_after(m, u);
}

// A part of relinquish_alloc_permit, which does nothing in bankwise.
step uvirtcount(worker&, const micro_op&, u32) { return step::next; }

}  // namespace

void add_tensor_allocation(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::UTCATOMSWS_FAS, utcatomsws_fas);
  set(op::UTCATOMSWS, utcatomsws);
  set(op::UTCBAR, noting_ends<utcbar>);
  set(op::UVIRTCOUNT, uvirtcount);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
