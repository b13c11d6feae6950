#include "timing/launch/needed_time.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sass/flow/slice.hpp"
#include "timing/multiprocessor/pipes.hpp"

namespace bankwise::timing {

namespace {

constexpr double lanes_of_warp = 32, quarters_of_multiprocessor = 4;

// How often the launch executes each instruction with all lanes of a warp.
std::vector<double> full_executions(const launch_trace& t) {
  std::vector<double> lanes(t.code.size() + 1);
  double traced = 0;
  for (const traced_block& b : t.blocks) {
    traced += static_cast<double>(b.instructions);
    for (const traced_warp& w : b.warps)
      for (const traced_run& r : w.runs) {
        lanes[r.code] += r.lanes;
        lanes[r.code + r.count] -= r.lanes;
      }
  }
  const double times = t.instructions != 0 && traced != 0
                           ? static_cast<double>(t.instructions) / traced
                           : static_cast<double>(t.grid_blocks()) / static_cast<double>(t.blocks.size());
  double sum = 0;
  for (double& n : lanes) n = (sum += n) * times / lanes_of_warp;
  lanes.pop_back();
  return lanes;
}

// Whether an instruction computes with floats, so that it is a part of the work even if it determines an address or a
// branch.
bool computes_floats(const instruction_cost& c) {
  return c.pipe == pipe::fma || c.pipe == pipe::fp64 || c.pipe == pipe::tensor;
}

// Whether an instruction may be a part of the work: it computes, and does not only copy a register.
bool may_be_work(const instruction_cost& c, const traced_code& code) {
  constexpr unsigned first_operand = 24;
  if (computes_floats(c)) return true;
  if (c.op == sass::opcode::IMAD) return (code.low >> first_operand & 0xff) != sass::register_zero;
  return sass::traits_of(c.op).unit == sass::unit::lanes && c.pipe != pipe::special_register &&
         c.op != sass::opcode::MOV && c.op != sass::opcode::CS2R;
}

// Returns the instructions of the kernel that only determine addresses and branches.
std::vector<bool> addresses_and_branches(const launch_trace& t) {
  std::vector<bool> found(t.code.size());
  for (const traced_section& s : t.sections) {
    if (!s.function.empty() || s.count == 0) continue;
    std::vector<std::byte> bytes(std::size_t{s.count} * sass::instruction_bytes);
    for (std::uint32_t i = 0; i < s.count; ++i) {
      const std::array<std::uint64_t, 2> both{t.code[s.first + i].low, t.code[s.first + i].high};
      std::memcpy(bytes.data() + std::size_t{i} * sass::instruction_bytes, both.data(), sizeof both);
    }
    const sass::code_flow flow = sass::flow_of_code(bytes, sass::isa_of(t.sm), s.offset, t.code[s.first].pc);
    const sass::slice slice = sass::slice_of(flow, true);
    for (std::uint32_t i = 0; i < s.count; ++i) found[s.first + i] = i >= slice.needed.size() || slice.needed[i];
  }
  return found;
}

// Returns the clocks that the pipes of all multiprocessors need for the instructions that are work.
template <class IsWork>
double clocks_of(const std::vector<double>& executed, const std::vector<instruction_cost>& costs,
                 const gpu_parameters& gpu, IsWork is_work) {
  const pipe_clocks clocks(gpu);
  std::array<double, pipe_count> busy{};
  double issued = 0;
  const auto of = [&](pipe p) -> double& { return busy[static_cast<std::size_t>(p)]; };
  for (std::uint32_t i = 0; i < executed.size(); ++i) {
    if (executed[i] == 0 || !is_work(i)) continue;
    issued += executed[i];
    of(costs[i].pipe) += executed[i] * clocks.interval_of(costs[i].pipe, costs[i]);
  }
  // Floats use any of the float pipes, and integer products only one of them.
  of(pipe::fma) = (of(pipe::fma) + of(pipe::fma_heavy)) / std::max(1.0, gpu.float_pipes);
  return std::max(issued, *std::max_element(busy.begin(), busy.end())) / quarters_of_multiprocessor /
         gpu.multiprocessors;
}

// Returns the clocks that the memory needs for the bytes, if the multiprocessors never wait.
double clocks_of(const needed_bytes& n, double read, const gpu_parameters& gpu) {
  constexpr double line = 128;
  const double cold = gpu.warm_caches != 0 ? std::clamp((read + n.written) / gpu.l2_bytes - 1, 0.0, 1.0) : 1;
  const double from_dram = read * cold, to_dram = std::max(0.0, n.written - gpu.l2_dirty_bytes);
  return std::max({(from_dram + to_dram) / gpu.dram_total,
                   // data from DRAM are written to L2, as stores are
                   (from_dram + n.written) / gpu.l2_store_total,
                   read * (1 + gpu.l2_request / line) / std::max(gpu.l2_total, gpu.copy_total),
                   n.read_of_host / gpu.host_read_total, n.written_of_host / gpu.host_write_total});
}

}  // namespace

needed_time needed_time_of(const launch_trace& t, const std::vector<instruction_cost>& costs, const gpu_parameters& gpu,
                           double dram_read) {
  needed_time need;
  if (!t.memory || t.blocks.empty()) return need;
  const std::vector<double> executed = full_executions(t);
  // The trace does not tell which texels are read.
  for (std::size_t i = 0; i < executed.size(); ++i)
    if (executed[i] != 0 && costs[i].pipe == pipe::texture) return need;
  const needed_bytes bytes = needed_bytes_of(*t.memory, t.grid_blocks(), t.instructions);
  const double read = gpu.warm_caches == 0 && bytes.is_estimated ? std::min(bytes.read, dram_read) : bytes.read;
  const double memory = clocks_of(bytes, read, gpu);
  double work = clocks_of(executed, costs, gpu, [&](std::uint32_t i) { return computes_floats(costs[i]); });
  const auto may_be = [&](std::uint32_t i) { return may_be_work(costs[i], t.code[i]); };
  if (const double most = clocks_of(executed, costs, gpu, may_be); most > std::max(work, memory)) {
    const std::vector<bool> is_address = addresses_and_branches(t);
    work = clocks_of(executed, costs, gpu,
                     [&](std::uint32_t i) { return computes_floats(costs[i]) || (!is_address[i] && may_be(i)); });
  }
  const double latency = read == 0 ? 0 : gpu.warm_caches != 0 ? gpu.l2_latency : gpu.dram_latency - gpu.dram_alone;
  need.cycles = gpu.launch_cycles + latency + std::max(memory, work);
  need.read_bytes = read + bytes.read_of_host;
  need.written_bytes = bytes.written + bytes.written_of_host;
  need.is_estimated = bytes.is_estimated;
  need.is_arithmetic = work > memory;
  return need;
}

}  // namespace bankwise::timing
