// The files that a program wrote in a folder: those that are new or have changed since.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace bankwise::cli {

// For each regular file below a folder: the time of its last write, in nanoseconds, and its size. Excludes hidden
// folders, links, the files that bankwise itself writes, and everything after the first 20,000 entries.
using folder_state = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;
folder_state look_at(const std::string& folder);

// The contents of files, by their paths relative to the folder. A digest represents a file of more than a MiB. A
// deleted file is missing.
using file_contents = std::map<std::string, std::string>;
// The files that are new or were written since then.
file_contents written_since(const folder_state& before, const std::string& folder);
// The same files, with their current contents.
file_contents read_again(const file_contents& files, const std::string& folder);

}  // namespace bankwise::cli
