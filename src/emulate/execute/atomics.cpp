// Atomics and reductions on shared, global and generic memory, one lane after another.
#include <algorithm>
#include <atomic>
#include <utility>

#include "emulate/execute/atomic.hpp"
#include "emulate/execute/mbarrier.hpp"
#include "emulate/execute/places.hpp"
#include "sass/fields/shared_operation.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

namespace {

// Reports the lanes in which a compare-and-swap stored its new value. m.event describes the instruction.
void tell_swap(worker& m, u32 stored) {
  if (m.events != nullptr) m.events->on_swap(m.event, stored);
}

u64 read_as(const std::byte* p, unsigned bytes) { return bytes == 8 ? read<u64>(p) : read<u32>(p); }
void write_as(std::byte* p, unsigned bytes, u64 value) {
  if (bytes == 8)
    write(p, value);
  else
    write(p, static_cast<u32>(value));
}

// Returns the new value of a word in memory. Must not be used for compare-and-swap.
u64 updated(const sass::memory_access& f, u64 old, u64 operand) {
  if (f.is_float && f.float_type == sass::atomic_float::f64) return double_sum(old, operand);
  if (f.is_float) return float_combined(f.float_type, f.operation, static_cast<u32>(old), static_cast<u32>(operand));
  if (f.bytes == 8) return combined<u64, i64>(f.operation, old, operand, f.is_signed);
  return combined<u32, i32>(f.operation, static_cast<u32>(old), static_cast<u32>(operand), f.is_signed);
}
// Returns the new value of one word of a vector.
u32 updated_word(const sass::memory_access& f, u32 old, u32 x) {
  return f.is_float ? float_combined(f.float_type, f.operation, old, x) : x;
}

// Executes the atomic for each lane. The result register of a CAS gets the old value. The result register of a CAST
// gets 1 if the lane stored, otherwise 0. Returns whether memory changed.
template <class Places>
bool atomics(worker& m, const micro_op& u, const Places& at, u32 mask, u32* stored = nullptr) {
  const auto& f = u.as<sass::memory_access>();
  const u32 *x = data_row(m, f.data), *x_high = data_row(m, f.data, 1);
  const u32 *y = data_row(m, f.swap), *y_high = data_row(m, f.swap, 1);
  u32* d = m.w->reg(f.reduces ? trash_row : written_row(f.result));
  u32* d_high = m.w->reg(f.reduces ? trash_row + 1 : written_row(f.result, 1));
  const bool is_cas = f.is_swap;
  // Registers are written after the last lane, because a lane's operands may be in the result registers.
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
      if (f.swapped != sass::swap_result::old_value) result[i] = equal ? 1 : 0;
    } else {
      next = updated(f, old, operand);
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

// Executes atomics on vectors, and exchanges of 128 bits, word by word.
bool wide_atomics(worker& m, const micro_op& u, const places& at, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const unsigned words = f.bytes / 4u;
  const bool tells_stored = f.is_swap && f.swapped != sass::swap_result::old_value;
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
        next[k] = updated_word(f, old[k], x[k]);
      result[k][i] = tells_stored ? static_cast<u32>(equal && k == 0) : old[k];
      changed |= next[k] ^ old[k];
    }
    std::memcpy(at[i], next, f.bytes);
  });
  for (unsigned k = 0; k < words && !f.reduces; ++k) store(m.w->reg(written_row(f.result, k)), result[k], mask);
  return changed != 0;
}
bool is_wide(const sass::memory_access& f) {
  return f.bytes == 16 || (f.is_float && f.bytes == 8 && f.float_type != sass::atomic_float::f64);
}

