// Checks the addresses of the lanes of memory instructions.
#include "emulate/execute/places.hpp"

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "emulate/block/cluster_memory.hpp"
#include "emulate/block/out_of_bounds.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

std::string bytes_at(access_direction does, unsigned bytes) {
  return formatted("{} {}{}", verb_of(does), bytes, bytes == 1 ? " byte" : " bytes");
}

// --- Shared memory

u32* shared_addresses(worker& m, const micro_op& u, const sass::address& to) {
  const u32* a = m.operand_row(u.a, 0);
  const u32 add = (u.b.kind == source_kind::uniform ? m.w->uniform[u.b.index] : 0) + static_cast<u32>(to.offset) -
                  (m.block->rank << rank_shift);
  u32* address = m.event.what.address;
  const unsigned shift = to.shift;
  if (shift == 0) {
    for (int i = 0; i < 32; ++i) address[i] = a[i] + add;
  } else {
    for (int i = 0; i < 32; ++i) address[i] = (a[i] << shift) + add;
  }
  return address;
}

static void name_stored(worker& m, const micro_op& u, bool stores, const u32* (&data)[4]) {
  const auto* stored = stores ? std::get_if<sass::memory_access>(&u.fields) : nullptr;
  for (unsigned k = 0; k < 4; ++k)
    data[k] = stored != nullptr && 4 * k < stored->bytes ? data_row(m, stored->data, k) : nullptr;
}

static void describe_order(worker& m, const micro_op& u, operation op) {
  m.event.path = m.p->mask;
  m.event.shared = m.block->shared.data();
  name_stored(m, u, op.kind == op_kind::store, m.event.data);
}

void make_event(worker& m, const micro_op& u, operation op, u32 mask, u32 lanes, bool generic) {
  if (m.events == nullptr) return;
  m.event.generic = generic;
  m.event.warp = m.w->id;
  m.event.pc = m.pc_of(u);
  m.event.what.op = op;
  m.event.what.mask = mask;
  m.event.lanes = static_cast<u32>(std::popcount(lanes));
  if (!m.w->arrivals.empty()) {  // Nsight Compute counts each path separately, even if paths have joined
    if (m.order != nullptr) describe_order(m, u, op);
    for (const u32 path : m.w->arrivals) {
      m.event.what.mask = mask & path;
      m.event.lanes = static_cast<u32>(std::popcount(path));
      m.events->on_access(m.event);
      m.event.remote_bytes = 0;  // only the first path reports them
    }
    m.event.what.mask = mask;
    return;
  }
  if (m.order != nullptr) describe_order(m, u, op);
  m.events->on_access(m.event);
}

static std::string misaligned_hint(unsigned bytes) {
  return formatted(
      "the hardware raises 'misaligned address' here. Align the array with __align__({}) and use indices that keep "
      "this alignment, or access fewer bytes at a time",
      bytes);
}

static step shared_fault(worker& m, access_direction does, u32 address, unsigned bytes, int lane) {
  if (address % bytes != 0)
    return m.fail(
        fault_kind::misaligned_address,
        formatted("{} of shared memory at address 0x{}, which is not a multiple of the access's width of {} bytes",
                  bytes_at(does, bytes), hex(address), bytes),
        lane, misaligned_hint(bytes));
  if (const u32 whole = address + (m.block->rank << rank_shift);
      m.s->cluster_blocks() > 1 && !is_own(m, whole) && whole >> rank_shift < m.s->cluster_blocks())
    return m.fail(
        fault_kind::illegal_instruction,
        formatted("{} at shared address 0x{}, in block {} of the cluster, but this instruction can access only the "
                  "thread's own block",
                  bytes_at(does, bytes), hex(whole), whole >> rank_shift),
        lane, "the hardware raises 'illegal instruction' here. Use ld.shared::cluster for other blocks");
  const u32 reserved = m.s->l->kernel->reserved_shared_bytes;
  const std::int64_t offset = static_cast<std::int64_t>(address) - reserved;
  return m.fail(fault_kind::illegal_address,
                formatted("{} at shared offset {}, but the block has {} bytes of shared memory (address 0x{})",
                          bytes_at(does, bytes), offset, grouped(m.s->shared_bytes - reserved), hex(address)),
                lane, shared_size_hint(*m.s->l));
}

