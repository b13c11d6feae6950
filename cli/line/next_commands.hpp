// Suggests commands that the user may run after a report.
//
//     next:
//       bankwise fix --apply -- ./app                        # write the fix into the source
//       bankwise run --all ./app                             # every instruction, and the banks of each finding drawn
//       bankwise run --format html -o report.html ./app      # a page with source, SASS and PTX
//
// A long command is printed only once, followed by the flags that the user can add:
//
//     next:
//       bankwise run transpose.cu -k plain --grid 32,32 --block 32,8 --arg out:f32[1M] --arg f32[1M]=iota
//       with one of these flags added:
//         --accesses -o report.json      # then bankwise fix --apply report.json writes the fix into the source
//         --all                          # every instruction, and the banks of each finding drawn
#pragma once

#include <string>
#include <vector>

#include "report/table/style.hpp"

namespace bankwise::cli {

struct next_facts {
  bool found = false;             // whether a finding is about shared memory
  bool found_sectors = false;     // whether a remedy saves sectors of global memory
  bool looked = false;            // whether bankwise searched for fixes
  bool has_fix = false;           // whether a finding has a fix
  bool can_apply = false;         // whether `fix --apply` would make an edit
  bool can_remove_delay = false;  // whether `fix --apply` would make an edit that removes a delay
  bool failed = false;            // whether the program or a launch failed, or the program printed that it failed
  bool has_move = false;          // whether a change of instructions saves time or wavefronts
  std::vector<std::string> file;  // program and arguments of the run; empty for a kernel of a file
  std::vector<std::string> build_flags;  // flags of the run that `fix` also needs, such as --arch=sm_80 or --nvcc=-O2
};

// Returns the suggestions. `words` are the words of the command line after `bankwise`. A command whose result already
// exists is not suggested. A command is always one line, so that users can copy it easily. If the command and its
// reason are wider than the terminal, the reason is printed above the command.
std::string next_commands(const std::vector<std::string>& words, const style& s, const next_facts& facts);

}  // namespace bankwise::cli
