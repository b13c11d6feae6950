// Whether a program computes the same after an edit as before: what it prints, the files that it writes, and what it
// copies from the device.
//
//     before    checksum 264359811.0, time 0.3 ms
//     after     checksum 264359811.0, time 0.2 ms      the same: a number with a unit of time is not a result
//     after     checksum 261000000.0, time 0.3 ms      another result
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/run/measured_run.hpp"

namespace bankwise::cli {

// Compares two texts.
struct text_comparison {
  std::string difference;            // the first line that differs, in words; empty: they are the same
  std::vector<std::size_t> ignored;  // lines, from 1, with numbers that differ and were not compared
};

// Numbers with a unit of time or of a rate are not compared, nor are those that `again`, which another run of the same
// program as `after` printed, has otherwise.
text_comparison compare_texts(const std::string& before, const std::string& after, const std::string& again);

struct run_comparison {
  std::string difference;            // "prints something else than before: line 3: ..."; empty: the same
  std::vector<std::string> ignored;  // "line 2 of what it prints"
};
run_comparison compare_runs(const measured_run& before, const measured_run& after, const measured_run& again);

// Whether nothing at all differs, so that no third run is needed.
bool are_equal(const measured_run& a, const measured_run& b);

}  // namespace bankwise::cli
