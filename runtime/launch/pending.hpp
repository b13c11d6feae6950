// Launches, copies, fills and library calls whose results are not needed yet. The counts of a launch are known when its
// call returns (emulate/counting/counting.hpp). The results in memory are computed when another operation reads them.
//
//     init<<<>>>(a)          a is pending
//     step<<<>>>(b, a)       b is pending
//     step<<<>>>(c, a)       c is pending
//     cudaMemcpy(host, b)    init and the first step run; the second step never runs
//
// Dependences are between allocations. A kernel uses the allocations that its parameters point into, if its code shows
// this (sass/flow/pointers.hpp). Otherwise it may use all allocations. Results in memory that the host can read without
// a call are never deferred.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "runtime/launch/launch.hpp"
#include "runtime/library_call.hpp"
#include "runtime/memory/copy.hpp"

namespace bankwise::cuda {

struct state;

// The allocations that an operation uses, by their first addresses.
struct touched_memory {
  std::set<std::uint64_t> reads, writes;
  bool anything = false;      // whether the operation may use any allocation
  bool seen_by_host = false;  // whether the host can read a used allocation without a call
};

// How many pending operations use each allocation. A program may launch thousands of kernels without waiting, so a
// search of all operations would be slow.
struct pending_touches {
  std::map<std::uint64_t, std::size_t> reads, writes;
  std::size_t anything = 0;  // number of operations that may use all allocations

  void add(const touched_memory& t);
  void remove(const touched_memory& t);
};

struct pending_operation {
  std::variant<call, copy, fill, library_call> what;
  touched_memory touches;
  std::vector<std::byte> bytes;  // the host's bytes at the call of a copy
  bool small = false;            // whether the operation and all pending inputs are small
};

touched_memory touched_by(state& s, const call& c);

// Computes the pending operations that must run before an access to these bytes of the device: all that write them and,
// if `writes` is set, all that read them.
void settle(state& s, std::uint64_t address, std::uint64_t bytes, bool writes);
void settle(state& s, const touched_memory& wanted);
void settle_all(state& s);
// Computes small operations when the program waits, even if their results are not read. A fault is then reported at
// this wait.
void settle_small(state& s);
// Called when the program frees an allocation. Results that nothing can read are never computed. If a pending operation
// uses the allocation, the memory exists until the operation ends.
void release_when_settled(state& s, std::uint64_t address);
// Computes pending operations, then releases allocations that were kept only for these operations.
void release_kept(state& s);

// Makes a counted launch pending until its results are needed. `instructions` are the warp instructions of the launch.
void put_off(state& s, const call& c, touched_memory touches, std::uint64_t instructions);
// Makes a copy pending if it must run after a pending operation. Returns true if the copy is pending.
bool put_off(state& s, const copy& c);
bool put_off(state& s, const fill& f);
// Makes a library call pending, or computes the inputs of a call whose results the host reads at once. With --counts,
// the host gets zeros. Returns true if the call is pending or has ended.
bool put_off(state& s, const library_call& c);

}  // namespace bankwise::cuda
