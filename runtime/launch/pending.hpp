// Launches, copies, fills and calls of libraries whose results nobody has wanted yet. What is counted of a launch is
// known at the call (emulate/counting/counting.hpp); what it leaves in memory is computed when something reads it.
//
//     init<<<>>>(a)          a is pending
//     step<<<>>>(b, a)       b is pending
//     step<<<>>>(c, a)       c is pending
//     cudaMemcpy(host, b)    init and the first step run; the other never does
//
// By allocation: what a kernel touches are those that its parameters point into, as far as its code tells
// (sass/flow/pointers.hpp); else it is all of them. Memory that the host sees without a call is never left for later.
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

// First addresses of allocations.
struct touched_memory {
  std::set<std::uint64_t> reads, writes;
  bool anything = false;      // it may touch all there is
  bool seen_by_host = false;  // some of that the host sees without a call
};

// How many pending operations touch each allocation: a program may launch thousands that nothing has waited for.
struct pending_touches {
  std::map<std::uint64_t, std::size_t> reads, writes;
  std::size_t anything = 0;  // operations that may touch all there is

  void add(const touched_memory& t);
  void remove(const touched_memory& t);
};

struct pending_operation {
  std::variant<call, copy, fill, library_call> what;
  touched_memory touches;
  std::vector<std::byte> bytes;  // of the host, that a copy had at the call
  bool small = false;            // with all that it needs of what is pending: computed when the program waits
};

touched_memory touched_by(state& s, const call& c);

// Computes pending launches whose results would be read at these bytes of the device, or that must run before a write
// to them.
void settle(state& s, std::uint64_t address, std::uint64_t bytes, bool writes);
void settle(state& s, const touched_memory& wanted);
void settle_all(state& s);
// What is small, so that a fault in it is found where a program waits for it, though nobody reads what it leaves.
void settle_small(state& s);
// The program gives up an allocation. What nobody can see any more is never computed; what is pending and touches it
// keeps it until then.
void release_when_settled(state& s, std::uint64_t address);
// Gives back what is kept in that way, after settling.
void release_kept(state& s);

// Keeps a launch that was counted for when its results are wanted. `instructions`: of its warps.
void put_off(state& s, const call& c, touched_memory touches, std::uint64_t instructions);
// Keeps a copy or fill, if it would have to wait for something pending. True: it did.
bool put_off(state& s, const copy& c);
bool put_off(state& s, const fill& f);
// A call of a library; of one whose results the host reads at once, everything that it needs is computed, or the
// results are zeros where nobody computes for the host.
bool put_off(state& s, const library_call& c);

}  // namespace bankwise::cuda
