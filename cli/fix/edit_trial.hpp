// The trial of edits: bankwise writes the edits into the sources, builds and runs the program, and compares the run with
// the run before. It restores the sources of edits that it does not keep.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/fix/edit_plan.hpp"
#include "cli/fix/edited_sources.hpp"
#include "cli/fix/measured_run.hpp"
#include "report/table/style.hpp"

namespace bankwise::cli {

// Runs a command with the shell, in the working folder.
result<done> build(const std::string& command);

// Restores the sources after the failure `why`. If restoring also fails, adds this to the error.
diagnostic taken_back(const std::vector<edited_source>& sources, diagnostic why);

struct edit_trial {
  const edit_plan& plan;
  std::vector<std::string> program;  // the program and its arguments
  std::string command;               // builds the program; empty if `bankwise run` builds it
  std::vector<std::string> flags;    // flags of `bankwise run`
  bool skips_copies = false;         // whether copies to the host are not compared
};
// Tries all edits of a plan together. If they are not kept, tries each edit by itself. Prints the edits that are kept
// and the reasons for which the others are not. Returns an error if no edit is kept.
result<int> try_edits(const edit_trial& t, measured_run before, const style& paint);

}  // namespace bankwise::cli
