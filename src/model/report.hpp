// The report contains the cost of each shared-memory instruction in each launch. The costs come from the emulator's
// events and the rule. Renderers only read the report.
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
#include "model/parts/program_fault.hpp"
#include "model/time/small_launches.hpp"
#include "model/time/timeline.hpp"

namespace bankwise {

// Launches of a kernel that are missing in the report. In a recording, no launch with this grid and block was recorded.
// In an emulated run, the report had no room for further launches.
struct unrecorded_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  bool without_accesses = false;  // whether the kernel's code does not access shared memory
};

// Failed launches of a kernel. An earlier launch was only a sample, so memory lacked values that a complete launch
// writes.
struct failed_launches {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t launches = 0;
  std::string why;  // reason of the first failure
};

// Equal launches that CUDA refused, so that the kernel did not run.
struct refused_launches {
  std::string kernel;                            // name of the kernel, or empty if the program has no such kernel
  std::array<std::uint32_t, 3> grid{}, block{};  // as the program passed them; they may contain zeros
  std::uint64_t dynamic_shared_bytes = 0;
  std::string error;      // name of the status, such as "cudaErrorInvalidValue"
  std::string why, hint;  // the reason, and the call or change that helps
  std::uint64_t launches = 0;
  std::uint64_t number = 0;        // number of the first of these launches in the process, from 1
  std::vector<std::string> trail;  // lines of text: the place of the first launch in the program
  bool handled = false;            // whether the program looked at the error of each launch
};

// Equal calls of CUDA that returned an error that the program did not look at.
struct failed_calls {
  std::string function, error;  // for example "cudaMemcpy" and "cudaErrorInvalidValue"
  std::uint64_t calls = 0;
  std::vector<std::string> trail;  // lines of text: the place of the first call in the program
};

// A function of a math library, such as cuBLAS, that was computed on the host. The kernels of the library were not
// counted.
struct library_use {
  std::string function;
  std::uint64_t calls = 0;
  std::string computed_by;  // name of the library on the host, for example "OpenBLAS"
};

inline constexpr std::size_t most_launches = std::size_t{1} << 16;  // limit of different launches in a report

struct report {
  std::string arch;
  std::string origin;  // source of the accesses: "emulated" or "recorded"
  machine on;
  std::vector<launch_report> launches;  // the launches, in the order of their first occurrence
  // Only some renderers show the members below. For all other renderers, these members are empty.
  std::vector<kernel_code> code;                   // the code of each kernel that was launched
  std::map<std::string, std::string> sources;      // key: path. Value: text of a source file that was found
  std::vector<unrecorded_launches> not_recorded;   // launches that are missing in the report
  std::vector<failed_launches> failed = {};        // launches that failed after a sample
  std::vector<library_use> library_calls = {};     // library calls, in the order of their first occurrence
  std::vector<refused_launches> refused = {};      // launches that CUDA refused, in the order of their first occurrence
  std::vector<failed_calls> ignored_errors = {};   // other calls with errors, in the order of their first occurrence
  std::vector<program_fault> program_faults = {};  // faults of other calls, which a check found
  small_launches small = {};                       // launches that are shorter than their cost; empty if they are few
  program_timeline timeline = {};                  // of the process of a program that takes longest; may be empty
  early_end partial{};                             // early end of the whole program, or of its only launch
  std::string failure = {};                        // how and where the program failed; empty if it did not fail
  std::string failed_kernel = {};                  // full name of the kernel whose launch failed; may be empty
};

early_end early_end_of(const report& r);
// Returns how the program failed, also for a report without `failure`. Returns an empty string if it did not fail.
std::string failure_of(const report& r);
// Returns a failure in one line: "kernel scan<64>: reads 4 bytes ... (scan.cu:18)".
std::string failure_sentence(const diagnostic& why);
// Returns the sum of the predicted times, for all launches or for the launches in `wanted`. The result is empty if a
// launch has no prediction, or if predictions are for different GPUs.
predicted_time time_of_launches(const report& r, const std::function<bool(const launch_report&)>& wanted = {});
predicted_time time_of_launches(const std::vector<const launch_report*>& launches);
exactness exactness_of(const report& r);

}  // namespace bankwise
