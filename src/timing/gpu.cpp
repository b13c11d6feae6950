#include "timing/gpu.hpp"

#include <algorithm>

namespace bankwise::timing {

namespace {

constexpr gpu_description gpu_rows[] = {
#define GPU(name, title, sm, multiprocessors, clock, boost, dram, l2, l1, l2_rate, evidence) \
  {name, title, sm, multiprocessors, clock, boost, dram, l2, l1, l2_rate, parameter_evidence::evidence},
#include "timing/gpus.def"
};

struct measured_row {
  std::string_view gpu;
  double gpu_parameters::*parameter;
  double value;
};
constexpr measured_row measured_rows[] = {
#define MEASURED(name, parameter, value, source) {name, &gpu_parameters::parameter, value},
#include "timing/gpus.def"
};

// What differs between instruction sets: the number of clocks for which a warp instruction occupies the pipe of a
// quarter. The numbers are from CUDA's table of throughputs.
struct set_row {
  std::uint32_t sm;
  double float_pipes, fp64_interval, tensor_halves;
};
constexpr set_row set_rows[] = {
    {70, 1, 4, 128},                     // HMMA.884: 512 products of halves per clock in a multiprocessor
    {75, 1, 64, 128},  {80, 1, 2, 256},  // m16n8k16 in 8 clocks
    {86, 2, 64, 128},  {89, 2, 64, 128},  {90, 2, 2, 341},  // m16n8k16 in 6 clocks
    {100, 2, 2, 341},                                       // mma.sync is as fast as on Hopper
    {103, 2, 64, 341}, {120, 2, 64, 128},
};

std::string plain_gpu_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_' && c != '\t')
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view word : {"nvidia", "geforce", "quadro", "tesla", "gpu", "blackwell", "hbm3e", "hbm3",
                                      "sxm2", "sxm4", "sxm5", "sxm", "80gb", "141gb"})
    for (std::size_t at = plain.find(word); at != std::string::npos; at = plain.find(word))
      plain.erase(at, word.size());
  return plain;
}

}  // namespace

std::span<const gpu_description> known_gpus() { return gpu_rows; }

const gpu_description* find_gpu(std::string_view name) {
  if (name.size() > 100) return nullptr;
  const std::string plain = name.empty() ? "h100" : plain_gpu_name(name);
  const auto* const at =
      std::find_if(std::begin(gpu_rows), std::end(gpu_rows), [&](const gpu_description& g) { return g.name == plain; });
  return at == std::end(gpu_rows) ? nullptr : at;
}

gpu_parameters at_clock(gpu_parameters p, double gigahertz) {
  // The part of a latency that passes in the multiprocessor, in clocks. The rest passes in L2 or DRAM, whose clocks do
  // not change. Measured on an H100 with a chain of loads: 252 clocks per load from L2 at 1.59 GHz, 282 clocks at 1.98
  // GHz. From DRAM: 573 and 681 clocks.
  constexpr double own = 132;
  const double clocks = gigahertz / p.sm_clock;
  p.sm_clock = gigahertz;
  for (double* const latency : {&p.l2_latency, &p.dram_latency})
    *latency = std::min(*latency, own) + std::max(0.0, *latency - own) * clocks;
  for (double* const rate :
       {&p.l2_total, &p.copy_total, &p.l2_store_total, &p.l2_partial_total, &p.dram_total, &p.dram_peak,
        &p.update_total, &p.host_read_total, &p.host_write_total, &p.host_update_total})
    *rate /= clocks;
  for (double* const time : {&p.launch_cycles, &p.block_gap, &p.constant_memory_latency, &p.shared_earlier,
                             &p.dram_queue, &p.update_clocks, &p.update_float_clocks, &p.update_swap_clocks,
                             &p.swap_turn, &p.swap_lanes, &p.host_latency, &p.host_end, &p.host_update_clocks})
    *time *= clocks;
  return p;
}

gpu_parameters parameters_of(const gpu_description& g) {
  gpu_parameters p;
  const gpu_description& h100 = gpu_rows[0];
  if (&g == &h100) return p;
  p = at_clock(p, g.clock);
  p.multiprocessors = g.multiprocessors;
  p.dram_total *= g.dram / h100.dram;
  p.dram_peak *= g.dram / h100.dram;
  p.l2_bytes *= g.l2 / h100.l2;
  p.l2_dirty_bytes *= g.l2 / h100.l2;
  // For L2 of other architectures, only the bytes per clock and multiprocessor are known. These numbers scale the rates
  // of the H100.
  if (g.sm != h100.sm) {
    const gpu_parameters of_h100;
    const double l2 = g.l2_rate * g.multiprocessors / (h100.l2_rate * h100.multiprocessors);
    p.l2_total = of_h100.l2_total * l2;
    p.copy_total = of_h100.copy_total * l2;
    p.l2_store_total = of_h100.l2_store_total * l2;
    p.l2_partial_total = of_h100.l2_partial_total;
    p.l2_latency = of_h100.l2_latency;
    p.update_total = of_h100.update_total;
    p.update_clocks = of_h100.update_clocks;
    p.update_float_clocks = of_h100.update_float_clocks;
    p.update_swap_clocks = of_h100.update_swap_clocks;
  }
  p.l1_bytes = g.l1 * 1024;
  for (const set_row& s : set_rows)
    if (s.sm == g.sm) {
      p.float_pipes = s.float_pipes;
      p.fp64_interval = s.fp64_interval;
      p.tensor_halves = s.tensor_halves;
    }
  for (const measured_row& r : measured_rows)
    if (r.gpu == g.name) p.*r.parameter = r.value;
  return p;
}

}  // namespace bankwise::timing
