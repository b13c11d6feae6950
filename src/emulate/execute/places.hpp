// Checks the addresses of a memory instruction's lanes, and finds the host's memory at these addresses. An address is
// in the block's shared memory, in global memory, on the thread's own stack, or generic. Also reports faults, and
// reports accesses to listeners.
#pragma once

#include <string>

#include "bankwise/access.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// For each lane, the host's pointer to the accessed memory. `shared_places` stores one base for all lanes.
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

// Returns a text for messages, for example "reads 4 bytes".
std::string bytes_at(access_direction does, unsigned bytes);

// --- Shared memory

// Returns each lane's offset in its block's shared memory, and writes these offsets to the event. u.b is a uniform
// register or zero.
u32* shared_addresses(worker& m, const micro_op& u, const sass::address& to);
// Completes the event whose addresses are in m.event. `lanes`: all lanes of the path. `mask`: the lanes that access
// memory.
void make_event(worker& m, const micro_op& u, operation op, u32 mask, u32 lanes, bool generic = false);
// The end of shared memory for loads and atomics of `bytes` bytes. The end is rounded up, because compilers merge small
// loads into a wide load, and because an atomic on a half updates a whole word.
inline u32 end_of_loads(const worker& m, unsigned bytes) { return (m.s->shared_bytes + bytes - 1) & ~(bytes - 1); }
// Checks the addresses of the active lanes, and finds their memory. `limit`: the end of shared memory. Notes accesses
// after this end that a GPU permits.
step find_shared(worker& m, const micro_op& u, access_direction does, const u32* address, unsigned bytes, u32 mask,
                 shared_places& at, u32 limit);

// --- Global, local and generic memory

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
// Reports an access to global memory to the listeners. `lanes`: all lanes of the path. `mask`: the lanes that access
// memory.
void tell_global(worker& m, const micro_op& u, global_access_event e, u32 mask, u32 lanes);
// Reports the access of an instruction whose fields are a memory_access.
void tell_global(worker& m, const micro_op& u, global_kind kind, const u64* address, u32 mask, row_shape shape);
void global_addresses(worker& m, const micro_op& u, const sass::address& to, u64* address);

// Unless `does` is a read, the lanes then change the memory.
step find_global(worker& m, const micro_op& u, access_direction does, const u64* address, unsigned bytes, u32 mask,
                 places& at);
// Returns the allocation that contains the byte, or null. If reductions of earlier blocks may still change the
// allocation, waits for these blocks.
inline const region* region_of(worker& m, u64 address) {
  const region* r = m.last_region;
  if (r != nullptr && address - r->address < r->bytes) return r;
  r = m.s->memory->find(address);
  if (m.reductions != nullptr && r != nullptr && m.reductions->find(r) != nullptr) m.reductions->wait_until_first();
  return r;
}
step find_local(worker& m, access_direction does, u32 address, unsigned bytes, int lane, std::byte*& at);
// The lanes whose generic address is in `window`: shared memory (shared_window) or the stack (local_window).
u32 lanes_in_window(const u64* address, u32 mask, u64 window);
// Finds the memory of generic addresses. Each lane may be in another space. Reports one event with the lanes that
// access their own block's shared memory. If there are no such lanes, the event contains the lanes that access another
// block's shared memory. `is_told`: whether an event was already reported for other lanes of this execution.
step find_generic(worker& m, const micro_op& u, access_direction does, const u64* address, u32 mask, operation op,
                  places& at, bool is_told = false);

// --- Data registers

// Returns the row of register first + k.
inline const u32* data_row(worker& m, unsigned first, unsigned k = 0) {
  return m.w->reg(register_source(first, k).index);
}
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

}  // namespace bankwise::emulate::BANKWISE_ISA
