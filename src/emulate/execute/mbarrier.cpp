// mbarriers, and the bulk copies that complete them.
//
// An mbarrier is 8 bytes of shared memory. Its state (measured: data/sm_90/barriers.bin.zst):
//
//     63      62 ... 43        42   41 ... 21              20 ... 1          0
//     phase   minus pending    0    minus bytes that are   minus expected    0
//             arrivals              still to come          arrivals
//
// A phase is complete when no arrival and no transaction is pending; the phase bit turns and the expected arrivals are
// pending again. A GPU keeps the state elsewhere until mbarrier.inval: a plain load reads old bytes there, here it reads
// the state.
//
#include "base/text.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

constexpr u64 count_mask = (u64{1} << 20) - 1, transaction_mask = (u64{1} << 21) - 1;

struct mbarrier {
  u64 phase, pending, transactions, expected;  // transactions: bytes, modulo 2^21

  explicit mbarrier(u64 word)
      : phase(word >> 63),
        pending((0 - (word >> 43)) & count_mask),
        transactions((0 - (word >> 21)) & transaction_mask),
        expected((0 - (word >> 1)) & count_mask) {}
  u64 word() const {
    return phase << 63 | ((0 - pending) & count_mask) << 43 | ((0 - transactions) & transaction_mask) << 21 |
           ((0 - expected) & count_mask) << 1;
  }
  void complete_if_done() {
    if (pending != 0 || (transactions & transaction_mask) != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

std::byte* find_mbarrier(machine& m, u32 address, int lane) {
  if (address % 8 != 0) {
    m.fail(fault_kind::misaligned_address,
           "uses an mbarrier at shared address 0x" + hex(address) + ", which is not a multiple of 8", lane, {});
    return nullptr;
  }
  if (address > m.s->shared_bytes || m.s->shared_bytes - address < 8) {
    m.fail(fault_kind::illegal_address,
           "uses an mbarrier at shared address 0x" + hex(address) + ", past the " + grouped(m.s->shared_bytes) +
               " bytes of the block",
           lane, "mbarriers of other blocks of a cluster are not there yet");
    return nullptr;
  }
  return m.block->shared.data() + address;
}
u64 load(const std::byte* p) {
  u64 word = 0;
  std::memcpy(&word, p, 8);
  return word;
}
void save(std::byte* p, u64 word) { std::memcpy(p, &word, 8); }

// a: the base; b: a uniform register that is added.
u32 address_of(machine& m, const micro_op& u, int lane) {
  return m.at(u.a, 0)[lane] + m.w->uniform[u.b.index] + static_cast<u32>(u.offset);
}

// Counts arrivals and transactions. `dropped`: arrivals that are no longer expected from the next phase on.
step update(machine& m, std::byte* at, int lane, u64 arrivals, u64 transactions, u64 dropped) {
  mbarrier b(load(at));
  if (arrivals > b.pending || dropped > b.expected)
    return m.fail(std::to_string(arrivals) + " arrive at an mbarrier that expects " + std::to_string(b.pending) +
                      " more of " + std::to_string(b.expected),
                  lane, "mbarrier.init takes the number of arrivals of a phase");
  b.transactions += transactions;
  b.pending -= arrivals;
  b.expected -= dropped;
  b.complete_if_done();
  save(at, b.word());
  return step::next;
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
    high[i] = static_cast<u32>(load(at[i]) >> 32);
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
  each_lane(mask, [&](int i) { m.tell(order_kind::release, m.p->mask, address[i]); });
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
    else if (load(at) >> 63 != operand[i] >> 31)
      complete |= lane_bit[i];
  });
  if (status == step::fault) return status;
  each_lane(complete, [&](int i) { m.tell(order_kind::acquire, m.p->mask, address_of(m, u, i)); });
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
    m.tell(order_kind::release, m.p->mask, address_of(m, u, i));
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
  m.tell(u, mask, async_of(async_kind::barrier_init), {address, address + 8});
  m.tell(order_kind::make, m.p->mask, address);
  const u64 old = load(at);
  save(at, join(word(pair(32)), word(pair(32) + 1)));
  m.set_uniform(pair(16), static_cast<u32>(old));
  m.set_uniform(pair(16) + 1, static_cast<u32>(old >> 32));
  return step::next;
}

// cp.async.bulk. Bits 73-75: to shared (.S.G), from shared (.G.S); multicast is for clusters. The size is in units of 16
// bytes. A copy to shared memory counts its bytes down at the mbarrier behind the target register.
step ublkcp(machine& m, const micro_op& u, u32 mask) {
  if (mask == 0) {
    m.tell(u, mask, bulk_copy(u.ins.bit(73), 0));
    return step::next;
  }
  const auto word = [&](unsigned at, unsigned k) {
    return m.w->uniform[std::min(static_cast<unsigned>(u.ins.bits(at, 6)) + k, sass::uniform_register_zero)];
  };
  const bool to_shared = u.ins.bit(73), from_shared = u.ins.bit(74);
  if (to_shared == from_shared || u.ins.bit(75))
    return m.fail("a bulk copy between blocks of a cluster is not executed yet");
  const u32 bytes = (word(64, 0) & 0xffff) * 16;
  const u32 shared = to_shared ? word(32, 0) : word(24, 0);
  const u64 global = to_shared ? join(word(24, 0), word(24, 1)) : join(word(32, 0), word(32, 1));
  const int lane = std::countr_zero(mask);
  if (shared % 16 != 0 || global % 16 != 0)
    return m.fail(fault_kind::misaligned_address,
                  "a bulk copy at shared address 0x" + hex(shared) + " and global address 0x" + hex(global) +
                      ": both must be multiples of 16",
                  lane, {});
  if (shared > m.s->shared_bytes || m.s->shared_bytes - shared < bytes)
    return m.fail(fault_kind::illegal_address,
                  "a bulk copy of " + grouped(bytes) + " bytes at shared address 0x" + hex(shared) + " is past the " +
                      grouped(m.s->shared_bytes) + " bytes of the block",
                  lane, {});
  std::byte* const memory = bytes == 0 ? nullptr : m.s->memory->at(global, bytes);
  if (bytes != 0 && memory == nullptr) {
    m.fail(fault_kind::illegal_address,
           "a bulk copy of " + grouped(bytes) + " bytes at address 0x" + hex(global) + ": " +
               m.s->memory->describe_nearest(global),
           lane, {});
    m.fault_trail = m.s->memory->history_of_nearest(global);
    return step::fault;
  }
  m.tell(u, mask, bulk_copy(to_shared, bytes), {shared, shared + bytes});
  std::byte* const inside = m.block->shared.data() + shared;
  if (m.order != nullptr)
    m.order->on_order(
        {to_shared ? order_kind::write : order_kind::read, m.w->id, m.p->mask, shared, bytes, m.pc_of(u)});
  if (bytes != 0) std::memcpy(to_shared ? inside : memory, to_shared ? memory : inside, bytes);
  if (!to_shared) {
    ++m.effects;
    return step::next;
  }
  std::byte* const at = find_mbarrier(m, word(32, 1), lane);
  if (at == nullptr) return step::fault;
  m.tell(order_kind::release, m.p->mask, word(32, 1));
  return update(m, at, lane, 0, u64{0} - bytes, 0);
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

step nothing(machine&, const micro_op&, u32) { return step::next; }
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
  set(op::UBLKPF, nothing);  // to the cache
  set(op::UTMACMDFLUSH, nothing);
  set(op::RPCMOV_W, rpcmov_to);
  set(op::RPCMOV_R, rpcmov_from);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
