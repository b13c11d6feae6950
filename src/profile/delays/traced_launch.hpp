// A launch whose time was predicted, for the searches for delays: its code, how often the traced blocks executed each
// instruction, and replays with changes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "cubin/program.hpp"
#include "model/time/delay.hpp"
#include "model/time/predicted_time.hpp"
#include "profile/delays/replays.hpp"
#include "profile/delays/wide_loads.hpp"
#include "sass/fields/fields.hpp"
#include "sass/instruction.hpp"
#include "sass/operand/operands.hpp"
#include "timing/gpu_parameters.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise {

using change_list = std::vector<timing::changed_instruction>;
inline constexpr std::uint32_t warp_lanes = 32;

class traced_launch {
 public:
  // All arguments must exist as long as this object. `time` is the prediction without changes.
  traced_launch(const timing::launch_trace& t, const predicted_time& time, const timing::gpu_parameters& gpu,
                const cubin::program& p, const cubin::kernel& k, replays& again);

  const timing::launch_trace& trace;
  const predicted_time& time;
  const timing::gpu_parameters& gpu;
  replays& again;

  // How often the traced blocks executed an instruction, and with how many lanes in all.
  struct executions {
    std::uint64_t times = 0, lanes = 0;
  };
  std::vector<sass::instruction> code;  // of each index of trace.code
  std::vector<executions> executed;     // of each index of trace.code
  std::uint64_t warps = 0;              // traced warps
  std::uint64_t instructions = 0;       // executed by these warps
  std::vector<wide_load> wide_loads;    // of each index of trace.code; empty if no addresses are known
  std::vector<delay> found;

  sass::opcode opcode_at(std::uint32_t i) const;
  const sass::opcode_traits& traits_at(std::uint32_t i) const { return sass::traits_of(opcode_at(i)); }
  bool is_executed(std::uint32_t i) const { return executed[i].times != 0; }
  // Whether an instruction reads or updates memory, apart from constants.
  bool reads_memory(std::uint32_t i) const;
  // Whether an instruction loads from global memory what other threads may store at the same time, as in a loop that
  // waits for another block.
  bool is_strong_load(std::uint32_t i) const;
  // Whether an instruction loads from this memory what no thread stores at the same time.
  bool is_plain_load(std::uint32_t i, sass::space of) const;
  // Whether an instruction is a barrier of the block.
  bool is_barrier(std::uint32_t i) const;
  const sass::reads_and_writes& registers_of(std::uint32_t i) const { return registers_[i]; }
  // Whether one of the executed instructions from `begin` to the one before `end` reads a value from memory of which these
  // registers are computed. If none does, the registers become those of which they are computed, at `begin`.
  bool come_from_memory(sass::register_set& registers, std::uint32_t begin, std::uint32_t end) const;
  // Returns the place of an instruction. An instruction of a function without lines has the line of its call.
  instruction_place place_of(std::uint32_t i) const;
  // Whether an instruction belongs to a function without lines, which has the line of its call.
  bool is_in_called(std::uint32_t i) const { return callers_[i] != i; }
  // Returns the innermost loop around an instruction: the indices of its first and last instruction. Returns an empty
  // range (first > last) if there is none.
  std::pair<std::uint32_t, std::uint32_t> loop_around(std::uint32_t i) const;
  // The first instruction of the section of an instruction.
  std::uint32_t section_begin(std::uint32_t i) const;

  // The executed instructions for which `is_wanted` is true, in a list for each source line with such instructions.
  // Those without a line are one list.
  template <class Wanted>
  std::vector<std::vector<std::uint32_t>> by_line(Wanted is_wanted) const {
    std::vector<std::vector<std::uint32_t>> all;
    for (const std::vector<std::uint32_t>& line : lines_) {
      std::vector<std::uint32_t> wanted;
      std::copy_if(line.begin(), line.end(), std::back_inserter(wanted), is_wanted);
      if (!wanted.empty()) all.push_back(std::move(wanted));
    }
    return all;
  }

