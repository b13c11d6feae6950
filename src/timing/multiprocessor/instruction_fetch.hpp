// The caches for the code and the constants of a multiprocessor.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"

namespace bankwise::timing {

class instruction_fetch {
 public:
  // The line of code that is fetched for a warp, and the time of its arrival.
  struct position {
    std::uint32_t line = ~0u;
    double since = 0;
  };

  // `instructions`: number of instructions of the code. `active`: number of multiprocessors that fetch the same code. If
  // `is_free` is set, code takes no time. If `comes_at_once` is set, all code arrives with its first line.
  instruction_fetch(const gpu_parameters& p, std::size_t instructions, double active, bool is_free, bool comes_at_once);

  // Returns when the instruction with index `code` arrives at a warp. `of_quarter`: the lines in the instruction cache of
  // the warp's quarter.
  double code(position& at_warp, std::vector<std::uint32_t>& of_quarter, std::uint32_t code, double at);
  // Returns when the line of constants of an instruction arrives.
  double constant(const instruction_cost& c, double at);

 private:
  void fetch(std::size_t line, double arrives);
  double cold() const { return p_.code_cold_latency + p_.code_cold_turn * active_; }

  const gpu_parameters& p_;
  const double active_;
  const bool is_free_, comes_at_once_;
  std::vector<double> lines_;  // time at which each line of code has arrived
  const bool is_ahead_;        // whether all code is fetched before it is needed
  std::unordered_map<std::uint32_t, double> constants_;
};

}  // namespace bankwise::timing