step atoms(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, sass::atomic_operation(f), mask, m.p->mask);
  shared_places at;
  if (find_shared(m, u, access_direction::update, address, f.bytes, mask, at, end_of_loads(m, f.bytes)) != step::next)
    return step::fault;
  if (!f.spins) {
    u32 stored = 0;
    atomics(m, u, at, mask, &stored);
    if (f.is_swap) tell_swap(m, stored);
    return step::next;
  }
  // A lane does not store if a lower lane of the same phase uses the same bank. The kernel's code then retries.
  const int phase_lanes = f.bytes == 8 ? 16 : 32;
  u32 served = 0, taken = 0;  // `served`: lanes that may store. `taken`: banks that these lanes use in this phase.
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
// Adds 1 for each lane that points to a word, or arrives at an mbarrier for each lane.
step atoms_popc(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  const u32* address = shared_addresses(m, u, f.address);
  make_event(m, u, popc_inc(), mask, m.p->mask);
  shared_places at;
  if (find_shared(m, u, access_direction::update, address, f.bytes, mask, at, end_of_loads(m, f.bytes)) != step::next)
    return step::fault;
  u32* d = m.w->reg(written_row(f.result));
  if (f.bytes == 8) {
    u32* d_high = m.w->reg(written_row(f.result, 1));
    each_lane(mask, [&](int i) {
      const u64 old = arrive_before_hopper(m, at[i], address[i]);
      d[i] = static_cast<u32>(old);
      d_high[i] = static_cast<u32>(old >> 32);
    });
    return step::next;
  }
  each_lane(mask, [&](int i) {
    const u32 old = read<u32>(at[i]);
    write(at[i], old + 1);
    d[i] = old;
  });
  return step::next;
}
void make_reduction(const reduction& r) {
  const auto& f = *r.how;
  if (!is_wide(f)) {
    const u64 operand = f.bytes == 8 ? join(r.operand[0], r.operand[1]) : r.operand[0];
    write_as(r.place, f.bytes, updated(f, read_as(r.place, f.bytes), operand));
    return;
  }
  for (unsigned k = 0; k < f.bytes / 4u; ++k)
    write(r.place + 4 * k, updated_word(f, read<u32>(r.place + 4 * k), r.operand[k]));
}

enum class when : std::uint8_t {
  now,      // at once, because no other worker changes this memory
  now_too,  // at once, with atomic operations of the host, because other workers also change this memory
  apart,    // at once, in the worker's own copy of the memory, because the order does not matter
  in_order,
};

// Finds the memory of a reduction. Sets `made` to the time at which the reduction is executed.
step find_reduced(worker& m, const micro_op& u, const u64* address, u32 mask, places& at, when& made) {
  const auto& f = u.as<sass::memory_access>();
  // If m.reductions is null, find_global does not wait for earlier blocks. Only loads need to wait.
  block_reductions* const order = std::exchange(m.reductions, nullptr);
  const region* const before = std::exchange(m.last_region, order->last_region);
  const step found = find_global(m, u, access_direction::update, address, f.bytes, mask, at);
  m.reductions = order;
  const region* const r = order->last_region = std::exchange(m.last_region, before);
  if (found != step::next) return found;
  made = order->is_alone() || !is_commutative(f) ? when::now : when::now_too;
  if (made == when::now && order->is_first()) return found;
  const reduced_region* known = r != nullptr ? order->find(r) : nullptr;
  if (known != nullptr) {
    u32 elsewhere = 0;
    for (int i = 0; i < 32; ++i) elsewhere |= address[i] - r->address < r->bytes ? 0 : lane_bit[i] & mask;
    if (elsewhere != 0) known = nullptr;
  }
  if (known != nullptr && known->commutes && partial_results::suits(*r, f)) {
    made = when::apart;
    return found;
  }
  if (order->is_first()) return found;
  if (known == nullptr)
    order->wait_until_first();
  else if (!known->commutes || made == when::now)
    made = when::in_order;
  return found;
}

template <class T, class Signed>
void update_as_others_do(std::byte* place, const sass::memory_access& f, T x) {
  const std::atomic_ref<T> word(*reinterpret_cast<T*>(place));
  constexpr auto order = std::memory_order_relaxed;
  switch (f.operation) {
    case atomic_op::add: word.fetch_add(x, order); return;
    case atomic_op::conjunction: word.fetch_and(x, order); return;
    case atomic_op::disjunction: word.fetch_or(x, order); return;
    case atomic_op::exclusive: word.fetch_xor(x, order); return;
    default: break;
  }
  T old = word.load(order);
  for (;;) {
    const T next = combined<T, Signed>(f.operation, old, x, f.is_signed);
    if (next == old || word.compare_exchange_weak(old, next, order)) return;
  }
}

