// A quarter (sub-partition) of a multiprocessor: its warps, its pipes, and the choice of the warp that issues next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "timing/gpu_parameters.hpp"
#include "timing/multiprocessor/data_stage.hpp"
#include "timing/multiprocessor/pipes.hpp"
#include "timing/multiprocessor/register_banks.hpp"
#include "timing/multiprocessor/warp.hpp"

namespace bankwise::timing {

struct quarter {
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<running_warp*> warps;
  double free = 0;  // time from which the quarter can issue again
  pipes_of_quarter pipes;
  register_banks banks;
  double products_end = 0;     // when its last wgmma ends
  bool wide_products = false;  // whether this wgmma has many columns
  memory_queue queue;
  std::vector<std::uint32_t> code;  // lines in the instruction cache of the quarter
  running_warp* last = nullptr;
  bool may_stay = true;  // whether the quarter may issue from `last` again
  std::uint64_t issued = 0;
  double held = 0;  // clocks in which the quarter issued, or waited for the register banks before it could issue again
  // The warp that issues next, and the time of the issue. If is_stale is set, both must be computed again.
  running_warp* next = nullptr;
  double next_at = 0;
  bool is_stale = true;

  // Returns the time until which the pipe or queue of an instruction is busy.
  double taken_until(const instruction_cost& c, const pipe_clocks& clocks) const {
    return c.pipe == pipe::memory ? queue.taken_until() : pipes.taken_until(c, clocks);
  }
  // Finds the warp that issues next.
  void choose(const gpu_parameters& p, const pipe_clocks& clocks);
  // Removes a warp that has ended.
  void remove(running_warp& w);
};

class quarters {
 public:
  static constexpr unsigned number = 4;

  explicit quarters(const gpu_parameters& p);

  // Returns the quarter that issues next, or null if no warp can issue.
  quarter* next(const gpu_parameters& p, const pipe_clocks& clocks);
  // Puts a warp of a new block into the quarter with the fewest warps. `in_block`: number of the warp in its block.
  void place(running_warp& w, std::size_t in_block);
  // Makes all quarters choose again, because warps were released.
  void look_again();

  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::array<quarter, number> all_;
};

}  // namespace bankwise::timing
