// Predicts how long a launch takes on a GPU, and what bounds the time. The prediction uses the trace of a few blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/launch/needed_time.hpp"
#include "timing/launch/resource.hpp"
#include "timing/launch/resource_use.hpp"
#include "timing/multiprocessor/multiprocessor.hpp"
#include "timing/stall.hpp"
#include "timing/trace/fewer_sectors.hpp"
#include "timing/trace/launch_trace.hpp"

namespace bankwise::timing {

struct resource_share {
  resource what = resource::issue;
  double share = 0;  // part of the elapsed cycles that the launch would save without the cost of the resource
};

// Limit of instructions that are simulated to predict a launch with changed wavefronts.
constexpr std::uint64_t most_for_changes = 100'000;

// Data that L2 had, and that a launch reads from DRAM again.
struct read_again {
  double part = 0;         // of the bytes that the launch reads from DRAM
  std::uint32_t code = 0;  // the instruction that loads most of them: its index in launch_trace::code
};

// What the multiprocessors do in a launch that copies operands for its tensor cores, as parts of the time of all
// multiprocessors.
struct product_parts {
  double busy = 0;                   // the tensor cores execute products
  double waiting = 0, epilogue = 0;  // as in product_clocks
  bool knows_epilogue = false;       // whether the trace has the ends of blocks
};

struct launch_time {
  double cycles = 0;  // elapsed cycles
  double cycles_low = 0, cycles_high = 0;
  double microseconds = 0;
  // The most used resource, as on Nsight Compute's speed-of-light page. If no resource is busy for half of the time,
  // this is the resource with the largest share.
  resource bound = resource::launch;
  resource_use use;
  double touched_bytes = 0;  // of global memory, each counted once
  needed_time needed;
  read_again again;
  std::vector<resource_share> shares;  // the largest share is first
  std::uint64_t replayed = 0;          // instructions in all replays together
  // Clocks from the last trigger of a dependent launch to the end, and from the begin of a block to its wait for the
  // launch before. 0: there is none.
  double after_trigger = 0, until_wait = 0;
  double cycles_of_changes = 0;      // the elapsed cycles of a replay of at most most_for_changes instructions
  std::vector<stall_clocks> stalls;  // stalls of all warps of the launch, for each instruction of launch_trace::code
  std::vector<barrier_meetings> barriers;  // of the simulated multiprocessor
  std::optional<product_parts> products;   // empty if the launch does not multiply what it copies
  // Whether the prediction ended early, because the launch takes longer than the asked limit. If so, `cycles` is the
  // least time of the launch, and nothing else is set except `microseconds` and `replayed`.
  bool is_stopped = false;
};

// The results for the simulated multiprocessor. bench/predict_traces.cpp prints them to find the causes of errors.
struct simulated_launch {
  multiprocessor_run run;
  std::vector<multiprocessor_setup::block> blocks;  // the simulated blocks
  double steady_rate = 0;                           // instructions per clock while the multiprocessor was full
};
simulated_launch simulate(const launch_trace& t, const gpu_parameters& gpu);
// Predicts only the elapsed cycles.
double predict_cycles(const launch_trace& t, const gpu_parameters& gpu);
// Predicts the elapsed cycles if all multiprocessors got the same number of blocks, with the same work in all. Returns 0
// if the blocks are divided evenly, or if there are too few or too many of them to tell.
double predict_even_cycles(const launch_trace& t, const gpu_parameters& gpu);
// Predicts the elapsed cycles if the grid had `parts` times as many blocks, each with that part of the work.
double predict_divided_cycles(const launch_trace& t, const gpu_parameters& gpu, std::uint32_t parts);
// Predicts the elapsed cycles if L2 kept all data that the launch has read.
double predict_kept_cycles(const launch_trace& t, const gpu_parameters& gpu);
// Predicts the elapsed cycles, their interval, the bound and the shares of the resources. If `assumed` is set, the
// GPU's numbers are scaled from another GPU, and the interval is wider.
//
// If `most_cycles` is set, the prediction leaves out stalls, barriers, and shares that do not decide about the bound, so
// it takes less time. It ends early if the launch takes longer than this number of cycles, which may be infinite.
launch_time predict_time(const launch_trace& t, const gpu_parameters& gpu, bool assumed = false,
                         std::optional<double> most_cycles = std::nullopt);
// Returns the number of launches whose measured times the interval of this bound was compared with.
unsigned launches_compared(resource bound);

// An instruction whose accesses to shared memory get a new number of wavefronts and additional address arithmetic, or
// whose accesses to global or local memory get a new number of sectors (fewer_sectors.hpp).
struct changed_instruction {
  std::uint32_t code = 0;  // index in launch_trace::code
  code_change change = {};
  sector_change sectors = {};
};

// How a multiprocessor begins its blocks: how many at a time, and with which code.
struct residency {
  std::uint32_t blocks = 0;  // number of resident blocks; 0 if it does not change
  std::uint32_t joined =
      1;                  // number of traced blocks that begin together, because a block has the threads of all of them
  bool has_code = false;  // whether all code arrives with its first line
};

// The warps of a replay can fall into step, and any change, however small, can end that. So a small saving is compared
// with the shortest of several replays of the launch as it is, in which the blocks begin a little later. Returns
// changed / as_it_is if it saves clearly more than chance, otherwise changed / least_by_chance.
double part_beyond_chance(double changed, double as_it_is, double least_by_chance);

// Predicts a launch with changed instructions. The launch is prepared once for several predictions.
class changed_launch {
 public:
  // `cycles`: launch_time::cycles_of_changes of this launch; 0 if it is not known.
  changed_launch(const launch_trace& t, const gpu_parameters& gpu, double cycles = 0);
  ~changed_launch();
  // Returns a ratio: the elapsed cycles with the changes divided by the elapsed cycles without changes.
  double part_with(std::span<const changed_instruction> changes, const residency& with = {});
  // Returns the same ratio for another trace of the same blocks, which has the same code.
  double part_of(const launch_trace& t);

 private:
  double part_of(double changed);

  std::unique_ptr<struct prepared_launch> prepared_;
  std::unique_ptr<fewer_sectors> fewer_;  // null until the first change of sectors
  std::vector<code_change> changes_;
  std::vector<sector_change> sector_changes_;
  double as_it_is_ = 0;
  double least_by_chance_ = 0;  // 0 if it is not known
};

// Returns the bytes of L1. The driver divides one memory into L1 and shared memory. The resident blocks need their
// shared memory, and 1 KiB per block for the system. Shared memory gets the smallest size that is large enough. If more
// than two blocks are resident and this size is at most 100 KiB, it gets the next larger size. 160 launches show this
// (launch__shared_mem_config_size).
double l1_bytes_of(const launch_trace& t, const gpu_parameters& gpu);

}  // namespace bankwise::timing