// Returns the neutral operand, which leaves every value unchanged.
u64 nothing_of(const sass::memory_access& f) {
  const u64 greatest = f.bytes == 8 ? ~u64{0} : ~u32{0}, sign = f.is_signed ? greatest / 2 + 1 : 0;
  switch (f.operation) {
    case atomic_op::conjunction: return greatest;
    case atomic_op::minimum: return greatest ^ sign;
    case atomic_op::maximum: return sign;
    default: return 0;
  }
}
void bring_results(const partial_results& part) {
  const sass::memory_access& f = part.how();
  const u64 nothing = nothing_of(f);
  part.each([&](std::byte* to, const std::byte* from) {
    const u64 x = read_as(from, f.bytes);
    if (x == nothing) return;
    if (f.bytes == 8)
      update_as_others_do<u64, i64>(to, f, x);
    else
      update_as_others_do<u32, i32>(to, f, static_cast<u32>(x));
  });
}
// Returns the address of each lane's word in the worker's own partial results.
places places_apart(worker& m, const sass::memory_access& f, const u64* address, u32 mask) {
  const region& r = *m.reductions->last_region;
  partial_results* part = m.reductions->part_of(&r);
  if (part == nullptr) part = m.reductions->add_part({r, f, nothing_of(f)}, bring_results);
  places at;
  each_lane(mask, [&](int i) { at[i] = part->at(address[i] - r.address); });
  return at;
}

template <class T, class Operand, class F>
void update_lanes(const places& at, u32 mask, Operand x, F f) {
  each_lane(mask, [&](int i) { write(at[i], f(read<T>(at[i]), x(i))); });
}
// Updates one lane after another. No other worker may update these words at the same time.
template <class T, class Signed, class Operand>
void update_integers(const sass::memory_access& f, const places& at, u32 mask, Operand x) {
  switch (f.operation) {
    case atomic_op::add: return update_lanes<T>(at, mask, x, [](T a, T b) { return static_cast<T>(a + b); });
    case atomic_op::conjunction: return update_lanes<T>(at, mask, x, [](T a, T b) { return a & b; });
    case atomic_op::disjunction: return update_lanes<T>(at, mask, x, [](T a, T b) { return a | b; });
    case atomic_op::exclusive: return update_lanes<T>(at, mask, x, [](T a, T b) { return a ^ b; });
    default:
      return update_lanes<T>(at, mask, x,
                             [&](T a, T b) { return combined<T, Signed>(f.operation, a, b, f.is_signed); });
  }
}
void update_alone(worker& m, const sass::memory_access& f, const places& at, u32 mask) {
  const u32 *x = data_row(m, f.data), *x_high = data_row(m, f.data, 1);
  if (f.bytes == 8)
    update_integers<u64, i64>(f, at, mask, [&](int i) { return join(x[i], x_high[i]); });
  else
    update_integers<u32, i32>(f, at, mask, [&](int i) { return x[i]; });
}

void reduce(worker& m, const micro_op& u, const u64* address, const places& at, u32 mask, when made) {
  const auto& f = u.as<sass::memory_access>();
  if (made == when::apart) return update_alone(m, f, places_apart(m, f, address, mask), mask);
  if (made == when::now && !f.is_float && f.bytes <= 8) return update_alone(m, f, at, mask);
  if (made == when::now_too) {
    const u32 *x = data_row(m, f.data), *x_high = data_row(m, f.data, 1);
    each_lane(mask, [&](int i) {
      if (f.bytes == 8)
        update_as_others_do<u64, i64>(at[i], f, join(x[i], x_high[i]));
      else
        update_as_others_do<u32, i32>(at[i], f, x[i]);
    });
    return;
  }
  const unsigned words = std::max(1u, f.bytes / 4u);
  each_lane(mask, [&](int i) {
    reduction r{at[i], &f, {}};
    for (unsigned k = 0; k < words; ++k) r.operand[k] = data_row(m, f.data, k)[i];
    if (made == when::now)
      make_reduction(r);
    else
      m.reductions->keep(r, make_reduction);
  });
}

step atomg(worker& m, const micro_op& u, u32 mask) {
  if (mask == 0 && m.global == nullptr) return step::next;
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  if (m.global != nullptr)
    tell_global(m, u, f.reduces ? global_kind::reduction : global_kind::atomic, address, mask, row_shape::other);
  if (mask == 0 || u.only_told) return step::next;
  places at;
  if (m.reductions != nullptr) {
    when made = when::now;
    if (find_reduced(m, u, address, mask, at, made) != step::next) return step::fault;
    reduce(m, u, address, at, mask, made);
    return step::next;
  }
  if (find_global(m, u, access_direction::update, address, f.bytes, mask, at) != step::next) return step::fault;
  if (is_wide(f) ? wide_atomics(m, u, at, mask) : atomics(m, u, at, mask))
    ++m.effects;
  else if (mask != 0)
    m.looks.note(address[std::countr_zero(mask)]);
  return step::next;
}
// Reports the access to these lanes' words, which are in the block's own shared memory. Returns false if no word is
// inside of this memory.
bool tell_refused(worker& m, const micro_op& u, const u64* address, u32 own) {
  const auto& f = u.as<sass::memory_access>();
  const u32 base = m.block->rank << rank_shift, limit = end_of_loads(m, f.bytes);
  u32 inside = 0;
  each_lane(own, [&](int i) {
    const u32 a = m.event.what.address[i] = static_cast<u32>(address[i]) - base;
    if (a % f.bytes == 0 && a <= limit && limit - a >= f.bytes) inside |= lane_bit[i];
  });
  m.event.refused = true;
  if (inside != 0) make_event(m, u, sass::atomic_operation(f), inside, m.p->mask, true);
  m.event.refused = false;
  return inside != 0;
}

