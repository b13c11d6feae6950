// Measures the parameters of memory for `probe --timing`, each from the clocks of a kernel.
#include "gpu/probe/timing/time_meter.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"

namespace bankwise::probe {

namespace {

constexpr unsigned chain_factor = 5 * 1'048'573;  // a number of the form 4 n + 1, so that the chain visits all lines

}  // namespace

result<chain_latency> follow_chain(time_meter& m, timed_launch chain, std::uint64_t bytes, bool again) {
  const std::uint64_t lines = bytes / 128;
  const auto made =
      m.run({"make_chain", m.facts().multiprocessors, full_block,
             lines / (std::uint64_t{m.facts().multiprocessors} * full_block) + 1, lines, chain_factor, chain.data});
  if (!made) return made.error();
  // The starts of the blocks are far apart. So each block follows its own part of the chain.
  const std::uint64_t apart = std::max<std::uint64_t>(1, lines / std::max(1u, chain.blocks) | 1) * 128;
  chain.threads = 1;
  chain.rounds = 8;
  chain.a = chain.blocks == 1 ? 0 : apart;
  if (chain.blocks == 1) {  // L1 is empty when a launch starts
    const auto round = m.round(chain);
    if (!round) return round.error();
    return chain_latency{*round / chained, 0};
  }
  const auto first = again ? m.best(chain) : m.run(chain);
  if (!first) return first.error();
  return chain_latency{first->mean_clocks / (8 * chained), first->gigahertz};
}

result<done> measure_latencies(time_meter& m, measured_values& to) {
  const auto l1 = follow_chain(m, {"chase_l1"}, 8192, true);
  if (!l1) return l1.error();
  to["l1_latency"] = {l1->clocks, "a chain of loads in 8 KB"};
  const std::uint64_t in_l2 = std::bit_floor(m.l2() / 4);
  const auto l2 = follow_chain(m, {"chase_l2", m.facts().multiprocessors}, in_l2, true);
  if (!l2) return l2.error();
  to["l2_latency"] = {l2->clocks,
                      formatted("chains of loads that bypass L1 in {} MB, one for each multiprocessor", in_l2 >> 20)};
  const auto dram = follow_chain(m, {"chase_l2", m.facts().multiprocessors}, m.data_bytes(), false);
  if (!dram) return dram.error();
  to["dram_latency"] = {dram->clocks, formatted("chains of loads that bypass L1 in {} MB", m.data_bytes() >> 20)};
  return done{};
}

result<done> measure_dram(time_meter& m, measured_values& to) {
  const std::uint64_t all = m.data_bytes();
  const auto read = m.stream_rate_of(m.stream_of("stream_read", full_block, 16, all, 4 * all));
  if (!read) return read.error();
  to["dram_total"] = {read->a_clock(), formatted("reads of {} MB: {} GB/s", all >> 20, fixed(read->a_nanosecond, 0))};
  timed_launch halves{"gather_halves", m.facts().multiprocessors, full_block, 16, all / 128, 7};
  const auto half = m.rate_of(halves, static_cast<double>(halves.blocks) * full_block / 8 * gathered * 64);
  if (!half) return half.error();
  to["dram_half_line"] = {std::max(1.0, read->a_nanosecond / half->a_nanosecond), "reads of random halves of lines"};
  // The rate of the DRAM bus can be computed only if the driver reports its clock and width.
  if (const gpu_facts& f = m.facts(); f.memory_khz != 0 && read->gigahertz > 0)
    to["dram_peak"] = {
        2.0 * f.memory_khz * f.memory_bits / 8 / 1e6 / read->gigahertz,
        formatted("according to the driver, a bus of {} bits at {} GHz", f.memory_bits, fixed(f.memory_khz / 1e6, 2))};
  return done{};
}

result<done> measure_l2(time_meter& m, measured_values& to) {
  const std::uint64_t third = m.l2() / 3, moved = std::uint64_t{1} << 31;
  const auto lines = m.stream_rate_of(m.stream_of("stream_read", full_block, 16, third, moved));
  if (!lines) return lines.error();
  timed_launch gather{"gather", m.facts().multiprocessors, full_block, 24, third / 32, 7};
  const double sectors_of_round = static_cast<double>(gather.blocks) * full_block * gathered;
  const auto sectors = m.rate_of(gather, sectors_of_round);
  if (!sectors) return sectors.error();
  // The two measured rates, in lines and in sectors per clock, satisfy this equation: total = lines * (128 + request) =
  // sectors * (32 + request). This is the solution for `request`.
  const double by_line = lines->a_clock() / 128, by_sector = sectors->a_clock();
  const double request = by_sector > by_line * 1.05
                             ? std::clamp((128 * by_line - 32 * by_sector) / (by_sector - by_line), 0.0, 96.0)
                             : 96.0;
  to["l2_request"] = {request, formatted("reads of lines and of random sectors in {} MB: {} lines and {} sectors per "
                                         "clock",
                                         third >> 20, fixed(by_line, 1), fixed(by_sector, 1))};
  to["l2_total"] = {by_line * (128 + request), "the same measurement as l2_request"};
  timed_launch one{"stream_read", 1, full_block, 4000, 16, 256};
  const auto port = m.stream_rate_of(one);
  if (!port) return port.error();
  to["l2_port"] = {port->a_clock() / 128 * (128 + request),
                   formatted("reads of 1 MB by one multiprocessor: {} bytes per clock", fixed(port->a_clock(), 1))};
  const auto stores = m.stream_rate_of(m.stream_of("stream_write", full_block, 16, third, moved));
  if (!stores) return stores.error();
  to["l2_store_total"] = {stores->a_clock(), formatted("repeated stores to the same {} MB", third >> 20)};
  timed_launch words = m.stream_of("stream_write_word", 256, 32, std::uint64_t{1} << 21, moved);
  const auto parts = m.stream_rate_of(words);
  if (!parts) return parts.error();
  to["l2_partial_total"] = {parts->a_clock(), "repeated stores of one word per sector to the same 2 MB"};
  return done{};
}

// Measures the size of the largest region that stays in L2. A region stays in L2 if its rate is more than `part` times
// the rate of a small region.
result<done> measure_capacity(time_meter& m, measured_values& to) {
  constexpr unsigned sixteenths = 20;
  const auto largest = [&](const auto& rate, double part) -> result<double> {
    double most = 0, small = 0;
    for (unsigned n = 4; n <= sixteenths; ++n) {
      const std::uint64_t bytes = m.l2() * n / 16;
      const result<stream_rate> r = rate(bytes);
      if (!r) return r.error();
      small = std::max(small, n <= 6 ? r->a_clock() : 0);
      if (r->a_clock() < part * small) break;
      most = static_cast<double>(bytes);
    }
    return most;
  };
  const auto own = largest(
      [&](std::uint64_t bytes) {
        return m.stream_rate_of(m.stream_of("stream_read", full_block, 16, bytes, std::uint64_t{1} << 30));
      },
      0.85);
  if (!own) return own.error();
  if (*own > 0) to["l2_own_bytes"] = {*own, "the largest region that can be read again at the rate of L2"};
  const auto shared = largest(
      [&](std::uint64_t bytes) {
        const timed_launch gather{"gather", m.facts().multiprocessors, full_block, 24, bytes / 32, 7};
        return m.rate_of(gather, static_cast<double>(gather.blocks) * full_block * gathered);
      },
      0.85);
  if (!shared) return shared.error();
  if (*shared > 0)
    to["l2_bytes"] = {*shared, "the largest region from which random lines can be read at the rate of L2"};
  return done{};
}

}  // namespace bankwise::probe
