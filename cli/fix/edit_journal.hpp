// A journal of edits that are being tried. With the journal, bankwise can restore sources if it was killed or the power
// failed.
//
//     k.cu                    the source, which has the edit during the trial
//     .k.cu.bankwise-edit     the process, and the text before and after; deleted when the edit is kept or undone
//
// If the process in a journal no longer exists, the next bankwise process restores the old text.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct journaled_edit {
  std::string path, before, after;
};

// Call this before the first source is written. Fails if the folder of a file is not writable, or if another bankwise
// edits the file.
result<done> open_journal(const std::vector<journaled_edit>& edits);
void close_journal(const std::vector<journaled_edit>& edits);

// If a process that no longer exists edited sources in this folder, restores these sources. Returns the paths of the
// sources. If a source has changed since its edit, prints a message and does not restore it.
std::vector<std::string> restore_abandoned(const std::string& folder);

}  // namespace bankwise::cli
