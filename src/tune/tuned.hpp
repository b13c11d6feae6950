// What is known about the configurations of a space: predicted times and counts, or why a configuration has none. The
// results of several shards can be merged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tune/configuration.hpp"
#include "tune/space.hpp"

namespace bankwise::tune {

// What became of a configuration.
enum class outcome : std::uint8_t {
  ranked,
  not_compiled,   // the compiler or the build reported an error
  not_run,        // the launch was impossible, or a kernel or the program failed
  other_results,  // the results differ from those of the first configuration
  no_time,        // it ran, but its time could not be predicted
};
std::string_view name_of(outcome o);   // "not_compiled"
std::string_view words_of(outcome o);  // "does not compile"

// The prediction for one GPU. For a program, times are sums over its launches, and other facts are those of the launch
// that takes the longest.
struct gpu_time {
  double microseconds = 0, low = 0, high = 0;
  std::string bound;            // what bounds the time, such as "memory latency"
  std::uint32_t occupancy = 0;  // percent
  std::string finding;          // the first finding, such as "BW101 in transpose.cu:18"; empty if there is none
  double saving = 0;            // predicted microseconds that its remedy saves; 0 if unknown
  bool operator==(const gpu_time&) const = default;
};

struct tuned_row {
  std::size_t index = 0;  // number of the configuration in the space, from 0
  configuration what;
  outcome is = outcome::ranked;
  std::string reason;  // for all outcomes but `ranked`
  std::uint64_t registers = 0, shared_bytes = 0, wavefronts = 0, sectors = 0, launches = 0;
  std::vector<gpu_time> times;  // for each GPU, if the outcome is `ranked`
  bool operator==(const tuned_row&) const = default;
};

struct tuned {
  std::string subject;  // kernel or program
  std::vector<std::string> names;
  std::vector<std::string> gpus;  // titles, such as "H100 SXM"
  std::string key;                // stands for the space and everything that its results depend on but the machine
  std::string compared;           // how results were compared: "buffers", "output" or "no"
  std::size_t size = 0;           // configurations of the whole space
  shard part;
  std::vector<tuned_row> rows;  // in the order of the space
};

// Joins the results of shards of one space. `files` has a name for each result, for errors.
result<tuned> merge_tuned(const std::vector<tuned>& parts, const std::vector<std::string>& files);

}  // namespace bankwise::tune
