#include "timing/resource_use.hpp"

#include <algorithm>
#include <array>

#include "sass/instruction.hpp"
#include "sass/special_register.hpp"

namespace bankwise::timing {

namespace {

// The pipes that Nsight Compute counts. For each pipe: the number of warp instructions per clock that a multiprocessor
// can execute. The numbers follow from 136 launches in data/sm_90/launch_times.csv.zst: their instructions, and the
// measured use of their pipes.
enum class counted_pipe : std::uint8_t { none, lsu, adu, alu, fma, fma_heavy, fp64, xu, uniform, count };
constexpr std::array<double, static_cast<std::size_t>(counted_pipe::count)> a_clock = {1e9, 1, 0.5, 2, 4, 2, 2, 0.5, 2};

counted_pipe pipe_of_special_register(const traced_code& c) {
  using namespace sass::special_number;
  const auto which = static_cast<unsigned>(c.high >> 8 & 0xff);
  return which >= sr_tid && which <= sr_tid_z ? counted_pipe::lsu : counted_pipe::adu;
}

counted_pipe counted_as(const instruction_cost& c, const traced_code& code) {
  if (c.op == sass::opcode::S2R || c.op == sass::opcode::S2UR) return pipe_of_special_register(code);
  if (c.op == sass::opcode::LDC || c.does == behaviour::barrier || c.does == behaviour::arrival)
    return counted_pipe::adu;
  switch (c.pipe) {
    case pipe::alu: return counted_pipe::alu;
    case pipe::fma:
    case pipe::fma_lite: return counted_pipe::fma;
    case pipe::fma_heavy: return counted_pipe::fma_heavy;
    case pipe::fp64: return counted_pipe::fp64;
    case pipe::special: return counted_pipe::xu;
    case pipe::uniform: return c.does == behaviour::constant_load ? counted_pipe::none : counted_pipe::uniform;
    case pipe::memory: return counted_pipe::lsu;
    default: return counted_pipe::none;
  }
}

// Returns the use of L2, from sectors per clock. Requests of the multiprocessors and traffic between L2's halves are
// separate resources. The result is the higher use of these two. The factors follow from the counters of 113 launches
// in the same table.
double l2_part(const memory_traffic& m, double scale) {
  // Sectors that DRAM delivers are also written to L2.
  const double sent = 1.05 * m.read_lines + 0.9 * m.dram_read / 32 +
                      0.93 * (m.stored_sectors + m.stored_lines + 0.6 * m.stored_in_part + 2.6 * m.updated_sectors);
  const double crossing =
      0.33 * m.read_sectors + 1.22 * m.stored_sectors + 1.11 * m.dram_read / 32 + 0.12 * m.dram_written / 32;
  return std::max(sent, crossing) * scale / 100;
}

}  // namespace

resource_use use_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const multiprocessor_run& r,
                    const gpu_parameters& gpu, double multiprocessors, double times, double cycles) {
  resource_use use;
  if (cycles <= 0) return use;
  std::array<double, static_cast<std::size_t>(counted_pipe::count)> by_pipe{};
  for (std::size_t i = 0; i < r.executed.size() && i < t.code.size(); ++i)
    if (r.executed[i] != 0)
      by_pipe[static_cast<std::size_t>(counted_as(costs[i], t.code[i]))] += static_cast<double>(r.executed[i]);
  // Integer products use fma_heavy, which is a part of the float pipe. Nsight Compute counts these products for both
  // pipes.
  by_pipe[static_cast<std::size_t>(counted_pipe::fma)] += by_pipe[static_cast<std::size_t>(counted_pipe::fma_heavy)];
  // Average over all multiprocessors, as in Nsight Compute.
  const double each = times / cycles * multiprocessors / gpu.multiprocessors;
  use.issue = static_cast<double>(r.instructions) / 4 * each;
  for (std::size_t i = 0; i < by_pipe.size(); ++i) use.pipes = std::max(use.pipes, by_pipe[i] / a_clock[i] * each);
  use.pipes = std::max(use.pipes, r.pipes[static_cast<std::size_t>(pipe::tensor)] * each);
  const memory_traffic& m = r.traffic;
  const double sends = 0.73 * m.stored_sectors + 0.79 * m.stored_lines + 1.5 * m.updated_sectors + 0.1 * m.read_lines;
  // The page shows the texture unit and L1 as one unit.
  use.l1 = std::max({r.data_stage, sends, r.textures}) * each;
  use.l2 = l2_part(m, times / cycles * multiprocessors);
  use.dram = (m.dram_read + m.dram_written) * times / cycles * multiprocessors / gpu.dram_peak;
  return use;
}

}  // namespace bankwise::timing
