// mbarriers, and the bulk copies that complete them.
#include "emulate/execute/bulk.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// a: the base; b: a uniform register that is added.
u32 address_of(machine& m, const micro_op& u, int lane) {
  return m.at(u.a, 0)[lane] + m.w->uniform[u.b.index] + static_cast<u32>(u.offset);
}

// The upper word of the state before all lanes; the lower register stays as it is. Bits 84-86 say how many arrive and what is added to the transactions: 0 one and the operand, 1 one
// and nothing, 2 none and one, 3 none and the operand, 4 none and minus the operand, 5 the operand and nothing. .OPTOUT
// (75): they are not expected again. .TMASK (73): the lower register gets the mask of the lanes at the same mbarrier.
step syncs_arrive(machine& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  const u32* operand = m.w->reg(u.c.index);
  const auto kind = u.ins.bits(84, 3);
  const bool drops = u.ins.bit(75), with_mask = u.ins.bit(73);
  u32 low[32] = {}, high[32] = {}, address[32];
  std::byte* at[32];
  step status = step::next;
  each_lane(mask, [&](int i) {
    address[i] = address_of(m, u, i);
    at[i] = status == step::next ? find_mbarrier(m, address[i], i) : nullptr;
    if (at[i] == nullptr) status = step::fault;
  });
  if (status == step::fault) return status;
  each_lane(mask, [&](int i) {
    high[i] = static_cast<u32>(load_mbarrier(at[i]) >> 32);
    if (with_mask) each_lane(mask, [&](int j) { low[i] |= address[i] == address[j] ? lane_bit[j] : 0; });
  });
  each_lane(mask, [&](int i) {
    if (status == step::fault) return;
    const u64 x = operand[i];
    u64 arrivals = 0, transactions = 0;
    switch (kind) {
      case 0: arrivals = 1, transactions = x; break;
      case 1: arrivals = 1; break;
      case 2: transactions = 1; break;
      case 3: transactions = x; break;
      case 4: transactions = 0 - x; break;
      default: arrivals = x & count_mask; break;
    }
    status = update(m, at[i], i, arrivals, transactions, drops ? arrivals : 0);
  });
  if (status == step::fault) return status;
  each_lane(mask, [&](int i) { tell_mbarrier(m, order_kind::release, address[i]); });
  if (with_mask) store(m.w->reg(u.d), low, mask);
  store(m.w->reg(u.d_high), high, mask);
  return step::next;
}

// Whether the phase whose parity is the top bit of the operand is complete. Who waits lets others run.
step syncs_phasechk(machine& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  const u32* operand = m.w->reg(u.c.index);
  u32 complete = 0;
  step status = step::next;
  each_lane(mask, [&](int i) {
    const std::byte* at = status == step::next ? find_mbarrier(m, address_of(m, u, i), i) : nullptr;
    if (at == nullptr)
      status = step::fault;
    else if (load_mbarrier(at) >> 63 != operand[i] >> 31)
      complete |= lane_bit[i];
  });
  if (status == step::fault) return status;
  each_lane(complete, [&](int i) { tell_mbarrier(m, order_kind::acquire, address_of(m, u, i)); });
  m.set_predicate(u.p0, complete, mask);
  m.yielded |= (mask & ~complete) != 0;
  return step::next;
}

// The copies of cp.async are done when this one runs. 1 .ARVCNT: an arrival, 2 .TRANSCNT: a transaction less.
step arrives(machine& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  const auto kind = u.ins.bits(70, 2);
  if (kind != 1 && kind != 2) return m.fail("ARRIVES of this kind is not executed yet");
  step status = step::next;
  each_lane(mask, [&](int i) {
    std::byte* at = status == step::next ? find_mbarrier(m, address_of(m, u, i), i) : nullptr;
    status = at == nullptr ? step::fault : update(m, at, i, kind == 1 ? 1 : 0, kind == 1 ? 0 : ~u64{0}, 0);
    tell_mbarrier(m, order_kind::release, address_of(m, u, i));
  });
  return status;
}

// Exchanges 8 bytes with a pair of uniform registers: how an mbarrier is made.
step syncs_exch(machine& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, async_of(async_kind::barrier_init));
    return step::next;
  }
  const auto pair = [&](unsigned at) { return static_cast<unsigned>(u.ins.bits(at, 6)); };
  const auto word = [&](unsigned r) { return m.w->uniform[std::min(r, sass::uniform_register_zero)]; };
  const u32 address = word(pair(24)) + static_cast<u32>(u.offset);
  std::byte* at = find_mbarrier(m, address, -1);
  if (at == nullptr) return step::fault;
  m.tell(u, mask, async_of(async_kind::barrier_init), {address & offset_mask, (address & offset_mask) + 8});
  tell_mbarrier(m, order_kind::make, address);
  const u64 old = load_mbarrier(at);
  save_mbarrier(at, join(word(pair(32)), word(pair(32) + 1)));
  m.set_uniform(pair(16), static_cast<u32>(old));
  m.set_uniform(pair(16) + 1, static_cast<u32>(old >> 32));
  return step::next;
}

