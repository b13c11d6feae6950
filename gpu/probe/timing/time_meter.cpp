#include "gpu/probe/timing/time_meter.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "gpu/probe/kernels.hpp"
#include "gpu/probe/timing/timing_kernels.hpp"

namespace bankwise::probe {

namespace {

constexpr unsigned most_blocks = 4096;
// Number of bytes by which a stream may exceed the end of its region, because a stream always completes its last step.
constexpr std::uint64_t past_end = std::uint64_t{1} << 16;

double middle(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace

result<done> time_meter::begin() {
  if (const auto ok = on_.load(kernel_text(facts_.sm) + timing_kernels(facts_.sm), facts_.shared_bytes_per_block); !ok)
    return ok.error();
  l2_ = std::max<std::uint64_t>(facts_.l2_bytes, std::uint64_t{1} << 20);
  data_bytes_ = std::bit_ceil(std::max<std::uint64_t>(8 * l2_, std::uint64_t{1} << 28));
  const auto data = on_.allocate(data_bytes_ + past_end);
  if (!data) return data.error();
  const auto results = on_.allocate(most_blocks * sizeof(block_times));
  if (!results) return results.error();
  const auto of_host = on_.allocate_host(host_bytes + past_end);
  if (!of_host) return of_host.error();
  data_ = *data;
  results_ = *results;
  of_host_ = *of_host;
  // Writes all of the memory once. A GPU may not have allocated memory that was never written.
  const std::uint64_t step = std::uint64_t{facts_.multiprocessors} * full_block * 16 * streamed;
  const timed_launch clear{
      "stream_write",   facts_.multiprocessors, full_block, std::max<std::uint64_t>(1, data_bytes_ / step), 16,
      data_bytes_ >> 12};
  const auto cleared = run(clear);
  return cleared ? result<done>(done{}) : cleared.error();
}

result<done> time_meter::start(const timed_launch& l) {
  const cuda::pointer data = l.data == memory_of::host ? of_host_ : data_;
  return on_.launch(l.kernel, l.blocks, l.threads, 4096, {data, results_, l.rounds, l.a, l.b, 0});
}

result<launch_clocks> time_meter::run(const timed_launch& l) {
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

result<launch_clocks> time_meter::best(const timed_launch& l, unsigned times) {
  std::optional<launch_clocks> least;
  for (unsigned i = 0; i < times; ++i) {
    const auto one = run(l);
    if (!one) return one;
    if (!least || one->nanoseconds + one->mean_clocks < least->nanoseconds + least->mean_clocks) least = *one;
  }
  return *least;
}

result<double> time_meter::round(timed_launch l) {
  const auto few = best(l);
  if (!few) return few.error();
  const std::uint64_t rounds = l.rounds;
  l.rounds = 3 * rounds;
  const auto many = best(l);
  if (!many) return many.error();
  return (many->clocks - few->clocks) / static_cast<double>(2 * rounds);
}

timed_launch time_meter::stream_of(const char* kernel, unsigned threads, unsigned bytes_each, std::uint64_t bytes,
                                   std::uint64_t moved) const {
  const std::uint64_t step = std::uint64_t{facts_.multiprocessors} * threads * bytes_each;
  const std::uint64_t region = std::max<std::uint64_t>(1, bytes / step) * step;
  return {kernel,     facts_.multiprocessors, threads, std::max<std::uint64_t>(1, moved / (step * streamed)),
          bytes_each, (region + 4095) / 4096};
}

result<stream_rate> time_meter::stream_rate_of(const timed_launch& l) {
  return rate_of(l, static_cast<double>(l.blocks) * l.threads * streamed * static_cast<double>(l.a));
}

result<stream_rate> time_meter::rate_of(const timed_launch& l, double of_round) {
  const auto r = best(l);
  if (!r) return r.error();
  if (r->nanoseconds <= 0 || r->gigahertz <= 0)
    return diagnostic{formatted("the GPU's timer did not advance during {}", l.kernel),
                      {},
                      "run nvidia-smi to see the state of the GPU"};
  return stream_rate{of_round * static_cast<double>(l.rounds) / r->nanoseconds, r->gigahertz};
}

}  // namespace bankwise::probe
