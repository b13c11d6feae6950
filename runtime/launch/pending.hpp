// Launches, copies, fills and library calls whose results are not needed yet. The counts of a launch are known at the
// call (emulate/counting/counting.hpp); its results in memory are computed when something reads them.
//
//     init<<<>>>(a)          a is pending
//     step<<<>>>(b, a)       b is pending
//     step<<<>>>(c, a)       c is pending
//     cudaMemcpy(host, b)    init and the first step run; the second step never runs
//
// Dependences are between allocations: a kernel uses those that its parameters point into, if its code shows this
// (sass/flow/pointers.hpp); otherwise all of them. Memory that the host sees without a call is never deferred.
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
  bool anything = false;      // it may use all allocations
  bool seen_by_host = false;  // the host can read some of these without a call
};

// How many pending operations use each allocation, because a program may launch thousands without waiting.
struct pending_touches {
  std::map<std::uint64_t, std::size_t> reads, writes;
  std::size_t anything = 0;  // operations that may use all allocations

  void add(const touched_memory& t);
  void remove(const touched_memory& t);
};

struct pending_operation {
  std::variant<call, copy, fill, library_call> what;
  touched_memory touches;
  std::vector<std::byte> bytes;  // the host's bytes that a copy found at the call
  bool small = false;            // small together with all its pending inputs: computed when the program waits
};

touched_memory touched_by(state& s, const call& c);

// Computes pending launches whose results would be read at these bytes of the device, or that must run before these
// bytes are written.
void settle(state& s, std::uint64_t address, std::uint64_t bytes, bool writes);
void settle(state& s, const touched_memory& wanted);
void settle_all(state& s);
// Computes small operations. So a fault in them is found where the program waits for them, even if their results are
// not read.
void settle_small(state& s);
// Called when the program frees an allocation. Results that can no longer be read are never computed. Pending
// operations that use the allocation keep it until they end.
void release_when_settled(state& s, std::uint64_t address);
// Releases allocations that were kept for pending operations, after settling these.
void release_kept(state& s);

// Keeps a counted launch until its results are needed. `instructions`: of its warps.
void put_off(state& s, const call& c, touched_memory touches, std::uint64_t instructions);
// Keeps a copy or fill if it would have to wait for a pending operation. True if it was kept.
bool put_off(state& s, const copy& c);
bool put_off(state& s, const fill& f);
// Runs or keeps a call of a library. If the host reads its results at once, all its inputs are computed; with --counts,
// the results are zeros.
bool put_off(state& s, const library_call& c);

}  // namespace bankwise::cuda
