// Chooses the launches of a program whose time on the GPU is predicted, and the time that the other launches get.
//
// A prediction takes up to a few seconds. Launches of one kernel and shape are predicted once. If a launch executes a
// different number of instructions, another launch of the shape is predicted. The other launches get the time of the
// most similar prediction.
//
// All predictions together have a limit: 30 million traced or replayed instructions, which take about 30 s. If a
// hundredth of the executed instructions is more, that is the limit. With --time, the limit is a quarter of that time.
// The limit counts instructions, so that the same launches are predicted on every machine. Launches after the limit
// have no time, and the report says why.
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
  // `of_launches` is the time limit of all launches (--time), or 0.
  explicit launch_predictions(bool is_limited = true, std::chrono::nanoseconds of_launches = {});

  // Whether the launch is predicted. Call this only for a launch whose time is wanted.
  bool wants(const emulate::launch& l) const;
  // Adds the time to a launch's report. If the launch was predicted, keeps the prediction. Otherwise uses the
  // prediction of the earlier launch whose number of instructions is nearest.
  void complete(const emulate::launch& l, bool was_wanted, launch_report& r);

 private:
  struct site_time {
    std::string function;
    std::uint64_t pc = 0;
    stall_cycles stalls;
    std::uint64_t saved_cycles = 0;
  };
  struct prediction {
    std::uint64_t instructions = 0;  // warp instructions of the whole launch
    predicted_time time;
    unpredicted missing = unpredicted::none;
    std::vector<site_time> sites, global_sites;
  };
  struct shape {
    std::vector<prediction> known;
    bool differs = false;  // whether the last launch was similar to none of the predictions
  };
  using key =
      std::tuple<const cubin::kernel*, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::uint32_t>;
  static key key_of(const emulate::launch& l);
  static prediction prediction_of(const launch_report& r);
  static void give(const prediction& p, launch_report& r);
  bool is_spent() const;

  bool is_limited_;
  std::uint64_t most_, spent_ = 0, executed_ = 0;  // limit, use and executed instructions
  std::map<key, shape> shapes_;
};

}  // namespace bankwise::cuda
