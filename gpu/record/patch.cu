// The functions that a patched kernel calls before each access to shared memory. The Compute Sanitizer API defines
// their signatures. A launch that is not recorded has no table. launch_table.hpp describes the counts.
//
// A call takes four times as long as the work in it, mainly because registers are spilled to local memory. This memory
// does not fit into the cache of a multiprocessor. So the common path is short, and the rare path is a separate
// function.
#include "launch_table.hpp"
#include "warp_cost.cuh"

namespace bankwise::record {
namespace {

enum class callback { access, matrix, copy };
constexpr u32 quick_probes = 6;

__device__ __forceinline__ u32 lane_id() {
  u32 lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
__device__ __forceinline__ bool is_first(u32 mask) {
  u32 lower;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(lower));
  return (mask & lower) == 0;
}
__device__ __forceinline__ u32 multiprocessor() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ u32 dynamic_shared_bytes() {
  u32 bytes;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}
__device__ __forceinline__ void add(u64* to, u64 n) {
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(to), "l"(n) : "memory");
}

// Whether the addresses of all lanes differ from the pattern's addresses by the same multiple of the unit. The access
// then has the same cost as the pattern.
__device__ __forceinline__ bool is_shifted(u32 mask, u32 distance, u32 unit_bits) {
  int same = 0;
  __match_all_sync(mask, distance, &same);
  return same != 0 && (distance & unit_bits) == 0;
}

__device__ __forceinline__ u32 first_place(u32 pc, u32 mask) {
  const u32 h = pc * 0x9e3779b1u ^ mask;
  return h ^ h >> 17;
}

enum class memory { cached, fresh };  // where a read goes: to the multiprocessor's cache, or to the device's memory

template <memory Which>
__device__ __forceinline__ u32 read(const u32* from) {
  if constexpr (Which == memory::cached) return __ldca(from);
  u32 value;  // the asm is volatile, so that each call reads from memory
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

template <callback From, memory Which>
__device__ __forceinline__ bool is_like(const launch_table* t, u32 place, u32 mask, u32 address, u32 source) {
  constexpr u32 unit_bits = From == callback::copy ? line_bits : 3;
  if (!is_shifted(mask, address - read<Which>(&t->patterns[place].address[lane_id()]), unit_bits)) return false;
  if constexpr (From == callback::copy)
    return is_shifted(mask, source - read<Which>(&t->sources[place][lane_id()]), line_bits);
  return true;
}

__device__ __forceinline__ void count(launch_table* t, u32 last, u32 place) {
  add(&t->counts[(multiprocessor() % shards) * (last + 1) + place], 1);
}

template <callback From>
__device__ __forceinline__ void keep_stray(launch_table* t, u32 pc, u32 mask, u32 address, u32 source) {
  u32 place = 0;
  if (is_first(mask)) place = atomicAdd(&t->head.strays, 1u);
  place = __shfl_sync(mask, place, __ffs(static_cast<int>(mask)) - 1);
  if (place >= most_strays) return;
  stray* const s = &t->strays[place];
  s->address[lane_id()] = address;
  if constexpr (From == callback::copy) s->source[lane_id()] = source;
  s->pc = pc;
  s->mask = mask;
}

// Returns the entry of an instruction, or null if there is no free entry.
__device__ __forceinline__ other* find_other(launch_table* t, u32 pc) {
  u32 at = pc * 0x9e3779b1u >> 16;
#pragma unroll 1
  for (u32 i = 0; i < most_others; ++i, ++at) {
    other* const o = &t->others[at % most_others];
    const u32 was = atomicCAS(&o->pc, 0u, pc);
    if (was == 0) atomicAdd(&t->head.others, 1u);
    if (was == 0 || was == pc) return o;
  }
  return nullptr;
}

// Adds the cost of an access to the sums of its instruction. If the host did not list the instruction, instead stores
// the access.
template <callback From>
__device__ __forceinline__ void judge(launch_table* t, u32 pc, u32 mask, u32 address, u32 source) {
  const u32 index = (pc - t->head.code_begin) / 16;
  operation op{};
  if (index < t->head.instructions) op = t->head.operations[index];
  if (op.width_bytes == 0) return keep_stray<From>(t, pc, mask, address, source);
  other* o = nullptr;
  if (is_first(mask)) {
    o = find_other(t, pc);
    add(o != nullptr ? &o->executed : &t->head.lost, 1);
  }
  const u32 badness = judge_warp(op, mask, lane_id(), address, [o](figure f, u32 n) {
    if (o != nullptr) add(&o->sum[static_cast<u32>(f)], n);
  });
  u32 place = most_examples;
  if (o != nullptr && atomicMax(&o->worst, badness) < badness) place = atomicAdd(&t->head.examples, 1u);
  place = __shfl_sync(mask, place, __ffs(static_cast<int>(mask)) - 1);
  if (place >= most_examples) return;
  example* const e = &t->examples[place];
  e->address[lane_id()] = address;
  e->pc = pc;
  e->mask = mask;
}

// Called if the multiprocessor's cache does not contain the pattern. There are three reasons: the pattern is new,
// another multiprocessor has added it, or no entry is free.
template <callback From>
__device__ __noinline__ void record_slowly(launch_table* t, u32 pc, u32 address, u32 source) {
  const u32 mask = __activemask(), last = t->head.last_pattern;
  u32 at = first_place(pc, mask);
#pragma unroll 1
  for (u32 probe = most_probes; probe != 0; --probe, ++at) {
    pattern* const p = &t->patterns[at & last];
    u32 was = 0;
    if (is_first(mask)) was = atomicCAS(&p->pc, free_pc, pc);
    was = __shfl_sync(mask, was, __ffs(static_cast<int>(mask)) - 1);
    if (was == free_pc) {
      p->address[lane_id()] = address;
      if constexpr (From == callback::copy) t->sources[at & last][lane_id()] = source;
      __threadfence();
      __syncwarp(mask);
      if (is_first(mask)) {
        p->mask = mask;
        t->head.dynamic_shared_bytes = dynamic_shared_bytes();
        count(t, last, at & last);
      }
      return;
    }
    if (was != pc) continue;
    // Another warp may still be writing this pattern.
    u32 ready = not_ready;
    for (u32 wait = 0; wait < most_waits && ready == not_ready; ++wait) ready = read<memory::fresh>(&p->mask);
    ready = __shfl_sync(mask, ready, __ffs(static_cast<int>(mask)) - 1);
    if (ready != mask || !is_like<From, memory::fresh>(t, at & last, mask, address, source)) continue;
    // The cache has an old entry. After the fence, reads get the new entry.
    if (most_probes - probe < quick_probes) __threadfence();
    if (is_first(mask)) count(t, last, at & last);
    return;
  }
  judge<From>(t, pc, mask, address, source);
}

template <callback From>
__device__ __forceinline__ void record(void* table, u32 pc, u32 address, u32 source) {
  if (table == nullptr) return;
  launch_table* const t = static_cast<launch_table*>(table);
  __builtin_assume(__isGlobal(t));
  const uint2 settings = __ldca(reinterpret_cast<const uint2*>(&t->head));  // skip_blocks, last_pattern
  if (settings.x != 0 && ((blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) & settings.x) != 0) return;
  const u32 mask = __activemask();
  u32 at = first_place(pc, mask);
#pragma unroll  // unrolled, because a loop counter would take another register
  for (u32 probe = 0; probe < quick_probes; ++probe, ++at) {
    const uint2 head = __ldca(reinterpret_cast<const uint2*>(&t->patterns[at & settings.y]));  // pc, mask
    if (head.x == free_pc || (head.x == pc && head.y == not_ready)) break;
    if (head.x != pc || head.y != mask || !is_like<From, memory::cached>(t, at & settings.y, mask, address, source))
      continue;
    if (is_first(mask)) count(t, settings.y, at & settings.y);
    return;
  }
  record_slowly<From>(t, pc, address, source);
}

}  // namespace
}  // namespace bankwise::record

using namespace bankwise::record;
using bankwise::u32;
using bankwise::u64;

#define BANKWISE_PATCH extern "C" __device__ __noinline__ u32
BANKWISE_PATCH bankwise_access(void* table, u64 pc, void* address, u32, u32, const void*) {
  record<callback::access>(table, static_cast<u32>(pc), static_cast<u32>(reinterpret_cast<u64>(address)), 0);
  return 0;
}
BANKWISE_PATCH bankwise_matrix(void* table, u64 pc, u32 address, u32, u32, u32, const void*) {
  record<callback::matrix>(table, static_cast<u32>(pc), address, 0);
  return 0;
}
BANKWISE_PATCH bankwise_copy(void* table, u64 pc, void* source, u32 address, u32) {
  record<callback::copy>(table, static_cast<u32>(pc), address, static_cast<u32>(reinterpret_cast<u64>(source)));
  return 0;
}
