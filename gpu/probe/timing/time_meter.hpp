// Launches the kernels of timing_kernels.hpp on a GPU, and returns their times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.hpp"
#include "gpu/probe/driver.hpp"

namespace bankwise::probe {

inline constexpr unsigned threads_of_warp = 32, full_block = 1024, quarters = 4;

// Whether the data of a kernel are in the memory of the GPU or of the host.
enum class memory_of : std::uint8_t { gpu, host };

// A launch of one of the kernels in timing_kernels.hpp.
struct timed_launch {
  const char* kernel;
  unsigned blocks = 1, threads = threads_of_warp;
  std::uint64_t rounds = 1, a = 0, b = 0;
  memory_of data = memory_of::gpu;
};

struct launch_clocks {
  double clocks = 0;       // clocks of the first block
  double mean_clocks = 0;  // mean clocks of all blocks
  double nanoseconds = 0;  // nanoseconds from the begin of the first block to the end of the last block
  double gigahertz = 0;    // clock rate of the multiprocessors
};

// A rate, and the clock rate at which it was measured. `a_nanosecond` is the number of bytes or operations per
// nanosecond.
struct stream_rate {
  double a_nanosecond = 0, gigahertz = 0;
  double a_clock() const { return a_nanosecond / gigahertz; }
};

class time_meter {
 public:
  explicit time_meter(gpu& on) : on_(on), facts_(on.facts()) {}

  // Compiles the kernels and allocates their memory.
  result<done> begin();

  result<done> start(const timed_launch& l);
  result<launch_clocks> run(const timed_launch& l);
  // Makes several launches, and returns the shortest one. Other work on the GPU can only make a launch longer.
  result<launch_clocks> best(const timed_launch& l, unsigned times = 4);
  // Returns the clocks of a round, without the start and end of the kernel.
  result<double> round(timed_launch l);
  // Returns a launch that reads or writes a region of about `bytes` bytes several times.
  timed_launch stream_of(const char* kernel, unsigned threads, unsigned bytes_each, std::uint64_t bytes,
                         std::uint64_t moved) const;
  result<stream_rate> stream_rate_of(const timed_launch& l);
  // Returns the rate of a launch. `of_round` is the number of bytes or operations of all blocks in a round.
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

// A measured value of a parameter, and how it was measured.
struct measured_value {
  double value;
  std::string how;
};
using measured_values = std::map<std::string, measured_value, std::less<>>;

// Size in bytes of the host memory for launches with memory_of::host.
inline constexpr std::uint64_t host_bytes = std::uint64_t{16} << 20;

// The measurements. Each function measures some parameters and adds them to `to`.
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

// The clocks from one load of a chain to the next load. Also the clock rate at which they were measured.
struct chain_latency {
  double clocks, gigahertz;
};
// Measures a chain of loads through the lines of a region. If there are several blocks, each block follows a part of
// the chain. If `again` is set, lines may be in a cache from an earlier launch.
result<chain_latency> follow_chain(time_meter& m, timed_launch chain, std::uint64_t bytes, bool again);

}  // namespace bankwise::probe
