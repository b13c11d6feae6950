// The files that a program wrote in a folder: those that are new or have changed during its run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace bankwise::cli {

// The state of a folder: the time of the last write (in nanoseconds) and the size of each regular file below it. It
// excludes hidden folders, links, files that bankwise itself writes, and everything after the first 20,000 entries.
using folder_state = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;
folder_state look_at(const std::string& folder);

// The contents of files, by their paths relative to the folder. For a file over a MiB, this is a digest. A deleted file
// is missing.
using file_contents = std::map<std::string, std::string>;
// Reads the files that are new or were written after `before`.
file_contents written_since(const folder_state& before, const std::string& folder);
// Reads the current contents of the files whose earlier contents are in `files`.
file_contents read_again(const file_contents& files, const std::string& folder);

}  // namespace bankwise::cli
