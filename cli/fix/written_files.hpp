// The files that a program wrote in a folder: files that are new or were changed during its run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace bankwise::cli {

// The state of a folder. For each regular file in the folder and its subfolders: the time of the last write (in
// nanoseconds) and the size. Hidden folders, links and files that bankwise writes are excluded. Only the first 20,000
// entries are included.
using folder_state = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;
folder_state look_at(const std::string& folder);

// Contents of files. The key is the path relative to the folder. For a file of more than 1 MiB, the value is a digest.
// Deleted files are missing.
using file_contents = std::map<std::string, std::string>;
// Reads the files that are new or were changed after `before`.
file_contents written_since(const folder_state& before, const std::string& folder);
// Reads the current contents of the files that are keys of `files`.
file_contents read_again(const file_contents& files, const std::string& folder);

}  // namespace bankwise::cli
