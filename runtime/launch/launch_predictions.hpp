// Chooses the launches of a program whose times on the GPU are predicted. Each other launch gets the time of a similar
// launch.
//
// A prediction takes up to a few seconds. If several launches have the same kernel and shape, normally only the first
// is predicted. But if a launch of this shape executes a different number of instructions, the next launch of the shape
// is also predicted. A launch that is not predicted gets the time of the most similar predicted launch.
//
// All predictions together may trace or replay 30 million instructions, which takes about 30 s. With --time, they may
// take at most a quarter of the time limit. In a long program, the limit rises to a hundredth of the instructions that
// the program has executed. The limit counts instructions, so that the same launches are predicted on every machine.
// After the limit, launches are not predicted and have no time. The report shows the reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"

namespace bankwise::cuda {

class launch_predictions {
 public:
  // `of_launches` is the time limit of all launches (--time). 0 means no limit.
  explicit launch_predictions(bool is_limited = true, std::chrono::nanoseconds of_launches = {});

  // Whether the launch is to be predicted. Call this only for launches whose time the user requested.
  bool wants(const emulate::launch& l) const;
  // Adds the time to the report of a launch. If the launch was predicted, stores the prediction. Otherwise uses the
  // stored prediction whose number of instructions is nearest.
  void complete(const emulate::launch& l, bool was_wanted, launch_report& r);

 private:
  struct site_time {
    std::string function;
    std::uint64_t pc = 0;
    stall_cycles stalls;
    std::uint64_t saved_cycles = 0;
  };
  struct prediction {
    std::uint64_t instructions = 0;  // number of warp instructions of the whole launch
    predicted_time time;
    unpredicted missing = unpredicted::none;
    std::vector<site_time> sites, global_sites;
  };
  struct shape {
    std::vector<prediction> known;
    bool differs = false;  // true if no predicted launch was similar to the last launch
  };
  using key =
      std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::uint32_t>;
  static key key_of(const emulate::launch& l);
  static prediction prediction_of(const launch_report& r);
  static void give(const prediction& p, launch_report& r);
  bool is_spent() const;

  bool is_limited_;
  // Numbers of instructions: the limit of all predictions, the part that is used up, and the instructions executed so
  // far.
  std::uint64_t most_, spent_ = 0, executed_ = 0;
  std::map<key, shape> shapes_;
};

}  // namespace bankwise::cuda
