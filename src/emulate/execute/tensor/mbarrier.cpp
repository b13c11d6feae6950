// Operations on mbarriers, and bulk copies that complete phases of mbarriers.
#include <utility>

#include "base/format.hpp"
#include "emulate/execute/past_the_end.hpp"
#include "emulate/execute/tensor/bulk.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

u32 address_of(worker& m, const micro_op& u, const sass::address& a, int lane) {
  return m.operand_row(u.a, 0)[lane] + m.w->uniform[u.b.index] + static_cast<u32>(a.offset);
}

// Arrives at an mbarrier. The instruction's kind determines the number of arrivals and the change of the transactions.
// The upper result register gets the upper word of the state before the first arrival. With .TMASK, the lower result
// register gets a mask of the lanes that use the same mbarrier. With .OPTOUT, later phases expect fewer arrivals.
step syncs_arrive(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  const auto& f = u.as<sass::mbarrier_arrival>();
  const u32* operand = m.operand_row(u.c, 2);
  u32 low[32] = {}, high[32] = {}, address[32];
  std::byte* at[32];
  step status = step::next;
  each_lane(mask, [&](int i) {
    address[i] = address_of(m, u, f.address, i);
    at[i] = status == step::next ? find_mbarrier(m, address[i], i) : nullptr;
    if (at[i] == nullptr) status = step::fault;
  });
  if (status == step::fault) return status;
  each_lane(mask, [&](int i) {
    high[i] = static_cast<u32>(load_mbarrier(at[i]) >> 32);
    if (f.with_mask) each_lane(mask, [&](int j) { low[i] |= address[i] == address[j] ? lane_bit[j] : 0; });
  });
  each_lane(mask, [&](int i) {
    if (status == step::fault) return;
    const u64 x = operand[i];
    u64 arrivals = 0, transactions = 0;
    using sass::arrival;
    switch (f.counts) {
      case arrival::one_with_transactions: arrivals = 1, transactions = x; break;
      case arrival::one: arrivals = 1; break;
      case arrival::transaction: transactions = 1; break;
      case arrival::transactions: transactions = x; break;
      case arrival::fewer_transactions: transactions = 0 - x; break;
      case arrival::many: arrivals = x & count_mask; break;
    }
    status = update(m, at[i], i, arrivals, transactions, f.drops ? arrivals : 0);
  });
  if (status == step::fault) return status;
  each_lane(mask, [&](int i) { tell_mbarrier(m, order_kind::release, address[i], m.pc_of(u)); });
  if (f.with_mask) store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// The lanes whose phase was complete before the mbarrier was initialised again.
u32 take_ended_waits(worker& m, const micro_op& u, const sass::address& a, const u32* phases, u32 mask) {
  u32 ended = 0;
  for (vain_look& l : m.w->ended_waits) {
    each_lane(l.lanes & mask, [&](int i) {
      if (address_of(m, u, a, i) == l.address && phases[i] >> 31 == l.phase) ended |= lane_bit[i];
    });
    l.lanes &= ~mask;
  }
  std::erase_if(m.w->ended_waits, [](const vain_look& l) { return l.lanes == 0; });
  return ended;
}

// Tests whether a phase is complete. The top bit of the operand is the parity of the phase. If the phase is not
// complete, the path yields.
step syncs_phasechk(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  const auto& f = u.as<sass::mbarrier_test>();
  const u32* operand = m.operand_row(u.c, 2);
  u32 complete = 0;
  step status = step::next;
  each_lane(mask, [&](int i) {
    const std::byte* at = status == step::next ? find_mbarrier(m, address_of(m, u, f.address, i), i) : nullptr;
    if (at == nullptr)
      status = step::fault;
    else if (load_mbarrier(at) >> 63 != operand[i] >> 31)
      complete |= lane_bit[i];
  });
  if (status == step::fault) return status;
  if (!m.w->ended_waits.empty()) complete |= take_ended_waits(m, u, f.address, operand, mask);
  each_lane(complete,
            [&](int i) { tell_mbarrier(m, order_kind::acquire, address_of(m, u, f.address, i), m.pc_of(u)); });
  m.set_predicate(u.p0, complete, mask);
  // A path that need not wait continues without yielding. If the path yielded here, a faster warp could complete two
  // phases of the next mbarrier before this path tests the next mbarrier. On a GPU, a phase takes longer than a test.
  m.yielded = (mask & ~complete) != 0;
  m.last_look = {mask};
  if (complete == 0 && mask != 0) {
    const int first = std::countr_zero(mask);
    m.last_look = {mask, address_of(m, u, f.address, first), m.pc_of(u), m.mbarrier_changes, operand[first] >> 31};
  }
  return step::next;
}

// Executes cp.async.mbarrier.arrive. Earlier cp.async copies are already done.
step arrives(worker& m, const micro_op& u, u32 mask) {
  const bool is_early = m.s->l->program->sm < 90;  // no rule exists, so the report cannot list such mbarriers
  if (!is_early) m.tell(u, mask, async_of(async_kind::barrier));
  const auto& f = u.as<sass::copies_arrival>();
  // whether the instruction arrives; if not, it subtracts one pending transaction
  const bool arrive = f.counts == sass::copies_count::arrival;
  step status = step::next;
  each_lane(mask, [&](int i) {
    std::byte* at = status == step::next ? find_mbarrier(m, address_of(m, u, f.address, i), i) : nullptr;
    if (at != nullptr && is_early) {
      arrive_before_hopper(m, at, address_of(m, u, f.address, i));
      return;
    }
    status = at == nullptr ? step::fault : update(m, at, i, arrive ? 1 : 0, arrive ? 0 : ~u64{0}, 0);
    tell_mbarrier(m, order_kind::release, address_of(m, u, f.address, i), m.pc_of(u));
  });
  return status;
}

// Initializes an mbarrier: exchanges the mbarrier's 8 bytes with a pair of uniform registers.
step syncs_exch(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, async_of(async_kind::barrier_init));
    return step::next;
  }
  const auto& f = u.as<sass::mbarrier_exchange>();
  const u32 address = uniform_word(m, f.address.base) + static_cast<u32>(f.address.offset);
  std::byte* at = find_mbarrier(m, address, -1);
  if (at == nullptr) return step::fault;
  // Other warps may be about to look at a phase that is complete. On a GPU, all warps whose wait ends at the same time
  // look before one of them comes here.
  if (load_mbarrier(at) != 0 && m.w->paths.size() == 1 && !std::exchange(m.w->let_others_look, true)) {
    m.gives_way = true;
    return step::again;
  }
  m.w->let_others_look = false;
  m.tell(u, mask, async_of(async_kind::barrier_init), {address & offset_mask, (address & offset_mask) + 8});
  tell_mbarrier(m, order_kind::make, address, m.pc_of(u));
  const u64 old = load_mbarrier(at);
  ++m.mbarrier_changes;
  if (is_own(m, address)) m.renewed.push_back({address, static_cast<u32>(old >> 63), m.w, m.p->mask});
  save_mbarrier(at, join(uniform_word(m, f.value), uniform_word(m, f.value, 1)));
  m.set_uniform(f.result, static_cast<u32>(old));
  m.set_uniform(f.result + 1u, static_cast<u32>(old >> 32));
  return step::next;
}

