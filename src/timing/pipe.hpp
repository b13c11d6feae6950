// The pipes that execute instructions, and the facts about each pipe: a row of pipes.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "timing/gpu_parameters.hpp"
#include "timing/stall.hpp"

namespace bankwise::timing {

enum class pipe : std::uint8_t {
#define PIPE(name, times, divided_by, counted, waits, throttle) name,
#include "timing/pipes.def"
  count,
};
inline constexpr auto pipe_count = static_cast<std::size_t>(pipe::count);

// The pipes that Nsight Compute counts.
enum class counted_pipe : std::uint8_t {
#define COUNTED_PIPE(name, a_clock) name,
#include "timing/counted_pipes.def"
  count,
};

// The instructions of a pipe that wait for the barriers of their warp.
enum class waits_of_pipe : std::uint8_t { all, jumps, constant_loads };

struct pipe_row {
  std::string_view name;
  counted_pipe counted;
  waits_of_pipe waits;
  stall_reason throttle;
};
inline constexpr pipe_row pipe_rows[] = {
#define PIPE(name, times, divided_by, counted, waits, throttle) \
  {#name, counted_pipe::counted, waits_of_pipe::waits, stall_reason::throttle},
#include "timing/pipes.def"
};
constexpr const pipe_row& row_of(pipe p) { return pipe_rows[static_cast<std::size_t>(p)]; }

// The clocks of a pipe on a GPU: those of opcode_pipes.def times `times` and divided by `divided_by`.
struct pipe_scale {
  double times = 1, divided_by = 1;
};
std::array<pipe_scale, pipe_count> scales_of(const gpu_parameters& p);

}  // namespace bankwise::timing