// Whether the access ends after shared memory, but in its last granule. Adds the access to m.past.
static bool is_in_granule(worker& m, access_direction does, u32 address, unsigned bytes, int lane) {
  const u32 end = m.s->shared_end;
  if (address % bytes != 0 || address > end || end - address < bytes) return false;
  m.past.add(lane, does, address + (m.block->rank << rank_shift), bytes);
  return true;
}

step find_shared(worker& m, const micro_op& u, access_direction does, const u32* address, unsigned bytes, u32 mask,
                 shared_places& at, u32 limit) {
  at = {m.block->shared.data(), address};
  u32 bad = mask;
  if (limit >= bytes) {
    const u32 most = limit - bytes, low = bytes - 1;
    u32 wrong = 0;
    bad = 0;
    if (mask == all_lanes)
      for (int i = 0; i < 32; ++i) wrong |= (address[i] & low) | static_cast<u32>(address[i] > most);
    if (mask != all_lanes || wrong != 0)
      for (int i = 0; i < 32; ++i)
        bad |= ((address[i] & low) | static_cast<u32>(address[i] > most)) != 0 ? lane_bit[i] & mask : 0;
  }
  if (bad == 0) return step::next;
  u32 faults = 0;
  each_lane(bad, [&](int i) { faults |= is_in_granule(m, does, address[i], bytes, i) ? 0 : lane_bit[i]; });
  if (faults == 0) {
    note_past_the_end(m, m.pc_of(u));
    return step::next;
  }
  const int lane = std::countr_zero(faults);
  return shared_fault(m, does, address[lane], bytes, lane);
}

// --- Global, local and generic memory

void tell_global(worker& m, const micro_op& u, global_access_event e, u32 mask, u32 lanes) {
  e.pc = m.pc_of(u);
  e.warp = m.w->id;
  e.by = m.further;
  e.mask = mask;
  e.lanes = static_cast<u32>(std::popcount(lanes));
  if (m.order != nullptr && e.kind == global_kind::store) name_stored(m, u, true, e.data);
  if (m.w->arrivals.empty()) return m.global->on_global(e);
  if (e.mask != all_lanes) e.shape = row_shape::other;
  for (const u32 path : m.w->arrivals) {
    e.mask = mask & path;
    e.lanes = static_cast<u32>(std::popcount(path));
    m.global->on_global(e);
  }
}

static global_kind kind_of(const micro_op& u, const sass::memory_access& f) {
  switch (sass::traits_of(u.op).action) {
    case sass::action::load: return global_kind::load;
    case sass::action::store: return global_kind::store;
    default: return f.reduces ? global_kind::reduction : global_kind::atomic;
  }
}

void tell_global(worker& m, const micro_op& u, global_kind kind, const u64* address, u32 mask, row_shape shape) {
  const auto& f = u.as<sass::memory_access>();
  tell_global(m, u, {.kind = kind, .shape = shape, .width_bytes = f.bytes, .address = address}, mask, m.p->mask);
}

void global_addresses(worker& m, const micro_op& u, const sass::address& to, u64* address) {
  const u32 *low = m.operand_row(u.a, 0), *high = m.operand_row(u.a_high, 1);
  u64 add = static_cast<u64>(to.offset);
  if (u.b.kind == source_kind::uniform) add += join(m.w->uniform[u.b.index], m.w->uniform[u.b_high.index]);
  if (to.wide) {
    for (int i = 0; i < 32; ++i) address[i] = join(low[i], high[i]) + add;
  } else {
    for (int i = 0; i < 32; ++i) address[i] = low[i] + add;
  }
}

static step global_fault(worker& m, access_direction does, u64 address, unsigned bytes, int lane) {
  if (address % bytes != 0)
    return m.fail(
        fault_kind::misaligned_address,
        formatted("{} of global memory at address 0x{}, which is not a multiple of the access's width of {} bytes",
                  bytes_at(does, bytes), hex(address), bytes),
        lane, misaligned_hint(bytes));
  m.fail(fault_kind::illegal_address,
         formatted("{} of global memory at address 0x{}: {}", bytes_at(does, bytes), hex(address),
                   m.s->memory->describe_nearest(address)),
         lane, "check the sizes of the buffers against the indices of the kernel");
  m.fault_trail = m.s->memory->history_of_nearest(address);
  return step::fault;
}

static void keep_places(const worker& m, access_direction does, const places& at, unsigned bytes, u32 mask) {
  if (m.s->changed == nullptr || does == access_direction::read) return;
  each_lane(mask, [&](int i) { m.s->changed->keep(at[i], bytes); });
}

