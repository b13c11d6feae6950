#include "timing/launch/resource_use.hpp"

#include <algorithm>
#include <array>

#include "sass/instruction.hpp"
#include "sass/special_register.hpp"

namespace bankwise::timing {

namespace {

constexpr auto counted_pipes = static_cast<std::size_t>(counted_pipe::count);
// Warp instructions of each pipe that a multiprocessor can execute per clock.
constexpr std::array<double, counted_pipes> a_clock = {
#define COUNTED_PIPE(name, a_clock) a_clock,
#include "timing/counted_pipes.def"
};

counted_pipe pipe_of_special_register(const traced_code& c) {
  using namespace sass::special_number;
  const auto which = static_cast<unsigned>(c.high >> 8 & 0xff);
  return which >= sr_tid && which <= sr_tid_z ? counted_pipe::lsu : counted_pipe::adu;
}

counted_pipe counted_as(const instruction_cost& c, const traced_code& code) {
  if (c.op == sass::opcode::S2R || c.op == sass::opcode::S2UR) return pipe_of_special_register(code);
  if (c.op == sass::opcode::LDC || c.does == behaviour::barrier || c.does == behaviour::arrival)
    return counted_pipe::adu;
  if (c.pipe == pipe::uniform && c.does == behaviour::constant_load) return counted_pipe::none;
  return row_of(c.pipe).counted;
}

// Factors of the traffic of a multiprocessor. They follow from the counters of 113 launches in
// data/sm_90/launch_times.csv.zst.
// Steps of L2 for requests of the multiprocessors.
constexpr double steps_of_read_line = 1.05, steps_of_store = 0.93;
constexpr double steps_of_dram_sector = 0.9;  // sectors that DRAM delivers are also written to L2
constexpr double stores_in_part = 0.6;        // additional stores for a sector that is stored in part
constexpr double stores_of_update = 2.6;      // stores that take as long as an atomic on a sector
// Sectors that pass between the halves of L2.
constexpr double crossing_read = 0.33, crossing_store = 1.22, crossing_dram_read = 1.11, crossing_dram_write = 0.12;
constexpr double l2_a_clock = 100;  // steps of L2 per clock, and sectors that pass between its halves per clock
// Clocks for which L1 sends to L2.
constexpr double sends_of_sector = 0.73, sends_of_line = 0.79, sends_of_update = 1.5, sends_of_read_line = 0.1;

constexpr double sector_bytes = 32;
constexpr double issued_a_clock = 4;  // each quarter issues one instruction

// Returns the use of L2, from sectors per clock. Requests of the multiprocessors and traffic between L2's halves are
// separate resources. The result is the higher use of these two.
double l2_part(const memory_traffic& m, double scale) {
  const double sent = steps_of_read_line * m.read_lines + steps_of_dram_sector * m.dram_read / sector_bytes +
                      steps_of_store * (m.stored_sectors + m.stored_lines + stores_in_part * m.stored_in_part +
                                        stores_of_update * m.updated_sectors);
  const double crossing = crossing_read * m.read_sectors + crossing_store * m.stored_sectors +
                          crossing_dram_read * m.dram_read / sector_bytes +
                          crossing_dram_write * m.dram_written / sector_bytes;
  return std::max(sent, crossing) * scale / l2_a_clock;
}

// Returns the clocks for which a multiprocessor sends requests and stores to L2.
double sending_clocks(const memory_traffic& m) {
  return sends_of_sector * m.stored_sectors + sends_of_line * m.stored_lines + sends_of_update * m.updated_sectors +
         sends_of_read_line * m.read_lines;
}

}  // namespace

resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles) {
  resource_use use;
  if (cycles <= 0) return use;
  std::array<double, counted_pipes> by_pipe{};
  for (std::size_t i = 0; i < r.executed.size() && i < t.code.size(); ++i)
    if (r.executed[i] != 0)
      by_pipe[static_cast<std::size_t>(counted_as(costs[i], t.code[i]))] += static_cast<double>(r.executed[i]);
  // Integer products use fma_heavy, which is a part of the float pipe. Nsight Compute counts these products for both
  // pipes.
  by_pipe[static_cast<std::size_t>(counted_pipe::fma)] += by_pipe[static_cast<std::size_t>(counted_pipe::fma_heavy)];
  // Average over all multiprocessors, as in Nsight Compute.
  const double each = times / cycles * multiprocessors / gpu.multiprocessors;
  use.issue = static_cast<double>(r.instructions) / issued_a_clock * each;
  use.held = r.held * each;
  for (std::size_t i = 0; i < by_pipe.size(); ++i) use.pipes = std::max(use.pipes, by_pipe[i] / a_clock[i] * each);
  use.pipes = std::max(use.pipes, r.pipes[static_cast<std::size_t>(pipe::tensor)] * each);
  const memory_traffic& m = r.traffic;
  // The page shows the texture unit and L1 as one unit.
  use.l1 = std::max({r.data_stage, sending_clocks(m), r.textures}) * each;
  use.l2 = l2_part(m, times / cycles * multiprocessors);
  use.dram = (m.dram_read + m.dram_written) * times / cycles * multiprocessors / gpu.dram_peak;
  return use;
}

}  // namespace bankwise::timing
