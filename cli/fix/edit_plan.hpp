// The edits of fix that are planned for a report's sources, and the text that shows them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_change.hpp"
#include "cli/line/arguments.hpp"
#include "cli/run/source_files.hpp"
#include "edit/plan.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

// A source file and its edits.
struct edited_file {
  std::string path;   // a path that the program can open
  std::string shown;  // path relative to the root
  std::string before;
  std::vector<text_change> changes;
};

struct edit_plan {
  std::vector<edit::array_question> questions;
  std::vector<const launch_report*> launches;  // the launch of each question
  // For each question, how many clocks of the launch's shared pipe a layout of the array could save.
  std::vector<std::uint64_t> most_clocks_won;
  std::vector<known_move> moves;                // changes of instructions, which fix cannot write
  std::vector<std::vector<std::string>> notes;  // notes about each question
  std::vector<edit::planned_edit> edits;
  std::vector<edited_file> files;
  // Questions with a possible saving whose arrays are not declared in a known source, with a message for each.
  std::vector<std::pair<std::size_t, std::string>> without_source;
};

// The folder whose sources may be edited, and to which a patch applies: --root, or the repository of the working
// folder, or the working folder.
std::filesystem::path root_of(const arguments& args);
// Plans edits of all arrays of a report. With `allow_doubts`, also plans edits that cannot be proved right, because
// they will be tried.
result<edit_plan> make_plan(const arguments& args, const report& r, const source_files& sources, bool allow_doubts);
// An error if a source is newer than its binary, because lines may have moved.
std::optional<diagnostic> refuse_newer(const edit_plan& p, const source_files& sources, const std::string& built);
// The changes, and the lines that users must check.
std::string plan_text(const edit_plan& p, const source_files& sources);

}  // namespace bankwise::cli
