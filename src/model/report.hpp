// The report value: what each shared-memory instruction of each launch cost. It is made from the emulator's events and
// the rule; renderers only read this value.
//
//     report
//       launch   tr_pad, grid 32x32, 4,352 bytes of shared memory
//         site   pc 0x1d0  LDS R7, [R8]   transpose.cu:114   executed 8,192   wavefronts 262,144   worst access: ...
//         site   ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "expr/names/machine_names.hpp"
#include "model/launch.hpp"
#include "model/parts/kernel_code.hpp"

namespace bankwise {

// A kernel of a recorded program, with a grid and a block, without a recorded launch.
struct unrecorded_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  bool without_accesses = false;  // its code touches no shared memory
};

// Launches of a kernel that failed after a sample: the memory that they read was not what earlier kernels would have
// written.
struct failed_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  std::string why;  // of the first
};

// A function of a math library, such as cuBLAS, that the host computed: its kernels are NVIDIA's, and they were not
// counted.
struct library_use {
  std::string function;
  std::uint64_t calls = 0;
  std::string computed_by;  // "OpenBLAS"
};

inline constexpr std::size_t most_launches = std::size_t{1} << 16;  // of different launches in a report

struct report {
  std::string arch;
  std::string origin;  // how the accesses were obtained: "emulated", "recorded"
  machine on;
  std::vector<launch_report> launches;  // by first occurrence
  // Only filled for a renderer that shows them:
  std::vector<kernel_code> code;                  // for each kernel of the launches
  std::map<std::string, std::string> sources;     // the text of each source file that was found
  std::vector<unrecorded_launches> not_recorded;  // of a recording
  std::vector<failed_launches> failed = {};       // after a sample
  std::vector<library_use> library_calls = {};    // by first occurrence
  early_end partial{};                            // for the program, or for its only launch
};

// The reason why a report is incomplete: its own early end, or that of a launch.
early_end early_end_of(const report& r);
// The sum of the predicted times of the launches, of all or only of the wanted ones; empty if one of them has no
// prediction, or if they are for different GPUs.
predicted_time time_of_launches(const report& r, const std::function<bool(const launch_report&)>& wanted = {});
predicted_time time_of_launches(const std::vector<const launch_report*>& launches);
exactness exactness_of(const report& r);  // the exactness of its least reliable launch

}  // namespace bankwise
