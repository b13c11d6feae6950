#include "gpu/probe/timing/timing_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/counters.hpp"
#include "gpu/probe/timing/time_meter.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"
#include "report/table/text_table.hpp"
#include "timing/gpu.hpp"

namespace bankwise::probe {

namespace {

result<done> measure_launch(time_meter& m, measured_values& to, double running_clock) {
  using clock = std::chrono::steady_clock;
  const auto seconds_of = [&](unsigned blocks) -> result<double> {
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto begin = clock::now();
      if (const auto ok = m.on().launch("empty", blocks, threads_of_warp, 0, {0}); !ok) return ok.error();
      if (const auto ok = m.on().wait(); !ok) return ok.error();
      least = std::min(least, std::chrono::duration<double>(clock::now() - begin).count());
    }
    return least;
  };
  constexpr unsigned few = 1 << 17, many = 1 << 20;
  const auto short_one = seconds_of(few), long_one = seconds_of(many);
  if (!short_one) return short_one.error();
  if (!long_one) return long_one.error();
  to["block_gap"] = {std::max(0.01, (*long_one - *short_one) * 1e9 * running_clock / (many - few)),
                     "launches of 131,072 and 1,048,576 empty blocks"};
  // If the user may not read hardware counters, the assumed value stays.
  if (const auto overhead = launch_overhead(m.on(),
                                            [&] {
                                              return m.start({"pipe_float", m.facts().multiprocessors, 128, 16});
                                            });
      overhead)
    to["launch_cycles"] = {*overhead, "counters: elapsed clocks minus the clocks of the busiest multiprocessor"};
  return done{};
}

// Returns the GPU's row of gpus.def. For a GPU without a row, makes a description from the driver's attributes.
timing::gpu_description description_of(const gpu_facts& f, double running_clock) {
  if (const timing::gpu_description* known = timing::find_gpu(f.name)) return *known;
  timing::gpu_description d = *timing::find_gpu("");
  for (const timing::gpu_description& g : timing::known_gpus())
    if (g.sm <= f.sm && (g.sm > d.sm || d.sm > f.sm || d.sm == 90)) d = g;
  d.name = d.title = "";
  d.multiprocessors = f.multiprocessors;
  d.clock = running_clock;
  if (f.memory_khz != 0) d.dram = 2.0 * f.memory_khz * f.memory_bits / 8 / 1e6;
  if (f.l2_bytes != 0) d.l2 = f.l2_bytes / 1048576.0;
  d.evidence = timing::parameter_evidence::assumed;
  return d;
}

}  // namespace

result<timing::parameter_file> measure_parameters(
    gpu& on, const std::function<void(std::uint64_t, std::uint64_t, std::string_view)>& progress) {
  const gpu_facts& facts = on.facts();
  if (facts.sm < oldest_timed_sm)
    return diagnostic{formatted("this GPU is sm_{}, but bankwise predicts times only for sm_{} and later", facts.sm,
                                oldest_timed_sm)};
  constexpr std::uint64_t steps = 12;
  std::uint64_t step = 0;
  progress(step++, steps, "compiling kernels");
  time_meter m(on);
  if (const auto ok = m.begin(); !ok) return ok.error();
  // These launches take long enough for the GPU to raise its clock rate.
  const auto busy = m.best({"pipe_float", facts.multiprocessors, full_block, 4000}, 6);
  if (!busy) return busy.error();
  const bool is_known = timing::find_gpu(facts.name) != nullptr;
  const timing::gpu_description description = description_of(facts, busy->gigahertz);
  const double base_clock = description.clock;
  measured_values found;
  const auto measure = [&](const char* what, const auto& function, auto... more) -> result<done> {
    progress(step++, steps, what);
    return function(m, found, more...);
  };
  for (const auto& ok :
       {measure("shared memory", measure_shared), measure("latencies", measure_chains), measure("pipes", measure_pipes),
        measure("L1, L2 and DRAM", measure_latencies), measure("DRAM", measure_dram), measure("L2", measure_l2),
        measure("size of L2", measure_capacity), measure("atomics", measure_atomics),
        measure("compare-and-swap", measure_swaps), measure("host memory", measure_host),
        measure("launches", measure_launch, busy->gigahertz)})
    if (!ok) return ok.error();

  timing::parameter_file f;
  f.gpu = facts.name;
  f.sm = facts.sm;
  f.running_clock = busy->gigahertz;
  f.driver = facts.driver;
  f.version = BANKWISE_VERSION;
  found["multiprocessors"] = {static_cast<double>(facts.multiprocessors), "the driver"};
  if (!is_known)
    found["sm_clock"] = {base_clock, "the clock during the measurement, because the base clock is not known"};
  const timing::gpu_parameters scaled = timing::parameters_of(is_known ? *timing::find_gpu(facts.name) : description);
  const timing::gpu_parameters h100;
  // First sets the measured values, which are valid at the clock rate of the measurement. Then converts all values to
  // the clock rate for predictions.
  timing::gpu_parameters running = timing::at_clock(scaled, f.running_clock);
  for (const timing::parameter_row& row : timing::parameter_rows())
    if (const auto at = found.find(row.name); at != found.end() && row.name != "sm_clock")
      running.*row.value = at->second.value;
  const timing::gpu_parameters converted = timing::at_clock(running, base_clock);
  for (const timing::parameter_row& row : timing::parameter_rows()) {
    if (row.name == "warm_caches") continue;
    timing::file_parameter p{&row, scaled.*row.value, timing::parameter_evidence::assumed, {}};
    if (const auto at = found.find(row.name); at != found.end()) {
      p.value = converted.*row.value;
      p.evidence = timing::parameter_evidence::measured;
      p.source = at->second.how;
      if (std::abs(p.value / at->second.value - 1) > 0.001)
        p.source += formatted("; {} at {} GHz", fixed(at->second.value, at->second.value < 100 ? 2 : 0),
                              fixed(f.running_clock, 2));
    } else if (row.name == "sm_clock" || row.name == "l1_bytes") {
      p.evidence = timing::parameter_evidence::published;
      p.source = "NVIDIA";
    } else {
      p.source = scaled.*row.value == h100.*row.value ? "the H100 SXM" : "scaled from the H100 SXM";
    }
    f.rows.push_back(std::move(p));
  }
  return f;
}

std::string parameter_table(const timing::parameter_file& f) {
  text_table t;
  t.left_first = 1;
  t.left_last = 2;
  t.rows.push_back({"parameter", "value", "evidence", "from"});
  std::size_t measured = 0;
  for (const timing::file_parameter& r : f.rows) {
    measured += r.evidence == timing::parameter_evidence::measured;
    const std::string value =
        r.value >= 1e5 ? grouped(static_cast<std::uint64_t>(r.value + 0.5)) : fixed(r.value, r.value < 100 ? 2 : 0);
    t.rows.push_back({std::string(r.row->name), value, std::string(name_of(r.evidence)), r.source});
  }
  return formatted("{}, sm_{}, at {} GHz: {} of {} parameters were measured\n\n{}", f.gpu, f.sm,
                   fixed(f.running_clock, 2), measured, f.rows.size(), t.text(style{}));
}

}  // namespace bankwise::probe
