#include "gpu/probe/timing/timing_probe.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "base/text.hpp"
#include "gpu/probe/counters.hpp"
#include "gpu/probe/gpu_meters.hpp"
#include "gpu/probe/kernels.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"
#include "report/text/text_table.hpp"
#include "timing/gpu.hpp"

namespace bankwise::probe {

namespace {

constexpr unsigned quarters = 4, threads_of_warp = 32, most_blocks = 4096;
constexpr unsigned full_block = 1024;
constexpr unsigned chain_factor = 5 * 1'048'573;  // 1 more than a multiple of 4, so that the chain has all lines

double middle(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// A launch of one of the kernels.
struct timed_launch {
  const char* kernel;
  unsigned blocks = 1, threads = threads_of_warp;
  std::uint64_t rounds = 1, a = 0, b = 0;
};

// The time of a launch.
struct launch_clocks {
  double clocks = 0;       // of the first block
  double mean_clocks = 0;  // of all
  double nanoseconds = 0;  // from the first begin to the last end
  double gigahertz = 0;    // of the multiprocessors
};

class time_meter {
 public:
  explicit time_meter(gpu& on) : on_(on), facts_(on.facts()) {}

  result<done> begin() {
    if (const auto ok = on_.load(kernel_text(facts_.sm) + timing_kernels(facts_.sm), facts_.shared_bytes_per_block);
        !ok)
      return ok.error();
    l2_ = std::max<std::uint64_t>(facts_.l2_bytes, std::uint64_t{1} << 20);
    data_bytes_ = std::bit_ceil(std::max<std::uint64_t>(8 * l2_, std::uint64_t{1} << 28));
    const auto data = on_.allocate(data_bytes_ + (std::uint64_t{1} << 16));
    if (!data) return data.error();
    const auto results = on_.allocate(most_blocks * sizeof(block_times));
    if (!results) return results.error();
    data_ = *data;
    results_ = *results;
    // Writes all of it once: memory that was never written may not be mapped yet.
    const timed_launch clear{"stream_write",   facts_.multiprocessors, full_block, rounds_of(data_bytes_, 16), 16,
                             data_bytes_ >> 12};
    const auto cleared = run(clear);
    return cleared ? result<done>(done{}) : cleared.error();
  }

  result<done> start(const timed_launch& l) {
    return on_.launch(l.kernel, l.blocks, l.threads, 4096, {data_, results_, l.rounds, l.a, l.b, 0});
  }
  result<launch_clocks> run(const timed_launch& l) {
    if (const auto ok = start(l); !ok) return ok.error();
    if (const auto ok = on_.wait(); !ok) return ok.error();
    std::vector<block_times> blocks(std::min(l.blocks, most_blocks));
    if (const auto ok = on_.read(blocks.data(), results_, blocks.size() * sizeof(block_times)); !ok) return ok.error();
    launch_clocks r;
    std::uint64_t begin = blocks[0].time_begin, end = blocks[0].time_end;
    std::vector<double> rates;
    for (const block_times& b : blocks) {
      begin = std::min(begin, b.time_begin);
      end = std::max(end, b.time_end);
      const auto clocks = static_cast<double>(b.clock_end - b.clock_begin);
      r.mean_clocks += clocks / static_cast<double>(blocks.size());
      if (b.time_end > b.time_begin) rates.push_back(clocks / static_cast<double>(b.time_end - b.time_begin));
    }
    r.clocks = static_cast<double>(blocks[0].clock_end - blocks[0].clock_begin);
    r.nanoseconds = static_cast<double>(end - begin);
    if (!rates.empty()) r.gigahertz = middle(rates);
    return r;
  }

  // The minimum of several launches, because other work only adds time.
  result<launch_clocks> best(const timed_launch& l, unsigned times = 4) {
    std::optional<launch_clocks> least;
    for (unsigned i = 0; i < times; ++i) {
      const auto one = run(l);
      if (!one) return one;
      if (!least || one->nanoseconds + one->mean_clocks < least->nanoseconds + least->mean_clocks) least = *one;
    }
    return *least;
  }

  // Clocks of a round, without those of the kernel's begin and end.
  result<double> round(timed_launch l) {
    const auto few = best(l);
    if (!few) return few.error();
    const std::uint64_t rounds = l.rounds;
    l.rounds = 3 * rounds;
    const auto many = best(l);
    if (!many) return many.error();
    return (many->clocks - few->clocks) / static_cast<double>(2 * rounds);
  }

  // Rounds of a stream in which all threads of a full GPU read or write `bytes`.
  std::uint64_t rounds_of(std::uint64_t bytes, unsigned bytes_each) const {
    return std::max<std::uint64_t>(
        1, bytes / (std::uint64_t{facts_.multiprocessors} * full_block * bytes_each * streamed));
  }

  gpu& on() { return on_; }
  const gpu_facts& facts() const { return facts_; }
  std::uint64_t l2() const { return l2_; }
  std::uint64_t data_bytes() const { return data_bytes_; }

 private:
  gpu& on_;
  const gpu_facts& facts_;
  std::uint64_t l2_ = 0, data_bytes_ = 0;
  cuda::pointer data_ = 0, results_ = 0;
};

// The measured values, by parameter.
struct measured_value {
  double value;
  std::string how;
};
using measured_values = std::map<std::string, measured_value, std::less<>>;

// --- the measurements: each function adds parameters

result<done> measure_shared(time_meter& m, measured_values& to) {
  const meter latency = latency_meter(m.on());
  const auto of = [&](const char* name, u32 stride) -> result<double> {
    const probed_operation* const p = find_probed(name);
    if (!is_probed_on(*p, m.facts().sm)) return -1.0;
    access a = {p->op, full_mask, {}};
    for (u32 i = 0; i < lanes_per_warp; ++i) a.address[i] = i * stride * p->op.width_bytes;
    const auto clocks = latency(*p, {&a, 1});
    if (!clocks) return clocks.error();
    return clocks->front();
  };
  const auto load = of("ld.b32", 1), conflicts = of("ld.b32", 8), atomic = of("atom.add.b32", 1),
             matrix = of("ldmatrix.x1", 1);
  for (const auto* r : {&load, &conflicts, &atomic, &matrix})
    if (!*r) return r->error();
  to["shared_latency"] = {*load, "a chain of loads from shared memory"};
  to["wavefront_latency"] = {(*conflicts - *load) / 7, "the same with 8 wavefronts instead of 1"};
  to["atomic_shared_latency"] = {*atomic, "a chain of atomic additions to shared memory"};
  if (*matrix > 0) to["matrix_latency"] = {*matrix, "a chain of ldmatrix"};
  return done{};
}

result<done> measure_chains(time_meter& m, measured_values& to) {
  const auto shuffle = m.round({"chain_shuffle", 1, threads_of_warp, 8});
  if (!shuffle) return shuffle.error();
  to["shuffle_latency"] = {*shuffle / chained, "a chain of shuffles"};
  const auto constant = m.round({"chain_constant", 1, threads_of_warp, 8});
  if (!constant) return constant.error();
  to["constant_latency"] = {*constant / chained, "a chain of loads of constants"};
  // With one warp and with 32.
  const auto one = m.round({"barriers", 1, threads_of_warp, 8}), all = m.round({"barriers", 1, full_block, 8});
  if (!one) return one.error();
  if (!all) return all.error();
  const double each = (*all - *one) / chained / 31;
  to["barrier_interval"] = {each, "barriers of blocks of 1 and of 32 warps"};
  to["barrier_latency"] = {*one / chained - each, "the same"};
  return done{};
}

result<done> measure_pipes(time_meter& m, measured_values& to) {
  // Clocks of an instruction, with eight warps in each quarter.
  const auto of_quarter = [&m](const char* kernel) -> result<double> {
    const auto clocks = m.round({kernel, 1, full_block, 16, 0x3210, 0});
    if (!clocks) return clocks.error();
    return *clocks / piped / (full_block / threads_of_warp / quarters);
  };
  const auto floats = of_quarter("pipe_float"), doubles = of_quarter("pipe_double"),
             integers = of_quarter("pipe_integer"), special = of_quarter("pipe_special"),
             shuffles = of_quarter("pipe_shuffle");
  for (const auto* r : {&floats, &doubles, &integers, &special, &shuffles})
    if (!*r) return r->error();
  to["float_pipes"] = {*floats < 1.5 ? 2.0 : 1.0, formatted("an FFMA each {} clocks", fixed(*floats, 2))};
  to["fp64_interval"] = {*doubles, "DFMA of 8 warps of a quarter"};
  to["integer_interval"] = {*integers, "PRMT of 8 warps of a quarter"};
  to["special_interval"] = {*special, "MUFU.EX2 of 8 warps of a quarter"};
  to["shuffle_wavefronts"] = {*shuffles / quarters, "shuffles of 32 warps"};
  if (const unsigned products = tensor_products(m.facts().sm); products != 0) {
    const auto tensor = of_quarter("pipe_tensor");
    if (!tensor) return tensor.error();
    to["tensor_halves"] = {products / *tensor, formatted("mma.sync of halves each {} clocks", fixed(*tensor, 2))};
  }
  const auto address = m.round({"pipe_address", 1, threads_of_warp, 16});
  if (!address) return address.error();
  to["address_interval"] = {*address / 32, "loads from shared memory of one warp"};
  const auto tags = m.round({"pipe_tags", 1, full_block, 16});
  if (!tags) return tags.error();
  to["l1_tags"] = {16.0 * full_block / *tags, "loads of 32 lines from L1, of 32 warps"};
  return done{};
}

// Clocks from one load of a chain to the next, and the clock rate of that measurement.
struct chain_latency {
  double clocks, gigahertz;
};
result<chain_latency> chase(time_meter& m, const char* kernel, std::uint64_t bytes, unsigned blocks, bool again) {
  const std::uint64_t lines = bytes / 128;
  const auto made = m.run({"make_chain", m.facts().multiprocessors, full_block,
                           lines / (std::uint64_t{m.facts().multiprocessors} * full_block) + 1, lines, chain_factor});
  if (!made) return made.error();
  // Blocks begin far apart.
  const std::uint64_t apart = std::max<std::uint64_t>(1, lines / std::max(1u, blocks) | 1) * 128;
  const timed_launch chain{kernel, blocks, 1, 8, blocks == 1 ? 0 : apart};
  if (blocks == 1) {  // L1 is empty when a launch begins
    const auto round = m.round(chain);
    if (!round) return round.error();
    return chain_latency{*round / chained, 0};
  }
  const auto first = again ? m.best(chain) : m.run(chain);
  if (!first) return first.error();
  return chain_latency{first->mean_clocks / (8 * chained), first->gigahertz};
}

result<done> measure_latencies(time_meter& m, measured_values& to) {
  const auto l1 = chase(m, "chase_l1", 8192, 1, true);
  if (!l1) return l1.error();
  to["l1_latency"] = {l1->clocks, "a chain of loads in 8 KB"};
  const std::uint64_t in_l2 = std::bit_floor(m.l2() / 4);
  const auto l2 = chase(m, "chase_l2", in_l2, m.facts().multiprocessors, true);
  if (!l2) return l2.error();
  to["l2_latency"] = {l2->clocks,
                      formatted("chains of loads past L1 in {} MB, one of each multiprocessor", in_l2 >> 20)};
  const auto dram = chase(m, "chase_l2", m.data_bytes(), m.facts().multiprocessors, false);
  if (!dram) return dram.error();
  to["dram_latency"] = {dram->clocks, formatted("the same in {} MB", m.data_bytes() >> 20)};
  return done{};
}

// A stream in a region of about `bytes`, in which all threads begin again several times.
timed_launch stream_of(const time_meter& m, const char* kernel, unsigned threads, unsigned bytes_each,
                       std::uint64_t bytes, std::uint64_t moved) {
  const std::uint64_t step = std::uint64_t{m.facts().multiprocessors} * threads * bytes_each;
  const std::uint64_t region = std::max<std::uint64_t>(1, bytes / step) * step;
  return {kernel,     m.facts().multiprocessors, threads, std::max<std::uint64_t>(1, moved / (step * streamed)),
          bytes_each, (region + 4095) / 4096};
}

// Bytes per nanosecond, and the clock rate.
struct stream_rate {
  double bytes, gigahertz;
  double a_clock() const { return bytes / gigahertz; }
};
result<stream_rate> rate_of(time_meter& m, const timed_launch& l, double bytes_of_round) {
  const auto r = m.best(l);
  if (!r) return r.error();
  if (r->nanoseconds <= 0 || r->gigahertz <= 0)
    return diagnostic{formatted("the GPU's timer did not advance during {}", l.kernel), {}, "nvidia-smi shows more"};
  return stream_rate{bytes_of_round * static_cast<double>(l.rounds) / r->nanoseconds, r->gigahertz};
}
result<stream_rate> stream_rate_of(time_meter& m, const timed_launch& l) {
  return rate_of(m, l, static_cast<double>(l.blocks) * l.threads * streamed * static_cast<double>(l.a));
}

result<done> measure_dram(time_meter& m, measured_values& to) {
  const std::uint64_t all = m.data_bytes();
  const auto read = stream_rate_of(m, stream_of(m, "stream_read", full_block, 16, all, 4 * all));
  if (!read) return read.error();
  to["dram_total"] = {read->a_clock(), formatted("reads of {} MB: {} GB/s", all >> 20, fixed(read->bytes, 0))};
  timed_launch halves{"gather_halves", m.facts().multiprocessors, full_block, 16, all / 128, 7};
  const auto half = rate_of(m, halves, static_cast<double>(halves.blocks) * full_block / 8 * gathered * 64);
  if (!half) return half.error();
  to["dram_half_line"] = {std::max(1.0, read->bytes / half->bytes), "halves of lines, at random"};
  return done{};
}

result<done> measure_l2(time_meter& m, measured_values& to) {
  const std::uint64_t third = m.l2() / 3, moved = std::uint64_t{1} << 31;
  const auto lines = stream_rate_of(m, stream_of(m, "stream_read", full_block, 16, third, moved));
  if (!lines) return lines.error();
  timed_launch gather{"gather", m.facts().multiprocessors, full_block, 24, third / 32, 7};
  const double sectors_of_round = static_cast<double>(gather.blocks) * full_block * gathered;
  const auto sectors = rate_of(m, gather, sectors_of_round);
  if (!sectors) return sectors.error();
  // total = lines * (128 + request) = sectors * (32 + request)
  const double by_line = lines->a_clock() / 128, by_sector = sectors->a_clock();
  const double request = by_sector > by_line * 1.05
                             ? std::clamp((128 * by_line - 32 * by_sector) / (by_sector - by_line), 0.0, 96.0)
                             : 96.0;
  to["l2_request"] = {request, formatted("lines and random sectors of {} MB: {} and {} a clock", third >> 20,
                                         fixed(by_line, 1), fixed(by_sector, 1))};
  to["l2_total"] = {by_line * (128 + request), "the same"};
  timed_launch one{"stream_read", 1, full_block, 4000, 16, 256};
  const auto port = stream_rate_of(m, one);
  if (!port) return port.error();
  to["l2_port"] = {port->a_clock() / 128 * (128 + request),
                   formatted("reads of 1 MB by one multiprocessor: {} bytes a clock", fixed(port->a_clock(), 1))};
  const auto stores = stream_rate_of(m, stream_of(m, "stream_write", full_block, 16, third, moved));
  if (!stores) return stores.error();
  to["l2_store_total"] = {stores->a_clock(), formatted("stores to {} MB, again and again", third >> 20)};
  timed_launch words = stream_of(m, "stream_write_word", 256, 32, std::uint64_t{1} << 21, moved);
  const auto parts = stream_rate_of(m, words);
  if (!parts) return parts.error();
  to["l2_partial_total"] = {parts->a_clock(), "stores of a word of each sector of 2 MB, again and again"};
  return done{};
}

// The largest region that stays in L2: more than `part` of the rate in a small one.
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
        return stream_rate_of(m, stream_of(m, "stream_read", full_block, 16, bytes, std::uint64_t{1} << 30));
      },
      0.85);
  if (!own) return own.error();
  if (*own > 0) to["l2_own_bytes"] = {*own, "the largest region that its multiprocessors read again at L2's rate"};
  const auto shared = largest(
      [&](std::uint64_t bytes) {
        const timed_launch gather{"gather", m.facts().multiprocessors, full_block, 24, bytes / 32, 7};
        return rate_of(m, gather, static_cast<double>(gather.blocks) * full_block * gathered);
      },
      0.85);
  if (!shared) return shared.error();
  if (*shared > 0) to["l2_bytes"] = {*shared, "the largest region from which all gather at L2's rate"};
  return done{};
}

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
  to["update_clocks"] = {*same / 32,
                         formatted("additions of all lanes to one word, {} clocks a warp", fixed(*same, 1))};
  to["update_float_clocks"] = {*floats / 32, formatted("the same with floats, {} clocks a warp", fixed(*floats, 1))};
  to["update_swap_clocks"] = {*swaps / 4,
                              formatted("compare-and-swaps on 32 words, {} clocks a warp", fixed(*swaps, 1))};
  const timed_launch random{"add_random", blocks, full_block, 8, 1 << 20, 7};
  const auto r = rate_of(m, random, static_cast<double>(blocks) * full_block * gathered);
  if (!r) return r.error();
  to["update_total"] = {r->a_clock(), "additions to random words of 4 MB"};
  return done{};
}

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
  // Without permission to read counters, it stays assumed.
  if (const auto overhead = launch_overhead(m.on(),
                                            [&] {
                                              return m.start({"pipe_float", m.facts().multiprocessors, 128, 16});
                                            });
      overhead)
    to["launch_cycles"] = {*overhead, "counters: elapsed clocks less those of the busiest multiprocessor"};
  return done{};
}

