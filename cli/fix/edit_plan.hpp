// The planned edits of a report's sources, and the text that shows them to users.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text_change.hpp"
#include "cli/fix/planned_delays.hpp"
#include "cli/input/source_files.hpp"
#include "cli/line/arguments.hpp"
#include "edit/plan.hpp"
#include "model/report.hpp"

namespace bankwise::cli {

struct edited_file {
  std::string path;   // path that bankwise can open
  std::string shown;  // path relative to the root, for messages
  std::string before;
  std::vector<text_change> changes;  // of all edits
  // Index of each edit that changes the file, and its changes. Indices from edit_plan::edits.size() on are of delays.
  std::vector<std::pair<std::size_t, std::vector<text_change>>> by_edit;
};

struct edit_plan {
  std::vector<edit::array_question> questions;
  std::vector<const launch_report*> launches;  // launch of each question, in the report for which the plan was made
  // For each question: the clocks of the launch's shared pipe that the best layout of the array could save.
  std::vector<std::uint64_t> most_clocks_won;
  std::vector<known_move> moves;                // changes of instructions, which `fix` does not write into sources
  std::vector<std::vector<std::string>> notes;  // notes for each question
  std::vector<edit::planned_edit> edits;
  std::vector<planned_delay> delays;
  std::vector<edited_file> files;
  // Questions about arrays that no known source declares, although another layout may save wavefronts: the index of
  // each question, and a message for the user.
  std::vector<std::pair<std::size_t, std::string>> without_source;

  // Layouts and delays have common indices: first all edits of layouts, then all edits of delays.
  std::size_t size() const { return edits.size() + delays.size(); }
  // Returns the delay of an edit, or nothing if the edit is of a layout.
  const planned_delay* delay_of(std::size_t edit) const {
    return edit < edits.size() ? nullptr : &delays[edit - edits.size()];
  }
  // Whether an edit was looked for but cannot be made.
  bool has_refused() const;
};

// Returns the folder whose sources may be edited. Paths in a patch are relative to this folder. This is --root if the
// flag is given. Otherwise, it is the root of the git repository, or else the working folder.
std::filesystem::path root_of(const arguments& args);
// Plans edits for all arrays and delays of a report. With `allow_doubts`, also plans edits that may be incorrect,
// because the edited program will be run and compared.
result<edit_plan> make_plan(const arguments& args, const report& r, const source_files& sources, bool allow_doubts);
// Whether `fix --apply` would make an edit that answers one of these questions, in a source in the folder `root`.
bool can_edit(std::vector<edit::array_question>& questions, const source_files& sources,
              const std::filesystem::path& root, bool allow_doubts);
// Whether `fix --apply` would make an edit that removes a delay, in a source in the folder `root`. `may_risk` tells
// whether it would check the results.
bool can_edit_delay(const report& r, const source_files& sources, const std::filesystem::path& root, bool may_risk);
// Returns an error if a source is newer than the binary, because the line numbers of the source may have changed.
std::optional<diagnostic> refuse_newer(const edit_plan& p, const source_files& sources, const std::string& built);
// Returns the changes, and the lines that the user must check.
std::string plan_text(const edit_plan& p, const source_files& sources);

}  // namespace bankwise::cli