// If the instruction has a result predicate, it does not change the block's own shared memory. The predicate is false
// for these lanes, and the kernel's next instructions handle them.
step atom_generic(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::memory_access>();
  u64 address[32];
  global_addresses(m, u, f.address, address);
  bool is_told = false;
  if (u.p0 != 7) {
    u32 own = lanes_in_window(address, mask, shared_window);
    each_lane(own, [&](int i) { own &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
    const u32 elsewhere = own | lanes_in_window(address, mask, local_window);
    m.set_predicate(u.p0, ~elsewhere, mask);
    mask &= ~elsewhere;
    is_told = tell_refused(m, u, address, own);
  }
  // In the shared memory of a cluster, sums of floats keep denormals. In global memory, denormal sums become zeros.
  if (const u32 in_cluster = lanes_in_window(address, mask, shared_window);
      in_cluster != 0 && f.is_float && f.float_type == sass::atomic_float::f32_ftz) {
    micro_op exact = u;
    std::get<sass::memory_access>(exact.fields).float_type = sass::atomic_float::f32;
    exact.p0 = 7;
    // the lanes in global memory are reported later
    listener* const global = std::exchange(m.global, nullptr);
    const step s = atom_generic(m, exact, in_cluster);
    m.global = global;
    if (s != step::next) return s;
    mask &= ~in_cluster;
    is_told = true;
  }
  if (is_wide(f) && lanes_in_window(address, mask, shared_window) != 0)
    return m.fail("bankwise cannot execute atomics on vectors or 128-bit values in shared memory yet", -1,
                  missing_hint);
  places at;
  if (find_generic(m, u, access_direction::update, address, mask, sass::atomic_operation(f), at, is_told) != step::next)
    return step::fault;
  if (is_wide(f) ? wide_atomics(m, u, at, mask) : atomics(m, u, at, mask))
    ++m.effects;
  else if (mask != 0)
    m.looks.note(address[std::countr_zero(mask)]);
  return step::next;
}

// Tests in which space a generic address is.
step qspc(worker& m, const micro_op& u, u32 mask) {
  const auto& f = u.as<sass::space_query>();
  if (u.d != trash_row) return m.fail("bankwise cannot execute QSPC with a result register yet", -1, missing_hint);
  u64 address[32];
  global_addresses(m, u, f.address, address);
  const u32 shared = lanes_in_window(address, mask, shared_window),
            local_lanes = lanes_in_window(address, mask, local_window);
  u32 own = shared;
  each_lane(shared, [&](int i) { own &= is_own(m, static_cast<u32>(address[i])) ? ~0u : ~lane_bit[i]; });
  const auto lanes = [&] {
    switch (f.space) {
      case sass::queried_space::global: return ~(shared | local_lanes);
      case sass::queried_space::local: return local_lanes;
      case sass::queried_space::shared: return own;
      case sass::queried_space::shared_of_cluster: return shared;
    }
    return 0u;
  };
  m.set_predicate(u.p0, lanes(), mask);
  return step::next;
}

}  // namespace

void add_atomics(handler_table& t) {
  const auto set = [&](sass::opcode op, handler h) { t[static_cast<std::size_t>(op)] = h; };
  using op = sass::opcode;
  set(op::ATOMS, atoms);
  set(op::ATOMS_U, atoms);
  set(op::ATOMS_CAS, atoms);
  set(op::ATOMS_CAST, atoms);
  set(op::ATOMS_POPC, atoms_popc);
  for (const op o : {op::ATOMG, op::ATOMG_R, op::ATOMG_CAS, op::ATOMG_F, op::REDG, op::REDG_F}) set(o, atomg);
  for (const op o : {op::ATOM, op::ATOM_R, op::ATOM_CAS, op::ATOM_F}) set(o, atom_generic);
  set(op::QSPC, qspc);
  set(op::QSPC_R, qspc);
}

}  // namespace bankwise::emulate::BANKWISE_ISA
