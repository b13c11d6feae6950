// The barrier of a cluster, and the stores and reductions that signal an mbarrier in the shared memory of the cluster's
// blocks.
#include "base/format.hpp"
#include "emulate/block/cluster_memory.hpp"
#include "emulate/execute/atomic.hpp"
#include "emulate/execute/mbarrier.hpp"
#include "emulate/execute/past_the_end.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

step cluster_arrive(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  if ((m.w->at_cluster & mask) != 0)
    return m.fail(fault_kind::deadlock, "arrives twice at the cluster's barrier without a wait between the arrivals",
                  std::countr_zero(m.w->at_cluster & mask),
                  "execute barrier.cluster.wait after each barrier.cluster.arrive");
  m.tell(order_kind::release, m.p->mask, cluster_barrier);
  m.w->at_cluster |= mask;
  ++m.effects;
  m.p->pc = m.pc_of(u) + 16;
  release_cluster_barrier(m);
  return step::moved;
}
// Waits at the barrier of the cluster. After all threads have arrived, each warp executes this instruction again.
step cluster_wait(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  if ((m.w->at_cluster & mask) == 0) {
    m.tell(order_kind::acquire, m.p->mask, cluster_barrier);
    return step::next;
  }
  m.p->pc = m.pc_of(u);
  m.p->state = path_state::at_cluster;
  ++m.block->cluster->waiting;
  return step::moved;
}

// Executes st.async and red.async. The first register contains the address. The next register contains the address of
// the mbarrier that counts the bytes.
template <class F>
step asynchronous(worker& m, const micro_op& u, u32 mask, access_direction does, async_kind kind, F change) {
  const char* const what = does == access_direction::write ? "stores" : "updates";
  const u32 *to = m.w->reg(u.a.index), *barrier = m.w->reg(u.a_high.index);
  const unsigned bytes = u.as<sass::remote_store>().bytes;
  async_operation remote = async_of(kind);
  each_lane(mask, [&](int i) { remote.bytes += is_own(m, to[i]) ? 0 : bytes; });
  m.tell(u, mask, remote);
  step status = step::next;
  each_lane(mask, [&](int i) {
    if (status != step::next) return;
    const u32 address = to[i];
    if (address % bytes != 0) {
      status = m.fail(
          fault_kind::misaligned_address,
          formatted("{} {} bytes at shared address 0x{}, which is not a multiple of {}", what, bytes, hex(address),
                    bytes),
          i,
          formatted("the hardware raises 'misaligned address' here. Align the destination with __align__({})", bytes));
      return;
    }
    std::byte* at = find_cluster_bytes(m, address, bytes);
    if (at == nullptr) at = cluster_bytes(m, does, address, bytes, formatted("{} {} bytes", what, bytes), i);
    std::byte* const b = at == nullptr ? nullptr : find_mbarrier(m, barrier[i], i);
    if (b == nullptr) {
      status = step::fault;
      return;
    }
    tell_cluster_write(m, address, bytes, m.pc_of(u));
    change(at, i);
    tell_mbarrier(m, order_kind::complete, barrier[i]);
    status = update(m, b, i, 0, u64{0} - bytes, 0);
  });
  return status;
}
step stas(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::remote_store>();
  return asynchronous(m, u, mask, access_direction::write, async_kind::remote_store_async, [&](std::byte* at, int i) {
    for (unsigned k = 0; k < f.bytes / 4u; ++k)
      std::memcpy(at + 4 * k, m.w->reg(register_source(f.data, k).index) + i, 4);
  });
}
step redas(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::remote_store>();
  return asynchronous(m, u, mask, access_direction::update, async_kind::remote_atomic, [&](std::byte* at, int i) {
    u64 old = 0, x = m.w->reg(register_source(f.data).index)[i];
    std::memcpy(&old, at, f.bytes);
    if (f.bytes == 8) x |= u64{m.w->reg(register_source(f.data, 1).index)[i]} << 32;
    const u64 next = f.bytes == 8
                         ? combined<u64, i64>(f.operation, old, x, f.is_signed)
                         : combined<u32, i32>(f.operation, static_cast<u32>(old), static_cast<u32>(x), f.is_signed);
    std::memcpy(at, &next, f.bytes);
  });
}

// A warp always has all registers in bankwise. But a request that other warps never make possible must not succeed: on a
// GPU, such a warp waits forever.
step set_registers(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0) return step::next;
  const auto& f = u.as<sass::register_pool>();
  u32 &own = m.w->thread_registers, &others = m.block->free_registers;
  const bool is_known = own != 0;
  if (f.asks) {
    const u32 more = f.registers > own ? f.registers - own : 0;
    if (is_known && more > others) {
      m.p->state = path_state::at_registers;
      return step::again;
    }
    if (is_known) own += more, others -= more;
    m.set_uniform_predicate(u.p0, true);
  } else if (f.registers < own) {
    others += own - f.registers;
    own = f.registers;
    for (warp& w : m.block->warps)
      for (path& p : w.paths)
        if (p.state == path_state::at_registers) p.state = path_state::ready;
    ++m.releases;
  }
  return step::next;
}

}  // namespace

void add_cluster(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::UCGABAR_ARV, cluster_arrive);
  set(op::UCGABAR_WAIT, cluster_wait);
  set(op::STAS, noting_ends<stas>);
  set(op::USETMAXREG, set_registers);
  set(op::REDAS, noting_ends<redas>);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
