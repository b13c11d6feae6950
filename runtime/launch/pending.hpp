// Pending operations: launches, copies, fills and library calls whose results are not needed yet. The counts of a
// launch are known when its call returns (emulate/counting/counting.hpp). The results of the launch in memory are
// computed when another operation reads them.
//
//     init<<<>>>(a)          a is pending
//     step<<<>>>(b, a)       b is pending
//     step<<<>>>(c, a)       c is pending
//     cudaMemcpy(host, b)    init and the first step run; the second step never runs
//
// Two operations depend on each other if they use the same allocation. The code of a kernel may show which pointers it
// uses (sass/flow/pointers.hpp). The kernel then only depends on the allocations into which its parameters point.
// Otherwise, it may use all allocations. If the host can read the results of an operation without a call, the operation
// is not delayed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "runtime/device/copied_box.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/library_call.hpp"

namespace bankwise::cuda {

struct state;

// The allocations that an operation uses, by first address.
struct touched_memory {
  std::set<std::uint64_t> reads, writes;
  bool anything = false;      // whether the operation may use every allocation
  bool seen_by_host = false;  // whether the host can read one of the allocations without a call
};

// Number of pending operations that use each allocation. A program may launch thousands of kernels without waiting, so
// a search through all operations would be slow.
struct pending_touches {
  std::map<std::uint64_t, std::size_t> reads, writes;
  std::size_t anything = 0;  // number of pending operations that may use every allocation

  void add(const touched_memory& t);
  void remove(const touched_memory& t);
};

struct pending_operation {
  std::variant<call, copy, fill, library_call> what;
  touched_memory touches;
  std::vector<std::byte> bytes;  // bytes of the host at the time of the call, for a copy
  bool small = false;            // whether this operation and all pending operations that it needs are small
};

touched_memory touched_by(state& s, const call& c);

// Runs the pending operations that must come before an access to these bytes of the device. These are all operations
// that write the bytes. If `writes` is set, all operations that read the bytes are also included.
void settle(state& s, std::uint64_t address, std::uint64_t bytes, bool writes);
void settle(state& s, const touched_memory& wanted);
void settle_all(state& s);
// Runs the small pending operations when the program waits, even if nothing reads their results. The wait then reports
// the faults of these operations.
void settle_small(state& s);
// Call this when the program frees an allocation. Results that nothing can read any more are not computed. If a pending
// operation uses the allocation, the memory is released after this operation.
void release_when_settled(state& s, std::uint64_t address);
// Runs pending operations, then releases the allocations that were kept only for these operations.
void release_kept(state& s);

// Makes a launch pending. Its counts are already known. `instructions` is the number of its warp instructions.
void put_off(state& s, const call& c, touched_memory touches, std::uint64_t instructions);
// If a copy must run after a pending operation, makes the copy pending. Returns whether the copy is pending.
bool put_off(state& s, const copy& c);
bool put_off(state& s, const fill& f);
// Makes a library call pending. If the host reads the results of the call at once, first runs the pending operations
// that the call needs. With --counts, these operations do not run, and the host gets zeros. Returns true if the call is
// pending or has ended.
bool put_off(state& s, const library_call& c);

}  // namespace bankwise::cuda
