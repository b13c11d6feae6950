// Checked addresses of a memory instruction's lanes, and the message of the fault if one is out of bounds: past shared
// memory, misaligned, not in an allocation. A place is in the shared memory of the block, in global memory, on the
// thread's own stack, or at a generic address. Accesses to shared memory are reported to listeners here.
#pragma once

#include <string>

#include "bankwise/access.hpp"
#include "emulate/execute/lanes.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// The addresses of an instruction's lanes: anywhere, or in one piece of memory.
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

// "reads 4 bytes"
std::string bytes_at(access_direction does, unsigned bytes);

// --- shared

// Writes the addresses of the lanes in their block to the event. u.b is a uniform register or zero.
u32* shared_addresses(worker& m, const micro_op& u, const sass::address& to);
// Completes the event whose addresses are in m.event. `lanes`: those of the path. `mask`: those of them that access
// memory.
void make_event(worker& m, const micro_op& u, operation op, u32 mask, u32 lanes, bool generic = false);
// Where loads and atomics of this width must end: as on a GPU, a block's memory continues after the last variable. A
// compiler may merge small loads into a wide one, and an atomic of a half updates the word that contains it.
inline u32 end_of_loads(const worker& m, unsigned bytes) { return (m.s->shared_bytes + bytes - 1) & ~(bytes - 1); }
// Checks the addresses of the active lanes and turns them into places. `limit`: where the memory ends.
step find_shared(worker& m, access_direction does, const u32* address, unsigned bytes, u32 mask, shared_places& at,
                 u32 limit);

// --- global, local and generic

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
// Reports an access to global memory to the listeners. `lanes`: those of the path. `mask`: those of them that access
// memory.
void tell_global(worker& m, const micro_op& u, global_access_event e, u32 mask, u32 lanes);
// For an instruction whose fields are a memory_access.
void tell_global(worker& m, const micro_op& u, global_kind kind, const u64* address, u32 mask, row_shape shape);
void global_addresses(worker& m, const micro_op& u, const sass::address& to, u64* address);

step find_global(worker& m, const micro_op& u, access_direction does, const u64* address, unsigned bytes, u32 mask,
                 places& at);
// The allocation that contains this byte, or null. If earlier blocks may still change it, it waits for them.
inline const region* region_of(worker& m, u64 address) {
  const region* r = m.last_region;
  if (r != nullptr && address - r->address < r->bytes) return r;
  r = m.s->memory->find(address);
  if (m.reductions != nullptr && r != nullptr && m.reductions->find(r) != nullptr) m.reductions->wait_until_first();
  return r;
}
step find_local(worker& m, access_direction does, u32 address, unsigned bytes, int lane, std::byte*& at);
// The lanes whose generic address is in shared memory (shared_window) or on the stack (local_window).
u32 lanes_in_window(const u64* address, u32 mask, u64 window);
// Generic addresses: each lane in its own space. Each execution makes an event of `op`, with the lanes in shared memory
// of their block. If there are none, but some in the shared memory of another block, the event has these. `is_told`:
// other lanes of this execution have already made the event.
step find_generic(worker& m, const micro_op& u, access_direction does, const u64* address, u32 mask, operation op,
                  places& at, bool is_told = false);

// --- data

// Word k of a vector of registers that is read.
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
