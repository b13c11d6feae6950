// The files that a program wrote in a folder: those that are new or have changed since.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace bankwise::cli {

// Of each regular file below a folder: when it was written, in nanoseconds, and its bytes. Hidden folders and links are left out,
// what our own output goes to, and what is beyond the first 20,000 entries.
using folder_state = std::map<std::string, std::pair<std::int64_t, std::uint64_t>>;
folder_state look_at(const std::string& folder);

// The contents of files, by their paths from the folder. Of a file that is longer than a MiB, a digest; of one that is gone, nothing.
using file_contents = std::map<std::string, std::string>;
// Of those that are new since, or were written since.
file_contents written_since(const folder_state& before, const std::string& folder);
// Of the same files, as they are now.
file_contents read_again(const file_contents& files, const std::string& folder);

}  // namespace bankwise::cli
