#include "timing/gpu.hpp"

#include <algorithm>
#include <string>

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
struct published_row {
  std::string_view gpu;
  double clock;
  double gpu_parameters::*parameter;
  double value;
};
constexpr published_row published_rows[] = {
#define PUBLISHED(name, gigahertz, parameter, value, source) {name, gigahertz, &gpu_parameters::parameter, value},
#include "timing/gpus.def"
};

// What differs between instruction sets: the number of clocks for which a warp instruction occupies the pipe of a
// quarter. The numbers are from CUDA's table of throughputs. `dram` is the part of its peak that DRAM reaches: that of
// the H100, or for GDDR6 between an A40 (0.976) and an RTX 3070 (0.91, data/published).
struct set_row {
  std::uint32_t sm;
  double float_pipes, fp64_interval, tensor_halves, dram;
};
constexpr set_row set_rows[] = {
    {70, 1, 4, 128, 0.92},                           // HMMA.884: 512 products of halves per clock in a multiprocessor
    {75, 1, 64, 128, 0.92},  {80, 1, 2, 256, 0.92},  // m16n8k16 in 8 clocks
    {86, 2, 64, 128, 0.95},  {89, 2, 64, 128, 0.95},  {90, 2, 2, 341, 0.92},  // m16n8k16 in 6 clocks
    {100, 2, 2, 341, 0.92},                                                   // mma.sync is as fast as on Hopper
    {103, 2, 64, 341, 0.92}, {120, 2, 64, 128, 0.92},
};
const set_row* find_set(std::uint32_t sm) {
  const auto* const at =
      std::find_if(std::begin(set_rows), std::end(set_rows), [&](const set_row& s) { return s.sm == sm; });
  return at == std::end(set_rows) ? nullptr : at;
}

// Whether a GPU is a GeForce. NVIDIA's documents on GA102, AD102 and GB202: the tensor cores of these GPUs multiply halves
// with sums of floats at half the rate. The same chips in a workstation or server have the full rate.
bool is_geforce(std::string_view title) {
  if (title.starts_with("GTX ")) return true;
  return title.starts_with("RTX ") && title.size() > 4 && title[4] >= '2' && title[4] <= '5';
}

// Whether L2 consists of two halves. Each half then keeps a copy of data that all multiprocessors read.
bool has_two_halves(std::uint32_t sm) { return sm == 80 || sm == 90 || sm == 100 || sm == 103; }
// The part of L2 that holds the data of a launch. gpu-benches, L40: 92 of 96 MB stay in L2.
constexpr double part_of_l2 = 0.96;

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
  for (double* const time : {&p.launch_cycles, &p.block_gap, &p.constant_memory_latency, &p.bulk_shared, &p.dram_queue,
                             &p.update_clocks, &p.update_float_clocks, &p.update_swap_clocks, &p.swap_turn,
                             &p.swap_lanes, &p.host_latency, &p.host_end, &p.host_update_clocks})
    *time *= clocks;
  return p;
}

namespace {

// Whether a row of PUBLISHED is about a GPU: its name, or the name of its architecture.
bool is_about(const published_row& r, const gpu_description& g) {
  return r.gpu == g.name || (r.gpu.starts_with("sm_") && r.gpu.substr(3) == std::to_string(g.sm));
}

// Replaces parameters by those that others measured. `p` and the result are for the clock p.sm_clock.
gpu_parameters with_published(gpu_parameters p, const gpu_description& g) {
  const double clock = p.sm_clock;
  for (const bool of_gpu : {false, true})
    for (const published_row& r : published_rows) {
      if (!is_about(r, g) || (r.gpu == g.name) != of_gpu) continue;
      p = at_clock(p, r.clock != 0 ? r.clock : clock);
      p.*r.parameter = r.value;
      p = at_clock(p, clock);
    }
  return p;
}

// Scales L2 of the H100 for another architecture. Its rates are those at the boost clock, because people publish rates of
// running programs.
void scale_l2(gpu_parameters& p, const gpu_description& g, const gpu_description& h100) {
  const gpu_parameters of_h100;
  // The bytes of data per clock: those of lines without the bytes of their requests.
  const double of_data = 128 / (128 + of_h100.l2_request);
  const double l2 = g.l2_rate * g.multiprocessors / (of_h100.l2_total * of_data);
  p.l2_total = of_h100.l2_total * l2;
  p.copy_total = of_h100.copy_total * l2;
  // L2 receives all data that DRAM reads or writes, so it is at least as much faster than DRAM as on the H100.
  p.l2_store_total = std::max(of_h100.l2_store_total * l2, of_h100.l2_store_total / of_h100.dram_total * p.dram_total);
  p.l2_partial_total = of_h100.l2_partial_total * l2;
  p.l2_steps = of_h100.l2_steps * l2;
  p.update_total = of_h100.update_total * l2;
  p.l2_latency = of_h100.l2_latency;
  p.update_clocks = of_h100.update_clocks;
  p.update_float_clocks = of_h100.update_float_clocks;
  p.update_swap_clocks = of_h100.update_swap_clocks;
  p.l2_own_bytes *= g.l2 / h100.l2;
  p.l2_partial_bytes *= g.l2 / h100.l2;
  if (!has_two_halves(g.sm)) p.l2_bytes = p.l2_own_bytes = g.l2 * 1e6 * part_of_l2;
}

}  // namespace

bool is_published(const gpu_description& g, double gpu_parameters::*parameter) {
  const bool has_l2_rate = g.sm < 90;  // the column of gpus.def
  if (has_l2_rate && parameter == &gpu_parameters::l2_total) return true;
  if (has_l2_rate && !has_two_halves(g.sm) && parameter == &gpu_parameters::l2_bytes) return true;
  return std::any_of(std::begin(measured_rows), std::end(measured_rows),
                     [&](const measured_row& r) { return r.gpu == g.name && r.parameter == parameter; }) ||
         std::any_of(std::begin(published_rows), std::end(published_rows),
                     [&](const published_row& r) { return is_about(r, g) && r.parameter == parameter; });
}

gpu_parameters parameters_of(const gpu_description& g) {
  gpu_parameters p;
  const gpu_description& h100 = gpu_rows[0];
  if (&g == &h100) return p;
  const bool other = g.sm != h100.sm;
  p = at_clock(p, other ? g.boost : g.clock);
  p.multiprocessors = g.multiprocessors;
  p.dram_peak *= g.dram / h100.dram;
  p.dram_total *= g.dram / h100.dram;
  p.l2_bytes *= g.l2 / h100.l2;
  p.l2_dirty_bytes *= g.l2 / h100.l2;
  p.l1_bytes = g.l1 * 1024;
  if (const set_row* const s = find_set(g.sm); s != nullptr && other) {
    p.float_pipes = s->float_pipes;
    p.fp64_interval = s->fp64_interval;
    p.tensor_halves = s->tensor_halves;
    if (is_geforce(g.title)) p.float_sums = 2;
    p.dram_total *= s->dram / find_set(h100.sm)->dram;
  }
  if (other) {
    // gpu-stream and llm.c: GPUs whose DRAM sends a multiprocessor few bytes per clock. The blocks of the multiprocessors
    // load at different times, so each load finds DRAM less busy than if all loaded at the same time.
    p.load_saved = p.bulk_saved;
    p.dram_queue_linear = 1;
    scale_l2(p, g, h100);
    p = at_clock(p, g.clock);
  }
  p = with_published(p, g);
  for (const measured_row& r : measured_rows)
    if (r.gpu == g.name) p.*r.parameter = r.value;
  return p;
}

}  // namespace bankwise::timing
