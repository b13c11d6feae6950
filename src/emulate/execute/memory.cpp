// Loads, stores and atomics of every space. Each computes where its lanes point, checks it, and moves bytes; those that
// touch shared memory make an event first.
#include <cmath>

#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "emulate/execute/atomic.hpp"
#include "emulate/fault_report.hpp"
#include "sass/shared_operation.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Where the lanes of an instruction point: anywhere, or into one piece of memory.
struct places {
  std::byte* at[32];
  std::byte*& operator[](int lane) { return at[lane]; }
  std::byte* operator[](int lane) const { return at[lane]; }
};
struct shared_places {
  std::byte* base;
  const u32* address;
  std::byte* operator[](int lane) const { return base + address[lane]; }
};

std::string bytes_at(const char* verb, unsigned bytes) {
  return std::string(verb) + " " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// --- shared

// Addresses of the lanes in their block, straight into the event. u.b is a uniform register or zero.
u32* shared_addresses(machine& m, const micro_op& u, const sass::address& to) {
  const u32* a = m.at(u.a, 0);
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

const u32* data_row(machine& m, unsigned first, unsigned k = 0) { return m.w->reg(register_source(first, k).index); }

void describe_order(machine& m, const micro_op& u, operation op) {
  m.event.warp = m.w->id;
  m.event.path = m.p->mask;
  m.event.shared = m.block->shared.data();
  const auto* stored = op.kind == op_kind::store ? std::get_if<sass::memory_access>(&u.fields) : nullptr;
  for (unsigned k = 0; k < 4; ++k)
    m.event.data[k] = stored != nullptr && 4 * k < stored->bytes ? data_row(m, stored->data, k) : nullptr;
}

void make_event(machine& m, const micro_op& u, operation op, u32 mask, u32 lanes, bool generic = false) {
  if (m.events == nullptr) return;
  m.event.generic = generic;
  m.event.pc = m.pc_of(u);
  m.event.what.op = op;
  m.event.what.mask = mask;
  m.event.lanes = static_cast<u32>(std::popcount(lanes));
  if (m.order != nullptr) describe_order(m, u, op);
  m.events->on_access(m.event);
}

// Of the compare-and-swap whose event was made last.
void tell_swap(machine& m, u32 stored) {
  if (m.events == nullptr) return;
  m.event.warp = m.w->id;
  m.events->on_swap(m.event, stored);
}

step shared_fault(machine& m, const char* verb, u32 address, unsigned bytes, int lane) {
  if (address % bytes != 0)
    return m.fail(fault_kind::misaligned_address,
                  bytes_at(verb, bytes) + " of shared memory at address 0x" + hex(address) +
                      ", which is not a multiple of its " + std::to_string(bytes) + " bytes",
                  lane, "the hardware raises 'misaligned address' here");
  if (const u32 whole = address + (m.block->rank << rank_shift);
      m.s->cluster_blocks() > 1 && !is_own(m, whole) && whole >> rank_shift < m.s->cluster_blocks())
    return m.fail(fault_kind::illegal_instruction,
                  bytes_at(verb, bytes) + " at shared address 0x" + hex(whole) + ", of block " +
                      std::to_string(whole >> rank_shift) +
                      " of its cluster, with an instruction that reaches only its own",
                  lane, "the hardware raises 'illegal instruction' here; ld.shared::cluster reaches other blocks");
  const u32 reserved = m.s->l->kernel->reserved_shared_bytes;
  const std::int64_t offset = static_cast<std::int64_t>(address) - reserved;
  return m.fail(fault_kind::illegal_address,
                bytes_at(verb, bytes) + " at shared offset " + std::to_string(offset) + ", but the block has " +
                    grouped(m.s->shared_bytes - reserved) + " bytes of shared memory (address 0x" + hex(address) + ")",
                lane, shared_size_hint(*m.s->l));
}

// Checks the addresses of the active lanes and turns them into places.
step find_shared(machine& m, const char* verb, const u32* address, unsigned bytes, u32 mask, shared_places& at) {
  const u32 limit = m.s->shared_bytes;
  at = {m.block->shared.data(), address};
  u32 bad = 0;
  for (int i = 0; i < 32; ++i) {
    const u32 a = address[i];
    const u32 wrong = (a & (bytes - 1)) | static_cast<u32>(a > limit) | static_cast<u32>(limit - a < bytes);
    bad |= wrong != 0 ? lane_bit[i] & mask : 0;
  }
  if (bad == 0) return step::next;
  const int lane = std::countr_zero(bad);
  return shared_fault(m, verb, address[lane], bytes, lane);
}

// --- global, local and generic

void global_addresses(machine& m, const micro_op& u, const sass::address& to, u64* address) {
  const u32 *low = m.at(u.a, 0), *high = m.at(u.a_high, 1);
  u64 add = static_cast<u64>(to.offset);
  if (u.b.kind == source_kind::uniform) add += join(m.w->uniform[u.b.index], m.w->uniform[u.b_high.index]);
  if (to.wide) {
    for (int i = 0; i < 32; ++i) address[i] = join(low[i], high[i]) + add;
  } else {
    for (int i = 0; i < 32; ++i) address[i] = low[i] + add;
  }
}

step global_fault(machine& m, const char* verb, u64 address, unsigned bytes, int lane) {
  if (address % bytes != 0)
    return m.fail(fault_kind::misaligned_address,
                  bytes_at(verb, bytes) + " of global memory at address 0x" + hex(address) +
                      ", which is not a multiple of its " + std::to_string(bytes) + " bytes",
                  lane, "the hardware raises 'misaligned address' here");
  m.fail(fault_kind::illegal_address,
         bytes_at(verb, bytes) + " of global memory at address 0x" + hex(address) + ": " +
             m.s->memory->describe_nearest(address),
         lane, "check the sizes of the buffers against what the kernel indexes");
  m.fault_trail = m.s->memory->history_of_nearest(address);
  return step::fault;
}

step find_global(machine& m, const micro_op& u, const char* verb, const u64* address, unsigned bytes, u32 mask,
                 places& at) {
  if (mask == 0) return step::next;
  const u64 first = address[std::countr_zero(mask)];
  const region* r = m.last_region;
  if (r == nullptr || first - r->address >= r->bytes) r = m.s->memory->find(first);
  if (r != nullptr && r->bytes >= bytes) {
    m.last_region = r;
    const u64 base = r->address, last = r->bytes - bytes, align = bytes - 1;
    u32 bad = 0;
    for (int i = 0; i < 32; ++i) {
      const u64 offset = address[i] - base;
      bad |= offset > last || (offset & align) != 0 ? lane_bit[i] & mask : 0;
      at[i] = r->data + (offset > last ? 0 : offset);  // lanes that are off point anywhere
    }
    if (bad == 0) return step::next;
  }
  // Lanes in several allocations, beside one, or a fault.
  int fault = -1;
  u32 beside = 0;
  each_lane(mask, [&](int i) {
    const bool aligned = address[i] % bytes == 0;
    at[i] = aligned ? m.s->memory->at(address[i], bytes) : nullptr;
    if (at[i] == nullptr && aligned && !m.s->l->strict_bounds) {
      at[i] = m.s->memory->beside(address[i], bytes);
      beside |= at[i] != nullptr ? lane_bit[i] : 0;
    }
    if (at[i] == nullptr && fault < 0) fault = i;
  });
  if (fault >= 0) return global_fault(m, verb, address[fault], bytes, fault);
  if (beside != 0) note_out_of_bounds(m, m.pc_of(u), verb, bytes, beside, address[std::countr_zero(beside)]);
  return step::next;
}

// The stack grows down from the end: below 0 there is no room left.
step local_fault(machine& m, const char* verb, u32 address, unsigned bytes, int lane) {
  const u32 size = m.s->local_bytes;
  if (address % bytes != 0)
    return m.fail(fault_kind::misaligned_address,
                  bytes_at(verb, bytes) + " of local memory at address 0x" + hex(address) +
                      ", which is not a multiple of its " + std::to_string(bytes) + " bytes",
                  lane, "the hardware raises 'misaligned address' here");
  if (address >= u32{1} << 31)
    return m.fail(fault_kind::stack_overflow,
                  "stack overflow: " + bytes_at(verb, bytes) + " of local memory " + grouped((u64{1} << 32) - address) +
                      " bytes below the stack, which has " + grouped(size),
                  lane,
                  "recursion goes deeper than the stack, or a frame is too large; a program makes it larger with "
                  "cudaDeviceSetLimit(cudaLimitStackSize, ...), bankwise run with --stack");
  return m.fail(fault_kind::illegal_address,
                bytes_at(verb, bytes) + " of local memory at address 0x" + hex(address) + ", but a thread has " +
                    grouped(size) + " bytes",
                lane, "an array of the thread itself is indexed past its end");
}

step find_local(machine& m, const char* verb, u32 address, unsigned bytes, int lane, std::byte*& at) {
  const u32 size = m.s->local_bytes;
  if (address % bytes != 0 || address > size || size - address < bytes)
    return local_fault(m, verb, address, bytes, lane);
  m.w->local_used = true;
  at = m.w->local.data() + std::size_t{size} * static_cast<unsigned>(lane) + address;
  return step::next;
}

// The lanes whose generic address is in shared memory.
u32 lanes_in_window(const u64* address, u32 mask, u64 window) {
  u32 lanes = 0;
  for (int i = 0; i < 32; ++i) lanes |= address[i] - window < window_bytes ? lane_bit[i] & mask : 0;
  return lanes;
}

async_kind remote_kind(operation op) {
  switch (op.kind) {
    case op_kind::load: return async_kind::remote_load;
    case op_kind::store: return async_kind::remote_store;
    case op_kind::compare_and_swap:
    case op_kind::cas_spin: return async_kind::remote_compare_and_swap;
    default: return async_kind::remote_atomic;
  }
}

// Generic addresses: each lane in its own space. Each execution makes an event of `op`, with the lanes in shared memory of their
// block. Where there are none, and some in another block's, they make one of their own instead. `is_told`: it was done for other
// lanes of this execution.
step find_generic(machine& m, const micro_op& u, const char* verb, const u64* address, u32 mask, operation op,
                  places& at, bool is_told = false) {
  const unsigned bytes = u.as<sass::memory_access>().bytes;
  const u32 in_cluster = lanes_in_window(address, mask, shared_window),
            local = lanes_in_window(address, mask, local_window);
  u32 shared = in_cluster;
  if (in_cluster != 0 && m.s->cluster_blocks() > 1)
    each_lane(in_cluster, [&](int i) { shared &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
  if (shared == 0 && in_cluster == 0 && !is_told) make_event(m, u, op, 0, m.p->mask, true);
  if (shared != 0) {
    const u32 base = m.block->rank << rank_shift;
    for (int i = 0; i < 32; ++i) m.event.what.address[i] = static_cast<u32>(address[i]) - base;
    make_event(m, u, op, shared, m.p->mask, true);
    const u32 limit = m.s->shared_bytes;
    int fault = -1;
    each_lane(shared, [&](int i) {
      const u32 a = static_cast<u32>(address[i]) - base;
      if (a % bytes != 0 || a > limit || limit - a < bytes) fault = fault < 0 ? i : fault;
      at[i] = m.block->shared.data() + a;
    });
    if (fault >= 0) return shared_fault(m, verb, static_cast<u32>(address[fault]) - base, bytes, fault);
  }
  if (shared == 0 && in_cluster != 0) m.tell(u, in_cluster, async_of(remote_kind(op)));
  step status = step::next;
  each_lane(in_cluster & ~shared, [&](int i) {
    const u32 a = static_cast<u32>(address[i]);
    if (status != step::next) return;
    if (a % bytes != 0)
      status = shared_fault(m, verb, a, bytes, i);
    else if ((at[i] = cluster_bytes(m, a, bytes, bytes_at(verb, bytes), i)) == nullptr)
      status = step::fault;
    else if (op.kind != op_kind::load)
      tell_cluster_write(m, a, bytes, m.pc_of(u));
  });
  if (status != step::next) return status;
  each_lane(local, [&](int i) {
    if (status == step::next) status = find_local(m, verb, static_cast<u32>(address[i]), bytes, i, at[i]);
  });
  if (status != step::next) return status;
  places elsewhere;
  const u32 rest = mask & ~in_cluster & ~local;
  status = find_global(m, u, verb, address, bytes, rest, elsewhere);
  if (status == step::next) each_lane(rest, [&](int i) { at[i] = elsewhere[i]; });
  return status;
}

// --- whole rows

// How the addresses of 32 active lanes follow each other, in the two ways that most accesses have.
enum class row_shape : std::uint8_t { one_place, side_by_side, other };
template <class Address>
row_shape shape_of(const Address* address, unsigned bytes) {
  const Address first = address[0];
  Address apart = 0, off = 0;
  for (int i = 0; i < 32; ++i) {
    apart |= address[i] ^ first;
    off |= address[i] ^ (first + static_cast<Address>(i) * bytes);
  }
  return apart == 0 ? row_shape::one_place : off == 0 ? row_shape::side_by_side : row_shape::other;
}
// The bytes that such lanes cover, if all of them may be accessed.
constexpr unsigned bytes_of(row_shape shape, unsigned bytes) {
  return shape == row_shape::one_place ? bytes : 32 * bytes;
}
std::byte* shared_row(machine& m, row_shape shape, u32 first, unsigned bytes) {
  const u32 count = bytes_of(shape, bytes), limit = m.s->shared_bytes;
  if (shape == row_shape::other || first % bytes != 0 || first > limit || limit - first < count) return nullptr;
  return m.block->shared.data() + first;
}
std::byte* global_row(machine& m, row_shape shape, u64 first, unsigned bytes) {
  if (shape == row_shape::other || first % bytes != 0) return nullptr;
  const region* r = m.last_region;
  if (r == nullptr || first - r->address >= r->bytes) r = m.s->memory->find(first);
  if (r == nullptr || r->bytes - (first - r->address) < bytes_of(shape, bytes)) return nullptr;
  m.last_region = r;
  return r->data + (first - r->address);
}

// --- bytes in and out

template <class T>
inline T read(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
template <class T>
inline void write(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

template <unsigned words, class Places>
inline void load_words(machine& m, const micro_op& u, const Places& at, u32 mask) {
  u32* d[words];
  for (unsigned k = 0; k < words; ++k) d[k] = m.w->reg(written_row(u.as<sass::memory_access>().result, k));
  if (mask == all_lanes) {
    for (int i = 0; i < 32; ++i)
      for (unsigned k = 0; k < words; ++k) d[k][i] = read<u32>(at[i] + 4 * k);
  } else {
    each_lane(mask, [&](int i) {
      for (unsigned k = 0; k < words; ++k) d[k][i] = read<u32>(at[i] + 4 * k);
    });
  }
}

template <class Places>
void load(machine& m, const micro_op& u, const Places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u32* d = m.w->reg(written_row(f.result));
  const bool is_signed = f.is_signed;
  switch (f.bytes) {
    case 1:
      each_lane(mask, [&](int i) {
        d[i] = is_signed ? static_cast<u32>(static_cast<i32>(read<std::int8_t>(at[i]))) : read<std::uint8_t>(at[i]);
      });
      break;
    case 2:
      each_lane(mask, [&](int i) {
        d[i] = is_signed ? static_cast<u32>(static_cast<i32>(read<std::int16_t>(at[i]))) : read<std::uint16_t>(at[i]);
      });
      break;
    case 4: load_words<1>(m, u, at, mask); break;
    case 8: load_words<2>(m, u, at, mask); break;
    default: load_words<4>(m, u, at, mask); break;
  }
}

// Words of lanes that lie as `shape` says.
template <unsigned words>
void load_row(machine& m, const micro_op& u, row_shape shape, const std::byte* from) {
  u32* d[words];
  for (unsigned k = 0; k < words; ++k) d[k] = m.w->reg(written_row(u.as<sass::memory_access>().result, k));
  u32 one[words];
  std::memcpy(one, from, sizeof one);
  if (shape == row_shape::one_place) {
    for (unsigned k = 0; k < words; ++k)
      for (int i = 0; i < 32; ++i) d[k][i] = one[k];
  } else if (words == 1) {
    std::memcpy(d[0], from, sizeof(row));
  } else {
    for (int i = 0; i < 32; ++i)
      for (unsigned k = 0; k < words; ++k) d[k][i] = read<u32>(from + 4 * (words * static_cast<unsigned>(i) + k));
  }
}
void load_row(machine& m, const micro_op& u, row_shape shape, const std::byte* from) {
  switch (u.as<sass::memory_access>().bytes) {
    case 4: return load_row<1>(m, u, shape, from);
    case 8: return load_row<2>(m, u, shape, from);
    default: return load_row<4>(m, u, shape, from);
  }
}

// Where lanes write to one address, the last of them wins.
template <class Places>
void save(machine& m, const micro_op& u, const Places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* c[4] = {data_row(m, f.data), data_row(m, f.data, 1), data_row(m, f.data, 2), data_row(m, f.data, 3)};
  switch (f.bytes) {
    case 1: each_lane(mask, [&](int i) { write(at[i], static_cast<std::uint8_t>(c[0][i])); }); break;
    case 2: each_lane(mask, [&](int i) { write(at[i], static_cast<std::uint16_t>(c[0][i])); }); break;
    default:
      for (unsigned k = 0; k < f.bytes / 4u; ++k) {
        const u32* value = c[k];
        if (mask == all_lanes)
          for (int i = 0; i < 32; ++i) write(at[i] + 4 * k, value[i]);
        else
          each_lane(mask, [&](int i) { write(at[i] + 4 * k, value[i]); });
      }
      break;
  }
}

// The last lane wins.
void save_row(machine& m, const micro_op& u, row_shape shape, std::byte* to) {
  const auto& f = u.as<sass::memory_access>();
  const unsigned words = f.bytes / 4u;
  for (unsigned k = 0; k < words; ++k) {
    const u32* value = data_row(m, f.data, k);
    if (shape == row_shape::one_place)
      write(to + 4 * k, value[31]);
    else if (words == 1)
      std::memcpy(to, value, sizeof(row));
    else
      for (unsigned i = 0; i < 32; ++i) write(to + 4 * (words * i + k), value[i]);
  }
}

step lds(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, ld(f.bytes), mask, m.p->mask);
  if (mask == all_lanes && f.bytes >= 4) {
    const row_shape shape = shape_of(address, f.bytes);
    if (const std::byte* from = shared_row(m, shape, address[0], f.bytes)) {
      load_row(m, u, shape, from);
      return step::next;
    }
  }
  shared_places at;
  if (find_shared(m, "reads", address, f.bytes, mask, at) != step::next) return step::fault;
  load(m, u, at, mask);
  return step::next;
}
step sts(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, st(f.bytes), mask, m.p->mask);
  if (mask == all_lanes && f.bytes >= 4) {
    const row_shape shape = shape_of(address, f.bytes);
    if (std::byte* to = shared_row(m, shape, address[0], f.bytes)) {
      save_row(m, u, shape, to);
      return step::next;
    }
  }
  shared_places at;
  if (find_shared(m, "writes", address, f.bytes, mask, at) != step::next) return step::fault;
  save(m, u, at, mask);
  return step::next;
}

step ldg(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  if (mask == all_lanes && f.bytes >= 4) {
    const row_shape shape = shape_of(address, f.bytes);
    if (const std::byte* from = global_row(m, shape, address[0], f.bytes)) {
      load_row(m, u, shape, from);
      return step::next;
    }
  }
  places at;
  if (find_global(m, u, "reads", address, f.bytes, mask, at) != step::next) return step::fault;
  load(m, u, at, mask);
  return step::next;
}
step stg(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  ++m.effects;
  if (mask == all_lanes && f.bytes >= 4) {
    const row_shape shape = shape_of(address, f.bytes);
    if (std::byte* to = global_row(m, shape, address[0], f.bytes)) {
      save_row(m, u, shape, to);
      return step::next;
    }
  }
  places at;
  if (find_global(m, u, "writes", address, f.bytes, mask, at) != step::next) return step::fault;
  save(m, u, at, mask);
  return step::next;
}
step ld_generic(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  places at;
  if (find_generic(m, u, "reads", address, mask, bankwise::ld_generic(f.bytes), at) != step::next) return step::fault;
  load(m, u, at, mask);
  return step::next;
}
step st_generic(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  places at;
  if (find_generic(m, u, "writes", address, mask, st(f.bytes), at) != step::next) return step::fault;
  save(m, u, at, mask);
  if (mask != 0) ++m.effects;
  return step::next;
}

template <bool stores>
step local(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* a = m.at(u.a, 0);
  const u32 add = (u.b.kind == source_kind::uniform ? m.w->uniform[u.b.index] : 0) + static_cast<u32>(f.address.offset);
  places at;
  step status = step::next;
  each_lane(mask, [&](int i) {
    if (status == step::next) status = find_local(m, stores ? "writes" : "reads", a[i] + add, f.bytes, i, at[i]);
  });
  if (status != step::next) return status;
  if (stores)
    save(m, u, at, mask);
  else
    load(m, u, at, mask);
  return step::next;
}

// cp.async. Where the predicate is false nothing is read and zeros are written. With .ZFILL the low bits of the global
// address say how many bytes of the line are zeros, too.
step ldgsts(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::copy_access>();
  const u32* to = m.at(u.c, 2);
  for (int i = 0; i < 32; ++i) m.event.what.address[i] = to[i] + static_cast<u32>(f.target.offset);
  u64 from[32], zeros[32] = {};
  global_addresses(m, u, f.source, from);
  for (int i = 0; f.fills && i < 32; ++i) {
    zeros[i] = from[i] & (f.bytes - 1u);
    from[i] -= zeros[i];
  }
  const u32 reads = mask & m.predicate(u.q0, u.q0_flip);
  m.event.from = {{}, 0, f.fills};
  for (int i = 0; i < 32; ++i) {
    m.event.from.address[i] = static_cast<u32>(from[i]);
    if ((reads & lane_bit[i]) != 0 && zeros[i] < f.bytes) m.event.from.reads |= lane_bit[i];
  }
  make_event(m, u, sass::copy_operation(f), mask, m.p->mask);
  shared_places target;
  places source;
  if (find_shared(m, "writes", m.event.what.address, f.bytes, mask, target) != step::next) return step::fault;
  if (find_global(m, u, "reads", from, f.bytes, reads, source) != step::next) return step::fault;
  each_lane(mask, [&](int i) {
    const u64 copied = (reads & lane_bit[i]) != 0 ? f.bytes - zeros[i] : 0;
    if (copied != 0) std::memcpy(target[i], source[i], copied);
    std::memset(target[i] + copied, 0, f.bytes - copied);
  });
  return step::next;
}

// --- matrices of 8 x 8 halves

// Row r of matrix k starts where lane 8k + r points. Lane t gets elements 2(t % 4) and the next of row t / 4;
// transposed, it gets column t / 4 of those rows.
step ldsm(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  const unsigned count = f.matrices;
  make_event(m, u, ldmatrix(count), mask, m.p->mask);
  const u32 rows = mask & (count == 4 ? all_lanes : (1u << 8 * count) - 1);
  shared_places at;
  if (find_shared(m, "reads", address, 16, rows, at) != step::next) return step::fault;
  u32 r[4][32] = {};
  for (unsigned k = 0; k < count; ++k)
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = f.transposed ? 2 * (t % 4) + h : t / 4, column = f.transposed ? t / 4 : 2 * (t % 4) + h;
        const unsigned from = 8 * k + row;
        if ((rows >> from & 1) != 0)
          r[k][t] |= static_cast<u32>(read<std::uint16_t>(at[from] + 2 * column)) << (16 * h);
      }
  for (unsigned k = 0; k < count; ++k) store(m.w->reg(written_row(f.data, k)), r[k], mask);
  return step::next;
}
step stsm(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::matrix_access>();
  const u32* address = shared_addresses(m, u, f.address);
  const unsigned count = f.matrices;
  make_event(m, u, stmatrix(count), mask, m.p->mask);
  const u32 rows = mask & (count == 4 ? all_lanes : (1u << 8 * count) - 1);
  shared_places at;
  if (find_shared(m, "writes", address, 16, rows, at) != step::next) return step::fault;
  for (unsigned k = 0; k < count; ++k) {
    const u32* data = data_row(m, f.data, k);
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned row = f.transposed ? 2 * (t % 4) + h : t / 4, column = f.transposed ? t / 4 : 2 * (t % 4) + h;
        const unsigned to = 8 * k + row;
        if ((rows >> to & 1) != 0) write(at[to] + 2 * column, static_cast<std::uint16_t>(data[t] >> (16 * h)));
      }
  }
  return step::next;
}

// --- atomics: lane after lane

u64 read_as(const std::byte* p, unsigned bytes) { return bytes == 8 ? read<u64>(p) : read<u32>(p); }
void write_as(std::byte* p, unsigned bytes, u64 value) {
  if (bytes == 8)
    write(p, value);
  else
    write(p, static_cast<u32>(value));
}

// The result of a compare-and-swap is the old value (CAS), or whether it was stored (CAST). True if it changed memory.
template <class Places>
bool atomics(machine& m, const micro_op& u, const Places& at, u32 mask, u32* stored = nullptr) {
  const auto& f = u.as<sass::memory_access>();
  const u32 *x = data_row(m, f.data), *x_high = data_row(m, f.data, 1);
  const u32 *y = data_row(m, f.swap), *y_high = data_row(m, f.swap, 1);
  u32* d = m.w->reg(f.reduces ? trash_row : written_row(f.result));
  u32* d_high = m.w->reg(f.reduces ? trash_row + 1 : written_row(f.result, 1));
  const bool is_cas = f.is_swap;
  // Results go to their registers at the end: they may be the operands of later lanes.
  u64 result[32], changed = 0;
  each_lane(mask, [&](int i) {
    const u64 operand = f.bytes == 8 ? join(x[i], x_high[i]) : x[i];
    const u64 old = read_as(at[i], f.bytes);
    u64 next = old;
    result[i] = old;
    if (is_cas) {
      const bool equal = old == operand;
      if (equal) next = f.bytes == 8 ? join(y[i], y_high[i]) : y[i];
      if (equal && stored != nullptr) *stored |= lane_bit[i];
      if ((f.operation & 1) != 0) result[i] = equal ? 1 : 0;
    } else if (f.is_float && f.float_type == kind_f64) {
      next = double_sum(old, operand);
    } else if (f.is_float) {
      next = float_combined(f.float_type, f.operation, static_cast<u32>(old), static_cast<u32>(operand));
    } else if (f.bytes == 8) {
      next = combined<u64, i64>(f.operation, old, operand, f.is_signed);
    } else {
      next = combined<u32, i32>(f.operation, static_cast<u32>(old), static_cast<u32>(operand), f.is_signed);
    }
    write_as(at[i], f.bytes, next);
    changed |= next ^ old;
  });
  each_lane(mask, [&](int i) {
    d[i] = static_cast<u32>(result[i]);
    if (f.bytes == 8) d_high[i] = static_cast<u32>(result[i] >> 32);
  });
  return changed != 0;
}

// Vectors, and exchanges of 128 bits: word after word. The same fields.
bool wide_atomics(machine& m, const micro_op& u, const places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const unsigned words = f.bytes / 4u;
  u32 result[4][32] = {}, changed = 0;
  each_lane(mask, [&](int i) {
    u32 old[4] = {}, x[4] = {}, next[4] = {};
    std::memcpy(old, at[i], f.bytes);
    for (unsigned k = 0; k < words; ++k) x[k] = data_row(m, f.data, k)[i];
    const bool equal = std::memcmp(old, x, f.bytes) == 0;
    for (unsigned k = 0; k < words; ++k) {
      if (f.is_swap)
        next[k] = equal ? data_row(m, f.swap, k)[i] : old[k];
      else
        next[k] = f.is_float ? float_combined(f.float_type, f.operation, old[k], x[k]) : x[k];
      result[k][i] = f.is_swap && (f.operation & 1) != 0 ? static_cast<u32>(equal && k == 0) : old[k];
      changed |= next[k] ^ old[k];
    }
    std::memcpy(at[i], next, f.bytes);
  });
  for (unsigned k = 0; k < words && !f.reduces; ++k) store(m.w->reg(written_row(f.result, k)), result[k], mask);
  return changed != 0;
}
bool is_wide(const sass::memory_access& f) {
  return f.bytes == 16 || (f.is_float && f.bytes == 8 && f.float_type != kind_f64);
}

step atoms(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, sass::atomic_operation(f), mask, m.p->mask);
  shared_places at;
  if (find_shared(m, "updates", address, f.bytes, mask, at) != step::next) return step::fault;
  if (!f.spins) {
    u32 stored = 0;
    atomics(m, u, at, mask, &stored);
    if (f.is_swap) tell_swap(m, stored);
    return step::next;
  }
  // Lanes that a lower lane of their phase keeps from the bank are told that nothing was stored, and loop.
  const int phase_lanes = f.bytes == 8 ? 16 : 32;
  u32 served = 0, taken = 0;  // lanes; banks of this phase
  for (int i = 0; i < 32; ++i) {
    if (i % phase_lanes == 0) taken = 0;
    const u32 banks = (f.bytes == 8 ? 3u : 1u) << address[i] / 4 % 32;
    if ((mask & lane_bit[i]) == 0 || (taken & banks) != 0) continue;
    taken |= banks;
    served |= lane_bit[i];
  }
  u32 swapped = 0;
  atomics(m, u, at, served, &swapped);
  tell_swap(m, swapped);
  const u32 none[32] = {};
  u32* stored = m.w->reg(written_row(f.result));
  store(stored, none, mask & ~served);
  if (u.op == sass::opcode::ATOMS_CAST) {
    u32 lanes = 0;
    for (int i = 0; i < 32; ++i) lanes |= stored[i] != 0 ? lane_bit[i] : 0;
    m.set_predicate(u.p0, lanes, mask);
  }
  return step::next;
}
// Adds the number of lanes that point to a word.
step atoms_popc(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, popc_inc(), mask, m.p->mask);
  shared_places at;
  if (find_shared(m, "updates", address, 4, mask, at) != step::next) return step::fault;
  u32* d = m.w->reg(written_row(f.result));
  each_lane(mask, [&](int i) {
    const u32 old = read<u32>(at[i]);
    write(at[i], old + 1);
    d[i] = old;
  });
  return step::next;
}
step atomg(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  places at;
  if (find_global(m, u, "updates", address, f.bytes, mask, at) != step::next) return step::fault;
  if (is_wide(f) ? wide_atomics(m, u, at, mask) : atomics(m, u, at, mask)) ++m.effects;
  return step::next;
}
// A result predicate tells the lanes whose address is global; the code that follows serves the others.
step atom_generic(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  if (u.p0 != 7) {
    u32 own = lanes_in_window(address, mask, shared_window);
    each_lane(own, [&](int i) { own &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
    const u32 elsewhere = own | lanes_in_window(address, mask, local_window);
    m.set_predicate(u.p0, ~elsewhere, mask);
    mask &= ~elsewhere;
  }
  // Floats in shared memory of other blocks are added with their denormals.
  constexpr unsigned f32_ftz = 9, f32 = 12;
  bool is_told = false;
  if (const u32 in_cluster = lanes_in_window(address, mask, shared_window);
      in_cluster != 0 && f.is_float && f.float_type == f32_ftz) {
    micro_op exact = u;
    std::get<sass::memory_access>(exact.fields).float_type = f32;
    exact.p0 = 7;
    if (atom_generic(m, exact, in_cluster) != step::next) return step::fault;
    mask &= ~in_cluster;
    is_told = true;
  }
  if (is_wide(f) && lanes_in_window(address, mask, shared_window) != 0)
    return m.fail("an atomic on a vector or 128 bits of shared memory is not executed yet");
  places at;
  if (find_generic(m, u, "updates", address, mask, sass::atomic_operation(f), at, is_told) != step::next)
    return step::fault;
  if (is_wide(f) ? wide_atomics(m, u, at, mask) : atomics(m, u, at, mask)) ++m.effects;
  return step::next;
}

// Which space a generic address is in.
step qspc(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::space_query>();
  if (u.d != trash_row) return m.fail("QSPC with a result register is not executed yet");
  u64 address[32];
  global_addresses(m, u, f.address, address);
  const u32 shared = lanes_in_window(address, mask, shared_window),
            local_lanes = lanes_in_window(address, mask, local_window);
  u32 own = shared;
  each_lane(shared, [&](int i) { own &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
  const u32 lanes[] = {~(shared | local_lanes), local_lanes, own, shared};
  m.set_predicate(u.p0, lanes[f.kind], mask);
  return step::next;
}

// --- constants

bool read_constant(machine& m, const micro_op& u, std::int64_t offset, u64& value) {
  const auto& f = u.as<sass::memory_access>();
  if (f.address.bank >= constant_banks) return false;
  const auto& bank = m.s->banks[f.address.bank];
  if (offset < 0 || static_cast<u64>(offset) + f.bytes > bank.size()) return false;
  const std::byte* p = bank.data() + offset;
  switch (f.bytes) {
    case 1:
      value = f.is_signed ? static_cast<u64>(static_cast<i64>(read<std::int8_t>(p))) : read<std::uint8_t>(p);
      break;
    case 2:
      value = f.is_signed ? static_cast<u64>(static_cast<i64>(read<std::int16_t>(p))) : read<std::uint16_t>(p);
      break;
    case 4: value = read<u32>(p); break;
    default: value = read<u64>(p); break;
  }
  return true;
}
step constant_fault(machine& m, const micro_op& u, std::int64_t offset, int lane) {
  const auto& f = u.as<sass::memory_access>();
  return m.fail(fault_kind::illegal_address,
                bytes_at("reads", f.bytes) + " at offset " + std::to_string(offset) + " of constant bank " +
                    std::to_string(f.address.bank) + ", which has " +
                    grouped(f.address.bank < constant_banks ? m.s->banks[f.address.bank].size() : 0) + " bytes",
                lane, {});
}
step ldc(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* a = m.at(u.a, 0);
  u32 *d = m.w->reg(written_row(f.result)), *d_high = m.w->reg(written_row(f.result, 1));
  step status = step::next;
  if (u.a.kind == source_kind::reg && u.a.index == zero_row) {  // the same word for all
    u64 value = 0;
    if (mask == 0) return step::next;
    if (!read_constant(m, u, f.address.offset, value))
      return constant_fault(m, u, f.address.offset, std::countr_zero(mask));
    map1(d, d, mask, [=](u32) { return static_cast<u32>(value); });
    if (f.bytes == 8) map1(d_high, d_high, mask, [=](u32) { return static_cast<u32>(value >> 32); });
    return step::next;
  }
  each_lane(mask, [&](int i) {
    const std::int64_t offset = f.address.offset + static_cast<i32>(a[i]);
    u64 value = 0;
    if (status != step::next) return;
    if (!read_constant(m, u, offset, value)) {
      status = constant_fault(m, u, offset, i);
      return;
    }
    d[i] = static_cast<u32>(value);
    if (f.bytes == 8) d_high[i] = static_cast<u32>(value >> 32);
  });
  return status;
}
step uldc(machine& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  if (mask == 0) return step::next;
  const std::int64_t offset =
      f.address.offset + (u.a.kind == source_kind::uniform ? static_cast<i32>(m.w->uniform[u.a.index]) : 0);
  u64 value = 0;
  if (!read_constant(m, u, offset, value)) return constant_fault(m, u, offset, -1);
  m.set_uniform(f.result, static_cast<u32>(value));
  if (f.bytes >= 8) m.set_uniform(f.result + 1u, static_cast<u32>(value >> 32));
  if (f.bytes == 16) {
    value = read<u64>(m.s->banks[f.address.bank].data() + offset + 8);
    m.set_uniform(f.result + 2u, static_cast<u32>(value));
    m.set_uniform(f.result + 3u, static_cast<u32>(value >> 32));
  }
  return step::next;
}

}  // namespace

void add_memory(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::LDS, lds);
  set(op::STS, sts);
  set(op::STS_U, sts);
  set(op::LDSM, ldsm);
  set(op::STSM, stsm);
  set(op::ATOMS, atoms);
  set(op::ATOMS_U, atoms);
  set(op::ATOMS_CAS, atoms);
  set(op::ATOMS_CAST, atoms);
  set(op::ATOMS_POPC, atoms_popc);
  set(op::LDGSTS, ldgsts);
  set(op::LDG, ldg);
  set(op::LDG_R, ldg);
  set(op::LD, ld_generic);
  set(op::STG, stg);
  set(op::STG_R, stg);
  set(op::ST, st_generic);
  set(op::ST_R, st_generic);
  set(op::LDL, local<false>);
  set(op::STL, local<true>);
  set(op::STL_U, local<true>);
  for (const op o : {op::ATOMG, op::ATOMG_R, op::ATOMG_CAS, op::ATOMG_F, op::REDG, op::REDG_F}) set(o, atomg);
  for (const op o : {op::ATOM, op::ATOM_R, op::ATOM_CAS, op::ATOM_F}) set(o, atom_generic);
  set(op::QSPC, qspc);
  set(op::QSPC_R, qspc);
  set(op::LDC, ldc);
  set(op::ULDC, uldc);
  set(op::ULDC_U, uldc);
  set(op::LDCU, uldc);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