step find_global(worker& m, const micro_op& u, access_direction does, const u64* address, unsigned bytes, u32 mask,
                 places& at) {
  if (mask == 0) return step::next;
  const region* const r = region_of(m, address[std::countr_zero(mask)]);
  if (r != nullptr && r->bytes >= bytes) {
    m.last_region = r;
    const u64 base = r->address, last = r->bytes - bytes, align = bytes - 1;
    u32 bad = 0;
    for (int i = 0; i < 32; ++i) {
      const u64 offset = address[i] - base;
      bad |= offset > last || (offset & align) != 0 ? lane_bit[i] & mask : 0;
      at[i] = r->data + (offset > last ? 0 : offset);
    }
    if (bad == 0) {
      keep_places(m, does, at, bytes, mask);
      return step::next;
    }
  }
  // Reached if lanes access different allocations, cause faults, or access bytes outside all allocations in a page with
  // an allocation.
  int fault = -1;
  u32 beside = 0;
  each_lane(mask, [&](int i) {
    const bool aligned = address[i] % bytes == 0;
    region_of(m, address[i]);
    at[i] = aligned ? m.s->memory->bytes_at(address[i], bytes) : nullptr;
    if (at[i] == nullptr && aligned && !m.s->l->strict_bounds) {
      at[i] = m.s->memory->beside(address[i], bytes);
      beside |= at[i] != nullptr ? lane_bit[i] : 0;
    }
    if (at[i] == nullptr && fault < 0) fault = i;
  });
  if (fault >= 0) return global_fault(m, does, address[fault], bytes, fault);
  keep_places(m, does, at, bytes, mask);
  if (beside != 0) note_out_of_bounds(m, m.pc_of(u), does, bytes, beside, address[std::countr_zero(beside)]);
  return step::next;
}

// The stack grows down from the end of local memory. An offset below 0 is a stack overflow.
static step local_fault(worker& m, access_direction does, u32 address, unsigned bytes, int lane) {
  const u32 size = m.s->local_bytes;
  if (address % bytes != 0)
    return m.fail(
        fault_kind::misaligned_address,
        formatted("{} of local memory at address 0x{}, which is not a multiple of the access's width of {} bytes",
                  bytes_at(does, bytes), hex(address), bytes),
        lane, misaligned_hint(bytes));
  if (address >= u32{1} << 31)
    return m.fail(fault_kind::stack_overflow,
                  formatted("the stack overflows: the access {} of local memory, {} bytes below the stack of {} bytes",
                            bytes_at(does, bytes), grouped((u64{1} << 32) - address), grouped(size)),
                  lane,
                  formatted("the recursion is too deep, or a stack frame is too large. To enlarge the stack, call "
                            "cudaDeviceSetLimit(cudaLimitStackSize, ...) in the program, or pass {} to bankwise run",
                            worded(setting::stack)));
  return m.fail(fault_kind::illegal_address,
                formatted("{} of local memory at address 0x{}, but each thread has {} bytes of local memory",
                          bytes_at(does, bytes), hex(address), grouped(size)),
                lane, "an index is past the end of a local array of the thread");
}

step find_local(worker& m, access_direction does, u32 address, unsigned bytes, int lane, std::byte*& at) {
  const u32 size = m.s->local_bytes;
  if (address % bytes != 0 || address > size || size - address < bytes)
    return local_fault(m, does, address, bytes, lane);
  m.w->local_used = true;
  at = m.w->local.data() + std::size_t{size} * static_cast<unsigned>(lane) + address;
  return step::next;
}

u32 lanes_in_window(const u64* address, u32 mask, u64 window) {
  u32 lanes = 0;
  for (int i = 0; i < 32; ++i) lanes |= address[i] - window < window_bytes ? lane_bit[i] & mask : 0;
  return lanes;
}

static async_kind remote_kind(operation op) {
  switch (op.kind) {
    case op_kind::load: return async_kind::remote_load;
    case op_kind::store: return async_kind::remote_store;
    case op_kind::compare_and_swap:
    case op_kind::cas_spin: return async_kind::remote_compare_and_swap;
    default: return async_kind::remote_atomic;
  }
}

static order_kind remote_order(operation op) {
  switch (op.kind) {
    case op_kind::load: return order_kind::remote_read;
    case op_kind::store: return order_kind::remote_write;
    default: return order_kind::remote_update;
  }
}

