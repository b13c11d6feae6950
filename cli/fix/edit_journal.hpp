// A journal of edits while they are tried. It makes it possible to restore sources even if bankwise is killed or the
// power fails.
//
//     k.cu                    the source, with its edit during the trial
//     .k.cu.bankwise-edit     the process, and the text before and after; deleted when the edit is kept or undone
//
// If the process of a journal no longer exists, the next bankwise restores the old text.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct journaled_edit {
  std::string path, before, after;
};

// Call this before the first source is written. Errors: the folder of a file is not writable, or another bankwise edits
// the file.
result<done> open_journal(const std::vector<journaled_edit>& edits);
void close_journal(const std::vector<journaled_edit>& edits);

// Restores the sources in a folder whose edits were made by a process that no longer exists. Returns their paths. If a
// source has changed since, prints a message and does not restore it.
std::vector<std::string> restore_abandoned(const std::string& folder);

}  // namespace bankwise::cli
