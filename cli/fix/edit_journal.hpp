// Edits that are being tried, so that a source comes back whatever ends bankwise, the power included.
//
//     k.cu                    the source, with its edit while that is tried
//     .k.cu.bankwise-edit     who edits it, and its text before and after; gone when the edit is kept or taken back
//
// A bankwise that finds the journal of one that is no more writes the text of before.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct journaled_edit {
  std::string path, before, after;
};

// Call before the first source is written. Errors: a file in a folder that is not writable, or a file that another
// bankwise edits.
result<done> open_journal(const std::vector<journaled_edit>& edits);
void close_journal(const std::vector<journaled_edit>& edits);

// Sources in the folder whose edit was left by a process that is no more: written as they were before. Returns their
// paths. What has changed since is left as it is, and said.
std::vector<std::string> restore_abandoned(const std::string& folder);

}  // namespace bankwise::cli