// cp.async.bulk. Bits 73-75: to shared (.S.G), from shared (.G.S), to several blocks of the cluster; both, and it is from
// shared memory to that of another block. The size is in units of 16 bytes, below the blocks that get it. A copy to shared
// memory counts its bytes down at the mbarrier behind the target register.
step ublkcp(machine& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, bulk_copy(u.ins.bit(73), 0));
    return step::next;
  }
  const auto word = [&](unsigned at, unsigned k) {
    return m.w->uniform[std::min(static_cast<unsigned>(u.ins.bits(at, 6)) + k, sass::uniform_register_zero)];
  };
  const bool to_shared = u.ins.bit(73), from_shared = u.ins.bit(74), multicast = u.ins.bit(75);
  const int lane = std::countr_zero(mask);
  if (!to_shared && !from_shared) return m.fail("a bulk copy between two places of global memory", lane);
  const u32 bytes = (word(64, 0) & 0xffff) * 16;
  const std::string what = "a bulk copy of " + grouped(bytes) + " bytes";
  const u64 to = to_shared ? word(32, 0) : join(word(32, 0), word(32, 1)),
            from = from_shared ? word(24, 0) : join(word(24, 0), word(24, 1));
  if (to % 16 != 0 || from % 16 != 0)
    return m.fail(fault_kind::misaligned_address,
                  "a bulk copy from address 0x" + hex(from) + " to 0x" + hex(to) + ": both must be multiples of 16",
                  lane, {});
  const std::byte* const source = from_shared ? cluster_bytes(m, static_cast<u32>(from), bytes, what, lane)
                                              : global_bytes(m, from, bytes, what, lane);
  if (source == nullptr) return step::fault;
  m.tell(u, mask, bulk_copy(to_shared, bytes), own_range(m, static_cast<u32>(from_shared ? from : to), bytes));
  if (from_shared && is_own(m, static_cast<u32>(from)) && m.order != nullptr)
    m.order->on_order({order_kind::read, m.w->id, m.p->mask, static_cast<u32>(from) & offset_mask, bytes, m.pc_of(u)});
  if (!to_shared) {
    std::byte* const target = global_bytes(m, to, bytes, what, lane);
    if (target == nullptr) return step::fault;
    std::memcpy(target, source, bytes);
    ++m.effects;
    return step::next;
  }
  bulk_targets targets;
  if (!find_targets(m, static_cast<u32>(to), word(32, 1), bytes, multicast ? word(64, 0) >> 16 : 0, what, lane,
                    targets))
    return step::fault;
  for (const bulk_target& t : targets.each()) {
    tell_cluster_write(m, t.address, bytes, m.pc_of(u));
    std::memmove(t.data, source, bytes);
    if (complete(m, t, bytes, lane) != step::next) return step::fault;
  }
  return step::next;
}

// The return address of a function is kept here; code also uses it as two words of scratch. Bit 31: the upper one.
step rpcmov_to(machine& m, const micro_op& u, u32 mask) {
  store(m.w->reg(rpc_row + (u.ins.bit(31) ? 1 : 0)),
        m.w->reg(register_source(static_cast<unsigned>(u.ins.bits(32, 8))).index), mask);
  return step::next;
}
step rpcmov_from(machine& m, const micro_op& u, u32 mask) {
  store(m.w->reg(u.d), m.w->reg(rpc_row + (u.ins.bit(31) ? 1 : 0)), mask);
  return step::next;
}

step skip_prefetch(machine&, const micro_op&, u32) { return step::next; }
// An mbarrier ends, or is written back.
step syncs_cctl(machine& m, const micro_op& u, u32 mask) {
  m.tell(u, mask, async_of(async_kind::barrier));
  return step::next;
}

}  // namespace

void add_mbarrier(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::SYNCS_ARRIVE, syncs_arrive);
  set(op::SYNCS_PHASECHK, syncs_phasechk);
  set(op::SYNCS_EXCH, syncs_exch);
  set(op::SYNCS_CCTL, syncs_cctl);
  set(op::ARRIVES, arrives);
  set(op::UBLKCP, ublkcp);
  set(op::UBLKPF, skip_prefetch);  // to the cache
  set(op::UTMACMDFLUSH, skip_prefetch);
  set(op::RPCMOV_W, rpcmov_to);
  set(op::RPCMOV_R, rpcmov_from);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
