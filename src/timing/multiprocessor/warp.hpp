// A warp that a multiprocessor executes, and its block, as plain values. The units of the multiprocessor change them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/instruction_cost.hpp"
#include "timing/multiprocessor/code_change.hpp"
#include "timing/multiprocessor/instruction_fetch.hpp"
#include "timing/multiprocessor/scoreboards.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resident_block;
struct quarter;

// An mbarrier in shared memory: for each arrival or copy that it has seen, the time at which all of them until this one
// had arrived.
struct mbarrier {
  std::vector<double> arrived;
  std::vector<bool> by_copy;  // whether the last one of them was a copy

  void arrive(double at, bool is_copy = false) {
    const bool is_last = arrived.empty() || at >= arrived.back();
    by_copy.push_back(is_last ? is_copy : by_copy.back());
    arrived.push_back(is_last ? at : arrived.back());
  }
};

struct clock_span {
  double from = 0, until = 0;
};

struct running_warp {
  const traced_warp* trace = nullptr;
  resident_block* block = nullptr;
  quarter* home = nullptr;                 // the quarter that issues the warp's instructions
  const instruction_cost* cost = nullptr;  // the cost of the next instruction
  std::size_t run = 0;
  std::uint32_t in_run = 0;
  std::uint32_t access = 0;  // index of the warp's next access in the run
  std::uint64_t age = 0;
  std::uint64_t executed = 0, loads = 0;  // instructions that the warp has executed, and loads among these instructions
  double earliest = 0;                    // time at which the next instruction could issue if the warp were alone
  bool waits = false;                     // whether the warp waits at a block barrier
  std::uint8_t waits_at = 0;              // the number of this barrier
  bool has_ended = false;
  // time at which the warp's last barrier opened; 0 after the warp has waited for this barrier
  double opened = 0;
  instruction_fetch::position fetched;
  double copies = 0;                 // time at which all the warp's copies to shared memory have arrived
  double bulk_read = 0;              // time at which all the warp's bulk copies have read shared memory
  double products_begin = 0;         // time from which the tensor cores can begin the next product of its warp group
  double product = 0;                // time at which the warp's last product of a warp group ends
  std::vector<double> groups;        // times at which its groups of products end, for groups that it has not waited for
  const mbarrier* tested = nullptr;  // the mbarrier for which the warp waits
  std::uint32_t awaited = 0;         // the number of arrivals and copies that this mbarrier must have seen
  // Only if stalls are counted (product_times.hpp): whether the warp has multiplied in the tensor cores, when its last
  // product was done, whether it has stored to global memory since, and when it waited for copies until its next product.
  bool multiplies = false, has_stored = false;
  double product_done = 0;
  std::vector<clock_span> copy_waits;
  scoreboards under_way;
  changes_of_warp changed;

  const traced_run& current() const { return trace->runs[run]; }
  std::uint32_t code() const { return current().code + in_run; }
  // Returns the access of the warp's next instruction, or null if the instruction makes no access.
  const traced_access* next_access(const launch_trace& t) const {
    const traced_run& r = current();
    if (access >= r.accesses) return nullptr;
    const traced_access& a = t.accesses[r.first_access + access];
    return a.code == code() ? &a : nullptr;
  }
};

struct resident_block {
  const traced_block* trace = nullptr;
  std::size_t number = 0;
  bool is_later = false;  // whether it began after another block of the multiprocessor had ended
  std::uint32_t copy = 0;
  double began = 0;
  double sent = 0;     // when its stores have left the multiprocessor, and its place becomes free
  unsigned alive = 0;  // number of warps that have not ended
  struct barrier {
    unsigned arrived = 0;
    unsigned first_warp = 0, group = 0;  // a barrier of `group` warps from this one; 0: of all warps of the block
    double last = 0;
    // The first and the latest arrival, and the sum of all. They are only counted with stalls.
    double first = 0, latest = 0, sum = 0;
    std::uint32_t code = 0, last_warp = 0;  // of the latest arrival
  };
  std::array<barrier, 16> barriers;
  std::unordered_map<std::uint32_t, mbarrier> mbarriers;  // by shared address
  std::vector<running_warp*> warps;

  // The number of warps that a barrier can still wait for.
  unsigned alive_at(const barrier& one) const {
    if (one.group == 0) return alive;
    unsigned n = 0;
    for (std::size_t w = one.first_warp; w < warps.size() && w < one.first_warp + one.group; ++w)
      n += warps[w]->has_ended ? 0 : 1;
    return n;
  }
};

}  // namespace bankwise::timing
