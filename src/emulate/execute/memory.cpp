// Loads and stores of every space, and cp.async.
#include "emulate/execute/places.hpp"
#include "emulate/execute/repeats.hpp"
#include "sass/fields/shared_operation.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// --- Whole rows

// The number of bytes that the 32 lanes access together. Each lane accesses `bytes` bytes.
constexpr unsigned bytes_of(row_shape shape, unsigned bytes) {
  return shape == row_shape::one_place ? bytes : 32 * bytes;
}
std::byte* global_row(worker& m, row_shape shape, u64 first, unsigned bytes) {
  if (shape == row_shape::other || first % bytes != 0) return nullptr;
  const region* const r = region_of(m, first);
  if (r == nullptr || r->bytes - (first - r->address) < bytes_of(shape, bytes)) return nullptr;
  m.last_region = r;
  return r->data + (first - r->address);
}

// --- Copies between registers and memory

template <unsigned words, class Places>
inline void load_words(worker& m, const micro_op& u, const Places& at, u32 mask) {
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
void load(worker& m, const micro_op& u, const Places& at, u32 mask) {
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

template <unsigned words>
void load_row(worker& m, const micro_op& u, row_shape shape, const std::byte* from) {
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
void load_row(worker& m, const micro_op& u, row_shape shape, const std::byte* from) {
  switch (u.as<sass::memory_access>().bytes) {
    case 4: return load_row<1>(m, u, shape, from);
    case 8: return load_row<2>(m, u, shape, from);
    default: return load_row<4>(m, u, shape, from);
  }
}

// If several lanes write to one address, the last lane's value is stored.
template <class Places>
void save(worker& m, const micro_op& u, const Places& at, u32 mask) {
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

// If all lanes write to one address, the last lane's value is stored.
void save_row(worker& m, const micro_op& u, row_shape shape, std::byte* to) {
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

// --- Shared memory

template <bool stores>
step shared(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  access_memo* const last = memo_of(m, u, address, mask);
  shared_places at{m.block->shared.data(), address};
  row_shape shape = row_shape::other;
  if (is_repeated(m, last, address)) {
    ++last->times;
    shape = last->shape;
  } else {
    const operation op = stores ? st(f.bytes) : ld(f.bytes);
    make_event(m, u, op, mask, m.p->mask);
    const u32 limit = stores ? m.s->shared_bytes : end_of_loads(m, f.bytes);
    if (find_shared(m, u, stores ? access_direction::write : access_direction::read, address, f.bytes, mask, at,
                    limit) != step::next)
      return step::fault;
    if (mask == all_lanes && f.bytes >= 4) shape = shape_of(address, f.bytes);
    remember(m, u, last, op, address, limit, shape);
  }
  if (stores)
    shape != row_shape::other ? save_row(m, u, shape, at[0]) : save(m, u, at, mask);
  else
    shape != row_shape::other ? load_row(m, u, shape, at[0]) : load(m, u, at, mask);
  return step::next;
}

// Loads 32 bytes per lane. The first four words go to the registers from f.result on, and the last four words go to the
// registers from f.upper on. A word whose bit in f.kept is 0 is skipped and has no register.
void load_groups(worker& m, const micro_op& u, const places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  unsigned kept[2] = {};
  for (unsigned k = 0; k < f.bytes / 4u; ++k) {
    if ((f.kept >> k & 1) == 0) continue;
    u32* const d = m.w->reg(written_row(k < 4 ? f.result : f.upper, kept[k / 4]++));
    each_lane(mask, [&](int i) { d[i] = read<u32>(at[i] + 4 * k); });
  }
}
void save_groups(worker& m, const micro_op& u, const places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  for (unsigned k = 0; k < f.bytes / 4u; ++k) {
    const u32* const value = data_row(m, k < 4 ? f.data : f.upper, k % 4);
    each_lane(mask, [&](int i) { write(at[i] + 4 * k, value[i]); });
  }
}

// Loads from global memory. `wide`: whether each lane loads 32 bytes.
template <bool wide>
step ldg(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 && m.global == nullptr) return step::next;
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  const row_shape shape = mask == all_lanes ? shape_of(address, f.bytes) : row_shape::other;
  if (m.global != nullptr) tell_global(m, u, global_kind::load, address, mask, shape);
  if (mask == 0 || u.only_told) return step::next;
  if (f.strong) m.looks.note(address[std::countr_zero(mask)]);
  if (!wide && shape != row_shape::other && f.bytes >= 4) {
    if (const std::byte* from = global_row(m, shape, address[0], f.bytes)) {
      load_row(m, u, shape, from);
      return step::next;
    }
  }
  places at;
  if (find_global(m, u, access_direction::read, address, f.bytes, mask, at) != step::next) return step::fault;
  wide ? load_groups(m, u, at, mask) : load(m, u, at, mask);
  return step::next;
}
template <bool wide>
step stg(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 && m.global == nullptr) return step::next;
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  const row_shape shape = mask == all_lanes ? shape_of(address, f.bytes) : row_shape::other;
  if (m.global != nullptr) tell_global(m, u, global_kind::store, address, mask, shape);
  if (mask == 0 || u.only_told) return step::next;
  ++m.effects;
  if (!wide && shape != row_shape::other && f.bytes >= 4) {
    if (std::byte* to = global_row(m, shape, address[0], f.bytes)) {
      m.keep_bytes(to, bytes_of(shape, f.bytes));
      save_row(m, u, shape, to);
      return step::next;
    }
  }
  places at;
  if (find_global(m, u, access_direction::write, address, f.bytes, mask, at) != step::next) return step::fault;
  wide ? save_groups(m, u, at, mask) : save(m, u, at, mask);
  return step::next;
}
step ld_generic(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  if (f.strong && mask != 0) m.looks.note(address[std::countr_zero(mask)]);
  places at;
  if (find_generic(m, u, access_direction::read, address, mask, sass::load_operation(f), at) != step::next)
    return step::fault;
  if (m.s->leaves_shared && m.s->leaves_global) return step::next;
  load(m, u, at, mask);
  return step::next;
}
step st_generic(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  places at;
  if (find_generic(m, u, access_direction::write, address, mask, st(f.bytes), at) != step::next) return step::fault;
  if (m.s->leaves_shared && m.s->leaves_global) return step::next;
  save(m, u, at, mask);
  if (mask != 0) ++m.effects;
  return step::next;
}

template <bool stores>
step local(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* a = m.operand_row(u.a, 0);
  const u32 add = (u.b.kind == source_kind::uniform ? m.w->uniform[u.b.index] : 0) + static_cast<u32>(f.address.offset);
  if (m.global != nullptr) {
    u64 offset[32];
    for (int i = 0; i < 32; ++i) offset[i] = a[i] + add;
    tell_global(m, u,
                {.kind = stores ? global_kind::local_store : global_kind::local_load,
                 .width_bytes = f.bytes,
                 .address = offset},
                mask, m.p->mask);
  }
  if (u.only_told) return step::next;
  places at;
  step status = step::next;
  each_lane(mask, [&](int i) {
    if (status == step::next)
      status = find_local(m, stores ? access_direction::write : access_direction::read, a[i] + add, f.bytes, i, at[i]);
  });
  if (status != step::next) return status;
  if (stores)
    save(m, u, at, mask);
  else
    load(m, u, at, mask);
  return step::next;
}

// Executes cp.async. If the predicate is false, the copy reads nothing and writes zeros. With .ZFILL, the low bits of
// the global address are the number of zero bytes at the end of the line.
step ldgsts(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::copy_access>();
  const u32* to = m.operand_row(u.c, 2);
  const u32 add = static_cast<u32>(f.target.offset) - (m.block->rank << rank_shift);
  for (int i = 0; i < 32; ++i) m.event.what.address[i] = to[i] + add;
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
  if (m.global != nullptr)
    tell_global(m, u,
                {.kind = global_kind::copy,
                 .past_l1 = f.bytes == 16 && !f.through_l1,
                 .width_bytes = f.bytes,
                 .address = from,
                 .to = m.event.what.address},
                m.event.from.reads, m.p->mask);
  shared_places target;
  places source;
  if (find_shared(m, u, access_direction::write, m.event.what.address, f.bytes, mask, target, m.s->shared_bytes) !=
      step::next)
    return step::fault;
  if (m.s->leaves_shared) return step::next;
  if (find_global(m, u, access_direction::read, from, f.bytes, reads, source) != step::next) return step::fault;
  each_lane(mask, [&](int i) {
    const u64 copied = (reads & lane_bit[i]) != 0 ? f.bytes - zeros[i] : 0;
    if (copied != 0) std::memcpy(target[i], source[i], copied);
    std::memset(target[i] + copied, 0, f.bytes - copied);
  });
  return step::next;
}

}  // namespace

void add_memory(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::LDS, shared<false>);
  set(op::STS, shared<true>);
  set(op::STS_U, shared<true>);
  set(op::LDGSTS, ldgsts);
  set(op::LDG, ldg<false>);
  set(op::LDG_R, ldg<false>);
  set(op::LDG_256, ldg<true>);
  set(op::STG_256, stg<true>);
  set(op::LD, ld_generic);
  set(op::STG, stg<false>);
  set(op::STG_R, stg<false>);
  set(op::ST, st_generic);
  set(op::ST_R, st_generic);
  set(op::LDL, local<false>);
  set(op::STL, local<true>);
  set(op::STL_U, local<true>);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