  // Whether a delay can save enough time that makes the launch wait only for these resources, separated by blanks. The
  // prediction without each resource shows how much it costs at most, so hopeless replays are not made.
  bool may_save(std::string_view resources) const;
  bool is_enough(std::uint64_t saved) const;
  // Adds a delay if it saves enough time.
  void add(delay d, std::uint64_t saved);
  // Adds a delay whose saving is a replay with the changes. `at` is the index of its instruction.
  void try_changes(delay_kind k, std::uint32_t at, const change_list& changes);
  delay delay_at(delay_kind k, std::uint32_t at) const;

 private:
  void count_executions();
  void find_callers();
  bool has_own_lines(std::uint32_t begin, std::uint32_t end) const;
  void find_loops();

  const cubin::program& program_;
  const cubin::kernel& kernel_;
  std::vector<sass::reads_and_writes> registers_;  // of executed instructions
  // For each instruction: the call by which the kernel's own code reaches it, or the instruction itself. Functions that
  // the compiler adds, such as pow and the division of doubles, have no lines of their own.
  std::vector<std::uint32_t> callers_;
  std::vector<std::vector<std::uint32_t>> lines_;               // executed instructions, by source line
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loops_;  // the first and last instruction of each
};

inline timing::changed_instruction left_out(std::uint32_t code, double executed = 0, double shift = 0) {
  return {code, {.executed = static_cast<float>(executed), .shift = static_cast<float>(shift)}};
}

// Calls visit(warp, run, access) for each access of a block to a kind of memory.
template <class Visit>
void each_access(const timing::launch_trace& t, const timing::traced_block& b, timing::memory_space of, Visit visit) {
  for (std::uint32_t w = 0; w < b.warps.size(); ++w)
    for (const timing::traced_run& one : b.warps[w].runs)
      for (std::uint32_t n = 0; n < one.accesses; ++n)
        if (const timing::traced_access& a = t.accesses[one.first_access + n]; a.space == of) visit(w, one, a);
}
template <class Visit>
void each_global_access(const timing::launch_trace& t, const timing::traced_block& b, Visit visit) {
  each_access(t, b, timing::memory_space::global, visit);
}

// Calls visit(sector) for each sector of an access. A sector is the number of its line times 4, plus its place there.
template <class Visit>
void each_sector(const timing::launch_trace& t, const timing::traced_access& a, Visit visit) {
  for (std::uint32_t i = 0; i < a.lines; ++i)
    for (unsigned s = 0; s < 4; ++s)
      if (const timing::line_sectors what = t.lines[a.first_line + i]; (what >> s & 1) != 0)
        visit(timing::line_number(what) << 2 | s);
}

// Whether the lanes of a warp load neighbouring values, as far as most of the sectors are concerned.
bool loads_neighbours(const timing::launch_trace& t);

// The searches, each for the delays of one family.
void find_grid_delays(traced_launch& l);        // few, uneven and small blocks, low occupancy
void find_load_delays(traced_launch& l);        // late, chained and narrow loads
void find_arithmetic_delays(traced_launch& l);  // doubles, divisions, precise functions
void find_lane_delays(traced_launch& l);        // paths of few lanes
void find_warp_delays(traced_launch& l);        // needless barriers, repeated updates
void find_barrier_delays(traced_launch& l);     // uneven warps
void find_code_delays(traced_launch& l);        // long code
void find_host_delays(traced_launch& l);        // memory of the host
void find_local_delays(traced_launch& l);       // spilled registers, arrays in local memory
void find_product_delays(traced_launch& l);     // products without tensor cores, products and sums in two steps
void find_reuse_delays(traced_launch& l);       // values that each thread loads for one result
void find_cache_delays(traced_launch& l);       // data that L2 does not keep
void find_sum_delays(traced_launch& l);         // sums of floats in which each addition waits for the one before
void find_pipeline_delays(traced_launch& l);    // few stages of a ring of buffers, products that are waited for early

}  // namespace bankwise