// Executes cp.async.bulk. .S.G copies to the shared memory of one or more blocks of the cluster. .G.S copies from
// shared memory. .S.S copies to the shared memory of another block. The low half of a register is the size in units of
// 16 bytes, and the upper half is the mask of target blocks. The register after the target contains the address of the
// mbarrier that counts the bytes.
step ublkcp(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::bulk_transfer>();
  if (mask == 0) {
    m.tell(u, mask, bulk_copy(f.to_shared, 0));
    return step::next;
  }
  const bool to_shared = f.to_shared, from_shared = f.from_shared;
  const int lane = std::countr_zero(mask);
  if (!to_shared && !from_shared)
    return m.fail("makes a bulk copy from global memory to global memory, which PTX does not support", lane,
                  "copy to shared memory first, and then to global memory");
  const u32 bytes = (uniform_word(m, f.size) & 0xffff) * 16;
  const fault_words what = [bytes] { return formatted("makes a bulk copy of {} bytes", grouped(bytes)); };
  const u64 to = to_shared ? uniform_word(m, f.target) : join(uniform_word(m, f.target), uniform_word(m, f.target, 1)),
            from =
                from_shared ? uniform_word(m, f.source) : join(uniform_word(m, f.source), uniform_word(m, f.source, 1));
  if (to % 16 != 0 || from % 16 != 0)
    return m.fail(
        fault_kind::misaligned_address,
        formatted("makes a bulk copy from address 0x{} to address 0x{}, but both addresses must be multiples of 16",
                  hex(from), hex(to)),
        lane, "align the arrays with __align__(16), and use offsets that are multiples of 16 bytes");
  const bool copies = from_shared || !m.s->leaves_shared;
  const std::byte* const source =
      from_shared ? bytes_in_cluster(m, access_direction::read, static_cast<u32>(from), bytes, what, lane)
      : copies    ? global_bytes(m, from, bytes, what, lane)
                  : nullptr;
  if (source == nullptr && copies) return step::fault;
  m.tell(u, mask, bulk_copy(to_shared, bytes), own_range(m, static_cast<u32>(from_shared ? from : to), bytes));
  if (from_shared && is_own(m, static_cast<u32>(from)) && m.order != nullptr)
    m.order->on_order({order_kind::read, m.w->id, m.p->mask, static_cast<u32>(from) & offset_mask, bytes, m.pc_of(u)});
  if (m.copied != nullptr && to_shared != from_shared) m.copied->on_copied({to_shared ? from : to, bytes});
  if (!to_shared && m.s->leaves_global) return step::next;
  if (!to_shared) {
    std::byte* const target = global_bytes(m, to, bytes, what, lane);
    if (target == nullptr) return step::fault;
    m.keep_bytes(target, bytes);
    std::memcpy(target, source, bytes);
    ++m.effects;
    return step::next;
  }
  bulk_targets targets;
  if (!find_targets(m, static_cast<u32>(to), uniform_word(m, f.target, 1), bytes,
                    f.multicast ? uniform_word(m, f.size) >> 16 : 0, what, lane, targets))
    return step::fault;
  for (const bulk_target& t : targets.each()) {
    tell_cluster_write(m, t.address, bytes, m.pc_of(u));
    if (copies) std::memmove(t.data, source, bytes);
    if (complete(m, t, bytes, lane) != step::next) return step::fault;
  }
  return step::next;
}

