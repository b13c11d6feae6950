// Measures the parameters of atomics and reductions for `probe --timing`, each from the clocks of a kernel.
#include "gpu/probe/timing/time_meter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"

namespace bankwise::probe {

result<done> measure_atomics(time_meter& m, measured_values& to) {
  const unsigned blocks = m.facts().multiprocessors;
  constexpr unsigned threads = 256, unrolled = 16;
  const auto clocks_of_warp = [&](const char* kernel, std::uint64_t apart) -> result<double> {
    const auto r = m.best({kernel, blocks, threads, 16, apart});
    if (!r) return r.error();
    return r->nanoseconds * r->gigahertz / (16.0 * unrolled * blocks * threads / threads_of_warp);
  };
  const auto same = clocks_of_warp("add_same", 0), floats = clocks_of_warp("add_same_float", 0),
             swaps = clocks_of_warp("swap_words", 4);
  for (const auto* r : {&same, &floats, &swaps})
    if (!*r) return r->error();
  to["update_clocks"] = {
      *same / 32, formatted("atomic additions of all lanes to one word, {} clocks for each warp", fixed(*same, 1))};
  to["update_float_clocks"] = {
      *floats / 32,
      formatted("atomic float additions of all lanes to one word, {} clocks for each warp", fixed(*floats, 1))};
  to["update_swap_clocks"] = {*swaps / 4,
                              formatted("compare-and-swaps on 32 words, {} clocks for each warp", fixed(*swaps, 1))};
  const timed_launch random{"add_random", blocks, full_block, 8, 1 << 20, 7};
  const auto r = m.rate_of(random, static_cast<double>(blocks) * full_block * gathered);
  if (!r) return r.error();
  to["update_total"] = {r->a_clock(), "atomic additions to random words in 4 MB"};
  return done{};
}

// Measures loops of compare-and-swaps on one word: the clocks between two successful swaps. Measures with one lane and
// with one warp on each multiprocessor.
result<done> measure_swaps(time_meter& m, measured_values& to) {
  constexpr std::uint64_t each = 4;
  const unsigned blocks = m.facts().multiprocessors;
  const auto turn_of = [&](unsigned lanes) -> result<double> {
    const auto rate =
        m.rate_of({"swap_loop", blocks, threads_of_warp, each, lanes}, static_cast<double>(blocks) * lanes);
    if (!rate) return rate.error();
    return 1 / rate->a_clock();
  };
  const auto one = turn_of(1), all = turn_of(threads_of_warp);
  if (!one) return one.error();
  if (!all) return all.error();
  to["swap_turn"] = {*one, formatted("compare-and-swap loops of {} lanes on one word", blocks)};
  const double lanes = static_cast<double>(blocks) * threads_of_warp;
  to["swap_lanes"] = {
      *all / std::pow(lanes, 0.7),
      formatted("compare-and-swap loops of {} lanes on one word: {} clocks between two successful swaps",
                grouped(static_cast<std::uint64_t>(lanes)), fixed(*all, 0))};
  return done{};
}

// Measures host memory, which the GPU accesses over PCIe.
result<done> measure_host(time_meter& m, measured_values& to) {
  const auto chain = follow_chain(m, {.kernel = "chase_l2", .data = memory_of::host}, host_bytes, false);
  if (!chain) return chain.error();
  to["host_latency"] = {chain->clocks, formatted("a chain of loads in {} MB of host memory", host_bytes >> 20)};
  for (const auto& [name, kernel, what] : {std::array{"host_read_total", "stream_read", "reads from"},
                                           std::array{"host_write_total", "stream_write", "stores to"}}) {
    // The last stores may arrive after the end of the kernel, so the kernel makes many stores.
    timed_launch stream = m.stream_of(kernel, full_block, 16, host_bytes, 8 * host_bytes);
    stream.data = memory_of::host;
    const auto rate = m.stream_rate_of(stream);
    if (!rate) return rate.error();
    to[name] = {rate->a_clock(), formatted("{} host memory: {} GB/s", what, fixed(rate->a_nanosecond, 1))};
  }
  timed_launch counts{"count_same", 1, threads_of_warp, 4};
  counts.data = memory_of::host;
  const auto round = m.round(counts);
  if (!round) return round.error();
  to["host_update_clocks"] = {*round / (16.0 * threads_of_warp),
                              "atomic additions of 32 lanes to one word in host memory"};
  return done{};
}

}  // namespace bankwise::probe
