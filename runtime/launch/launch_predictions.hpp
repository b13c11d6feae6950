// Chooses the launches of a program whose times on the GPU are predicted. A launch that does the same work as a
// predicted launch of its kernel gets the time of that launch. A launch that does other work is predicted itself.
//
// Whether the work is the same is known after the launch has been executed (launch_work.hpp). But a prediction needs
// blocks that are recorded while they execute, which is slow. So launches are recorded if they may do new work: the
// first launch of a shape, the launch after a launch with new work, launches with new parameters, and further launches
// as long as recordings that turned out to be unnecessary are a small part of the program's work. If a launch with new
// work was not recorded, it has no time, and the report says why.
//
// All predictions together may trace or replay 30 million instructions, which takes about 30 s. With --time, they may
// take at most a quarter of the time limit. In a long program, the limit rises to a hundredth of the instructions that
// the program has executed. The limit counts instructions, so that the same launches are predicted on every machine.
// After the limit, launches with new work have no time. The report shows the reason. The timeline then takes the time of
// the kernel's most similar launch, scaled by the work.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulate/launch/launch.hpp"
#include "model/report.hpp"
#include "profile/profile_launch.hpp"
#include "runtime/launch/launch_work.hpp"

namespace bankwise::cuda {

class launch_predictions {
 public:
  // `of_launches` is the time limit of all launches (--time). 0 means no limit.
  explicit launch_predictions(bool is_limited = true, std::chrono::nanoseconds of_launches = {});

  // Whether blocks of the launch are to be recorded while it runs, because it may do new work. Call this only for
  // launches whose time the user requested.
  bool wants_record(const emulate::launch& l) const;
  // Whether the launch is expected to do new work: the first launch of a shape, and the launch after one with new work.
  bool expects_new_work(const emulate::launch& l) const;
  // What is to be predicted of the launch, because no predicted launch of its shape did the same work, and the limit is
  // not reached. In the second half of the limit, only the first launch of a kernel gets savings. `w`: what the launch
  // did.
  predicted_part wants(const emulate::launch& l, const launch_work& w) const;
  // Adds the time to the report of a launch that was executed. A launch that was predicted has its time already, which
  // is stored. `records`: whether blocks of the launch were recorded.
  void complete(const emulate::launch& l, const launch_work& w, bool is_predicted, bool records, launch_report& r);
  // Counts the instructions of a launch that repeats an earlier launch and was not executed.
  void note_repeat(std::uint64_t instructions) { executed_ += instructions; }

 private:
  struct site_time {
    std::string function;
    std::uint64_t pc = 0;
    stall_cycles stalls;
    std::uint64_t saved_cycles = 0;
    std::uint32_t cause = 0;
  };
  struct prediction {
    launch_work work;
    predicted_time time;
    unpredicted missing = unpredicted::none;
    std::vector<site_time> sites, global_sites;
  };
  struct shape {
    std::vector<prediction> known;
    bool is_new = true;                // whether the last launch did new work
    std::uint64_t recorded = 0;        // instructions that the last recording of the shape recorded
    std::set<std::string> parameters;  // parameters of the launches that were recorded
  };
  using extent = std::array<std::uint32_t, 3>;
  using key = std::tuple<const cubin::kernel*, extent, extent, extent, std::uint32_t>;
  static key key_of(const emulate::launch& l);
  static const prediction* like(const shape& s, const launch_work& w);
  static prediction prediction_of(const launch_work& w, const launch_report& r);
  static void give(const prediction& p, launch_report& r);
  std::uint64_t limit() const;
  bool is_spent() const;
  std::optional<time_in_program> scaled_time(const emulate::launch& l, const launch_work& w) const;

  bool is_limited_;
  // Numbers of instructions: the limit of all predictions, the part that is used up, the instructions that were recorded
  // without need, and the instructions executed so far.
  std::uint64_t most_, spent_ = 0, needless_ = 0, executed_ = 0;
  std::map<key, shape> shapes_;
};

}  // namespace bankwise::cuda
