// Whether a program computes the same after an edit as before: compares its output, the files that it writes, and the
// data that it copies from the device.
//
//     before    checksum 264359811.0, time 0.3 ms
//     after     checksum 264359811.0, time 0.2 ms      equal: a number with a unit of time is not a result
//     after     checksum 261000000.0, time 0.3 ms      another result
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/run/measured_run.hpp"

namespace bankwise::cli {

// Compares two texts.
struct text_comparison {
  std::string difference;            // the first line that differs, as a sentence; empty if they are equal
  std::vector<std::size_t> ignored;  // lines, from 1, with numbers that differ and were not compared
};

// Numbers with a unit of time or rate are not compared. Nor are numbers that differ in `again`, the output of a second
// run of the program of `after`.
text_comparison compare_texts(const std::string& before, const std::string& after, const std::string& again);

struct run_comparison {
  std::string difference;            // "prints something different: line 3: ..."; empty if they are equal
  bool is_of_file_list = false;      // the difference is a file that only one of the two wrote
  std::vector<std::string> ignored;  // "line 2 of its output"
};
run_comparison compare_runs(const measured_run& before, const measured_run& after, const measured_run& again);

// Removes some files from all three runs: files that only one of the two runs without the edit wrote (`before` or
// `unedited`). Other processes wrote them, or their names differ between runs. Returns their names.
std::vector<std::string> drop_unsteady_files(measured_run& before, measured_run& after, measured_run& again,
                                             const file_contents& unedited);

// Whether nothing at all differs, so that no third run is needed.
bool are_equal(const measured_run& a, const measured_run& b);

}  // namespace bankwise::cli
