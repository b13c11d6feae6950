// An edit of a source that removes a delay of a kernel's launches:
//
//     needless_barriers    __syncthreads();                __syncwarp();
//     double_arithmetic    y = 0.5 * sqrt(x);              y = 0.5f * sqrtf(x);
//     low_occupancy        __global__ void k(int* out)     __global__ void __launch_bounds__(256, 4) k(int* out)
//     late_loads           for (int i = 0; i < n; ++i)     the same, after a line with #pragma unroll 4
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_change.hpp"
#include "model/time/delay.hpp"

namespace bankwise::edit {

struct delay_edit {
  std::string words;                 // what changes, such as "0.5 becomes 0.5f"
  std::vector<text_change> changes;  // in the order of the source
  std::vector<std::string> lines;    // the changed lines, such as "12: __syncwarp();"
  std::string refused;               // why there is no edit; empty if there is one
};

// Whether delays of this kind have an edit. All others need another design of the kernel or of its launch.
bool has_edit(delay_kind k);
// Returns why the edit of a delay may change results, or an empty text if it cannot.
std::string_view risk_of(delay_kind k);

// `line` is the delay's line in this source, or any line of the kernel if the delay belongs to the whole launch; 0 if
// it is unknown. `kernel` is the kernel's name, without parameters. `threads` is the number of threads of a block.
delay_edit edit_delay(std::string_view source, const delay& d, std::uint32_t line, std::string_view kernel,
                      std::uint64_t threads);

}  // namespace bankwise::edit
