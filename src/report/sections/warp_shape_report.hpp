// The cost of a kernel whose warps consist of different threads, for `bankwise run --try-warps`.
//
//     warps of 8 x 4 threads: 4,096 clocks of the shared pipe instead of 8,192
//
//       const unsigned thread = threadIdx.y * 16 + threadIdx.x, warp = thread / 32, lane = thread % 32;
//       const unsigned tx = warp % 2 * 8 + lane % 8, ty = warp / 2 * 4 + lane / 8;
#pragma once

#include <string>
#include <vector>

#include "advise/warp_shapes.hpp"
#include "expr/names/machine_names.hpp"
#include "report/table/style.hpp"

namespace bankwise {

struct warp_shape_report {
  machine on;
  std::string kernel;
  advise::block_sides block{};
  advise::warp_trial as_it_is;
  std::vector<advise::warp_trial> others;
};

std::string to_text(const warp_shape_report& r, const style& s, bool all);
std::string to_json(const warp_shape_report& r);

}  // namespace bankwise
