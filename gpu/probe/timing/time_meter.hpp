// Launches the kernels of timing_kernels.hpp on a GPU, and returns their times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.hpp"
#include "gpu/probe/driver.hpp"

namespace bankwise::probe {

inline constexpr unsigned threads_of_warp = 32, full_block = 1024, quarters = 4;

// The memory that a kernel reads and writes.
enum class memory_of : std::uint8_t { gpu, host };

// A launch of one of the kernels.
struct timed_launch {
  const char* kernel;
  unsigned blocks = 1, threads = threads_of_warp;
  std::uint64_t rounds = 1, a = 0, b = 0;
  memory_of data = memory_of::gpu;
};

// The times of a launch.
struct launch_clocks {
  double clocks = 0;       // clocks of the first block
  double mean_clocks = 0;  // mean clocks of all blocks
  double nanoseconds = 0;  // from the first begin to the last end of a block
  double gigahertz = 0;    // clock of the multiprocessors
};

// A rate, in bytes or other units per nanosecond, and the clock at which it was measured.
struct stream_rate {
  double a_nanosecond = 0, gigahertz = 0;
  double a_clock() const { return a_nanosecond / gigahertz; }
};

class time_meter {
 public:
  explicit time_meter(gpu& on) : on_(on), facts_(on.facts()) {}

  // Compiles the kernels, and allocates the memory.
  result<done> begin();

  result<done> start(const timed_launch& l);
  result<launch_clocks> run(const timed_launch& l);
  // The minimum of several launches. Other work on the GPU can only add time.
  result<launch_clocks> best(const timed_launch& l, unsigned times = 4);
  // The clocks of a round, without the time of the kernel's begin and end.
  result<double> round(timed_launch l);
  // A stream in a region of about `bytes` bytes. All threads begin again several times.
  timed_launch stream_of(const char* kernel, unsigned threads, unsigned bytes_each, std::uint64_t bytes,
                         std::uint64_t moved) const;
  result<stream_rate> stream_rate_of(const timed_launch& l);
  // `of_round` is what all blocks move or do in a round.
  result<stream_rate> rate_of(const timed_launch& l, double of_round);

  gpu& on() { return on_; }
  const gpu_facts& facts() const { return facts_; }
  std::uint64_t l2() const { return l2_; }
  std::uint64_t data_bytes() const { return data_bytes_; }

 private:
  gpu& on_;
  const gpu_facts& facts_;
  std::uint64_t l2_ = 0, data_bytes_ = 0;
  cuda::pointer data_ = 0, results_ = 0, of_host_ = 0;
};

// A measured value of a parameter, and its source.
struct measured_value {
  double value;
  std::string how;
};
using measured_values = std::map<std::string, measured_value, std::less<>>;

// The size of host memory, in bytes, for kernels with memory_of::host.
inline constexpr std::uint64_t host_bytes = std::uint64_t{16} << 20;

// Measurements. Each adds parameters to `to`.
result<done> measure_shared(time_meter& m, measured_values& to);
result<done> measure_chains(time_meter& m, measured_values& to);
result<done> measure_pipes(time_meter& m, measured_values& to);
result<done> measure_latencies(time_meter& m, measured_values& to);
result<done> measure_dram(time_meter& m, measured_values& to);
result<done> measure_l2(time_meter& m, measured_values& to);
result<done> measure_capacity(time_meter& m, measured_values& to);
result<done> measure_atomics(time_meter& m, measured_values& to);
result<done> measure_swaps(time_meter& m, measured_values& to);
result<done> measure_host(time_meter& m, measured_values& to);

// The clocks from a load of a chain to the next one, and the clock rate at which they were measured.
struct chain_latency {
  double clocks, gigahertz;
};
// Measures a chain through the lines of a region. If there are several blocks, each follows a part of the chain.
// `again` says that lines may be in a cache from an earlier launch.
result<chain_latency> follow_chain(time_meter& m, timed_launch chain, std::uint64_t bytes, bool again);

}  // namespace bankwise::probe