// The GPU's row of gpus.def, or a description made from the driver's attributes.
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
    return diagnostic{
        formatted("this GPU is sm_{}, and times are predicted for sm_{} and later", facts.sm, oldest_timed_sm)};
  constexpr std::uint64_t steps = 10;
  std::uint64_t step = 0;
  progress(step++, steps, "compiling kernels");
  time_meter m(on);
  if (const auto ok = m.begin(); !ok) return ok.error();
  // Long enough for the clock to rise.
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
        measure("launches", measure_launch, busy->gigahertz)})
    if (!ok) return ok.error();

  timing::parameter_file f;
  f.gpu = facts.name;
  f.sm = facts.sm;
  f.running_clock = busy->gigahertz;
  found["multiprocessors"] = {static_cast<double>(facts.multiprocessors), "the driver"};
  if (!is_known) found["sm_clock"] = {base_clock, "during the measurement: the base clock is not known"};
  const timing::gpu_parameters scaled = timing::parameters_of(is_known ? *timing::find_gpu(facts.name) : description);
  const timing::gpu_parameters h100;
  // The measured values, then the same values converted to the clock rate of predictions.
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
      p.source = scaled.*row.value == h100.*row.value ? "the H100 SXM" : "the H100 SXM, scaled";
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
  return formatted("{}, sm_{}, at {} GHz: {} of {} parameters were measured\n\n", f.gpu, f.sm,
                   fixed(f.running_clock, 2), measured, f.rows.size()) +
         t.text(style{});
}

}  // namespace bankwise::probe
