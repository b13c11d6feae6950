// The pipes of a quarter: when each pipe accepts the next instruction. The facts about the pipes are in pipes.def.
#pragma once

#include <algorithm>
#include <array>

#include "timing/gpu_parameters.hpp"
#include "timing/instruction_cost.hpp"
#include "timing/pipe.hpp"

namespace bankwise::timing {

// The clocks of instructions in the pipes of a GPU.
class pipe_clocks {
 public:
  explicit pipe_clocks(const gpu_parameters& p)
      : scales_(scales_of(p)),
        float_pipes_(p.float_pipes),
        address_interval_(p.address_interval),
        float_sums_(p.float_sums),
        product_alu_(p.product_alu),
        product_special_(p.product_special),
        product_floats_(p.product_floats),
        product_floats_wide_(p.product_floats_wide) {}

  // Returns the clocks for which an instruction occupies a pipe.
  double interval_of(pipe use, const instruction_cost& c) const {
    const pipe_scale& s = scales_[static_cast<std::size_t>(use)];
    return c.interval * s.times / s.divided_by * (c.sums_to_floats ? float_sums_ : 1);
  }
  // Returns the factor for these clocks while a wgmma runs in the quarter: it reads and writes its sums through the same
  // registers. `wide`: is_wide_product().
  double next_to_products(const instruction_cost& c, bool wide) const {
    switch (c.pipe) {
      case pipe::alu: return product_alu_;
      case pipe::special: return product_special_;
      case pipe::fma:
      case pipe::fma_heavy:
      case pipe::fma_lite: return wide ? product_floats_wide_ : product_floats_;
      default: return 1;
    }
  }
  // Returns the clocks until the pipe of the instruction accepts another warp.
  double turn_of(const instruction_cost& c) const;
  bool has_two_float_pipes() const { return float_pipes_ > 1; }

 private:
  std::array<pipe_scale, pipe_count> scales_;
  double float_pipes_, address_interval_, float_sums_;
  double product_alu_, product_special_, product_floats_, product_floats_wide_;
};

// Whether a wgmma has so many columns that it leaves few clocks of the registers to other warps. next_to_products measured
// products with 64 and with 256 columns.
inline bool is_wide_product(const instruction_cost& c) { return c.interval >= 64; }

struct pipes_of_quarter {
  std::array<double, pipe_count> free{};  // time from which each pipe accepts an instruction
  std::array<double, pipe_count> busy{};  // clocks for which each pipe was busy

  double& free_at(pipe p) { return free[static_cast<std::size_t>(p)]; }
  double free_at(pipe p) const { return free[static_cast<std::size_t>(p)]; }

  // Returns the time until which the pipe of an instruction is busy. Memory instructions wait for their queue instead
  // (data_stage.hpp).
  double taken_until(const instruction_cost& c, const pipe_clocks& clocks) const {
    switch (c.pipe) {
      case pipe::none:
      case pipe::memory:
      case pipe::count: return 0;
      case pipe::fma:
        return clocks.has_two_float_pipes() ? std::min(free_at(pipe::fma_heavy), free_at(pipe::fma_lite))
                                            : free_at(pipe::fma_heavy);
      default: return free_at(c.pipe);
    }
  }
  // Puts an instruction into its pipe, for so many warps. For 0, the pipe accepts the next instruction at once.
  void take(const instruction_cost& c, const pipe_clocks& clocks, double warps, double at);
};

}  // namespace bankwise::timing
