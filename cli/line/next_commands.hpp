// Suggestions for the next command, printed below a report:
//
//     next:
//       bankwise fix --apply -- ./app                        # write the fix into the source
//       bankwise run --all ./app                             # every instruction, and the banks of each finding drawn
//       bankwise run --format html -o report.html ./app      # a page with source, SASS and PTX
//
// A long command appears once, with the flags to add to it:
//
//     next:
//       bankwise run transpose.cu -k plain --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota --arg
//       i32=1024 with one of these flags added:
//         --accesses -o report.json      # then bankwise fix --apply report.json writes the fix into the source
//         --all                          # every instruction, and the banks of each finding drawn
#pragma once

#include <string>
#include <vector>

#include "report/text/style.hpp"

namespace bankwise::cli {

struct next_facts {
  bool found = false;                    // something to remove in shared memory
  bool found_sectors = false;            // sectors of global memory that a remedy saves
  bool looked = false;                   // for fixes
  bool has_fix = false;                  // and a finding exists
  bool failed = false;                   // the program, or one of its launches, failed
  bool has_move = false;                 // other instructions save something
  std::vector<std::string> file;         // the program that was run, with its arguments; empty for a kernel of a file
  std::vector<std::string> build_flags;  // flags of the run that fix also needs: --arch=sm_80, --nvcc=-O2
};

// `words`: the command line after the program's own name. Commands whose result already exists are not suggested. If a
// command and its reason do not fit the width, the reason is above the command. A command is always one line, so that
// it can be copied.
std::string next_commands(const std::vector<std::string>& words, const style& s, const next_facts& facts);

}  // namespace bankwise::cli
