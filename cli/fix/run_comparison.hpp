// Checks whether a program computes the same before and after an edit. Compares its output, the files that it writes,
// and the data that it copies from the device.
//
//     before    checksum 264359811.0, time 0.3 ms
//     after     checksum 264359811.0, time 0.2 ms      equal: a number with a unit of time is not a result
//     after     checksum 261000000.0, time 0.3 ms      a different result
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/fix/measured_run.hpp"

namespace bankwise::cli {

struct text_comparison {
  std::string difference;            // sentence about the first line that differs; empty if the texts are equal
  std::vector<std::size_t> ignored;  // numbers of lines that differ only in ignored values; the first line is 1
};

// Compares two outputs. Ignores numbers with a unit of time or rate. Also ignores numbers that differ between `after`
// and `again`, which are outputs of the same program.
text_comparison compare_texts(const std::string& before, const std::string& after, const std::string& again);

struct run_comparison {
  std::string difference;            // a text such as "prints something different: line 3: ..."; empty if equal
  bool is_of_file_list = false;      // whether the difference is a file that only one of the runs wrote
  std::vector<std::string> ignored;  // parts that were not compared, such as "line 2 of its output"
};
run_comparison compare_runs(const measured_run& before, const measured_run& after, const measured_run& again);

// Removes files from the results of the runs. `before` and `unedited` are two runs without the edit. If only one of
// these two runs has written a file, the file is removed: its name differs between runs, or another process wrote it.
// Returns the names of the removed files.
std::vector<std::string> drop_unsteady_files(measured_run& before, measured_run& after, measured_run& again,
                                             const file_contents& unedited);

// Whether the results of two runs are completely equal. Then no third run is needed.
bool are_equal(const measured_run& a, const measured_run& b);

}  // namespace bankwise::cli