// Reports the lanes whose generic address is on their own stack.
static void tell_local(worker& m, const micro_op& u, const u64* address, u32 mask) {
  u64 offset[32];
  for (int i = 0; i < 32; ++i) offset[i] = static_cast<u32>(address[i]);
  const bool loads = sass::traits_of(u.op).action == sass::action::load;
  tell_global(m, u,
              {.kind = loads ? global_kind::local_load : global_kind::local_store,
               .generic = true,
               .width_bytes = u.as<sass::memory_access>().bytes,
               .address = offset},
              mask, m.p->mask);
}

step find_generic(worker& m, const micro_op& u, access_direction does, const u64* address, u32 mask, operation op,
                  places& at, bool is_told) {
  const unsigned bytes = u.as<sass::memory_access>().bytes;
  const u32 in_cluster = lanes_in_window(address, mask, shared_window),
            local = lanes_in_window(address, mask, local_window);
  u32 shared = in_cluster;
  if (in_cluster != 0 && m.s->cluster_blocks() > 1)
    each_lane(in_cluster, [&](int i) { shared &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
  const u32 remote_bytes = static_cast<u32>(std::popcount(in_cluster & ~shared)) * bytes;
  if (shared == 0 && in_cluster == 0 && !is_told) make_event(m, u, op, 0, m.p->mask, true);
  if (m.global != nullptr) {
    const auto& f = u.as<sass::memory_access>();
    tell_global(m, u, {.kind = kind_of(u, f), .generic = true, .width_bytes = f.bytes, .address = address},
                mask & ~in_cluster & ~local, m.p->mask);
    if (local != 0) tell_local(m, u, address, local);
  }
  if (shared != 0) {
    const u32 base = m.block->rank << rank_shift;
    for (int i = 0; i < 32; ++i) m.event.what.address[i] = static_cast<u32>(address[i]) - base;
    m.event.remote_bytes = remote_bytes;
    make_event(m, u, op, shared, m.p->mask, true);
    m.event.remote_bytes = 0;
    const u32 limit = does == access_direction::write ? m.s->shared_bytes : end_of_loads(m, bytes);
    int fault = -1;
    each_lane(shared, [&](int i) {
      const u32 a = static_cast<u32>(address[i]) - base;
      const bool is_inside = a % bytes == 0 && a <= limit && limit - a >= bytes;
      if (!is_inside && !is_in_granule(m, does, a, bytes, i)) fault = fault < 0 ? i : fault;
      at[i] = m.block->shared.data() + a;
    });
    if (fault >= 0) return shared_fault(m, does, static_cast<u32>(address[fault]) - base, bytes, fault);
  }
  if (shared == 0 && in_cluster != 0) {
    async_operation remote = async_of(remote_kind(op));
    remote.bytes = remote_bytes;
    m.tell(u, in_cluster, remote);
  }
  step status = step::next;
  each_lane(in_cluster & ~shared, [&](int i) {
    const u32 a = static_cast<u32>(address[i]);
    if (status != step::next) return;
    if (a % bytes != 0) {
      status = shared_fault(m, does, a, bytes, i);
      return;
    }
    at[i] = find_cluster_bytes(m, a, bytes);
    if (at[i] == nullptr) at[i] = cluster_bytes(m, does, a, bytes, bytes_at(does, bytes), i);
    if (at[i] == nullptr) {
      status = step::fault;
      return;
    }
    if (op.kind != op_kind::load) tell_cluster_write(m, a, bytes, m.pc_of(u));
    if (m.order != nullptr && m.s->l->tells_all_order)
      m.order->on_order(
          {remote_order(op), m.w->id, lane_bit[i], a & offset_mask, bytes, m.pc_of(u), false, a >> rank_shift});
  });
  if (status != step::next) return status;
  if (m.past.lanes != 0) note_past_the_end(m, m.pc_of(u));
  each_lane(local, [&](int i) {
    if (status == step::next) status = find_local(m, does, static_cast<u32>(address[i]), bytes, i, at[i]);
  });
  if (status != step::next) return status;
  places elsewhere;
  const u32 rest = mask & ~in_cluster & ~local;
  if (m.s->leaves_global) {
    each_lane(rest, [&](int i) { at[i] = m.nowhere[i]; });
    return step::next;
  }
  status = find_global(m, u, does, address, bytes, rest, elsewhere);
  if (status == step::next) each_lane(rest, [&](int i) { at[i] = elsewhere[i]; });
  return status;
}

}  // namespace bankwise::emulate::BANKWISE_ISA
