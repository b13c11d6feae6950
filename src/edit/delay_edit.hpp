// An edit of a source that removes a delay of a kernel's launches (delay_edits.def):
//
//     barriers          __syncthreads();                __syncwarp();
//     floats            y = 0.5 * sqrt(x);              y = 0.5f * sqrtf(x);
//     bounds            __global__ void k(int* out)     __global__ void __launch_bounds__(256, 4) k(int* out)
//     unrolling         for (int i = 0; i < n; ++i)     the same, after a line with #pragma unroll 4
//     restricted        k(const float* a, float* b)     k(const float* __restrict__ a, float* __restrict__ b)
//     alignment         x = a[4 * i] + a[4 * i + 1]     the same, after a line that tells that `a` is aligned
//     grid              k<<<16, 256>>>(a)               k<<<1056, 256>>>(a), for a loop with any number of blocks
//     block             k<<<n / 32, 32>>>(a)            k<<<n / 256, 256>>>(a)
//     fast_functions    sinf(x)                         __sinf(x)
//     axes              row = threadIdx.x               row = threadIdx.y
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_change.hpp"
#include "model/time/delay.hpp"

namespace bankwise::edit {

enum class delay_edit_kind : std::uint8_t {
#define DELAY_EDIT(name, function, where, needs_check, risk) name,
#include "edit/delay_edits.def"
};

struct delay_edit {
  std::string words;                 // what changes, such as "0.5 becomes 0.5f"
  std::vector<text_change> changes;  // in the order of the source
  std::vector<std::string> lines;    // the changed lines, such as "12: __syncwarp();"
  std::string refused;               // why there is no edit; empty if there is one
};

// The launch with the delay.
struct edited_launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint64_t wave = 0;         // number of its blocks that the GPU executes at the same time; 0 if unknown
  bool has_other_shapes = false;  // whether other launches of the kernel have another grid or other blocks
  std::uint64_t threads() const { return std::uint64_t{block[0]} * block[1] * block[2]; }
  std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
};

// Returns the edits that may remove a delay, in the order of their trials. Delays without one need another design of
// the kernel or of its launch.
std::vector<delay_edit_kind> edits_of(delay_kind k);
bool has_edit(delay_kind k);
std::string_view name_of(delay_edit_kind k);
// Returns why an edit may change results, or an empty text if it cannot.
std::string_view risk_of(delay_edit_kind k);
// Whether an edit is only made if the edited program is run and compared.
bool needs_check(delay_edit_kind k);

// `line` is the delay's line in this source, or any line of the kernel if the delay belongs to the whole launch; 0 if
// it is unknown. `kernel` is the kernel's name with its namespaces, without parameters.
delay_edit edit_delay(std::string_view source, delay_edit_kind by, const delay& d, std::uint32_t line,
                      std::string_view kernel, const edited_launch& launch);

}  // namespace bankwise::edit