// Rpc is the return address of a function. Code also uses the two words of Rpc for other data.
step rpcmov_to(worker& m, const micro_op& u, u32 mask) {
  store(m.w->reg(rpc_row + (u.as<sass::return_address_move>().high ? 1 : 0)), m.operand_row(u.b, 1), mask);
  return step::next;
}
step rpcmov_from(worker& m, const micro_op& u, u32 mask) {
  store(m.w->reg(u.d), m.w->reg(rpc_row + (u.as<sass::return_address_move>().high ? 1 : 0)), mask);
  return step::next;
}

step ublkpf(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 || m.copied == nullptr) return step::next;
  const auto& f = u.as<sass::bulk_prefetch>();
  m.copied->on_copied({join(uniform_word(m, f.source), uniform_word(m, f.source, 1)),
                       (uniform_word(m, f.size) & 0xffff) * 16, m.pc_of(u)});
  return step::next;
}
step wait_for_bulk_stores(worker&, const micro_op&, u32) { return step::next; }
// Executes the instruction that invalidates an mbarrier (.IV) or writes it back to memory (.WB). bankwise always keeps
// the state in shared memory, so the handler only reports the instruction.
step syncs_cctl(worker& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  return step::next;
}

}  // namespace

void add_mbarrier(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::SYNCS_ARRIVE, noting_ends<syncs_arrive>);
  set(op::SYNCS_PHASECHK, noting_ends<syncs_phasechk>);
  set(op::SYNCS_EXCH, noting_ends<syncs_exch>);
  set(op::SYNCS_CCTL, syncs_cctl);
  set(op::ARRIVES, noting_ends<arrives>);
  set(op::UBLKCP, noting_ends<ublkcp>);
  set(op::UBLKPF, ublkpf);
  set(op::UTMACMDFLUSH, wait_for_bulk_stores);
  set(op::RPCMOV_W, rpcmov_to);
  set(op::RPCMOV_R, rpcmov_from);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
