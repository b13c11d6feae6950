// Files that a preprocessor would read if they existed. An included name is searched in several folders. The file would
// be in a folder that is searched before the folder that contains the name.
//
//     nvcc -I inc1 -I inc2, #include <w.h>, inc2/w.h exists       inc1/w.h would be read instead
//     __has_include("opt.h"), no folder contains opt.h            opt.h in each of the folders
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cli {

struct header_search {
  std::vector<std::string> quoted, angled;  // folders in the order of the search
};
// Reads the folders from the output of `gcc -v`.
header_search read_header_search(std::string_view said);

struct asked_headers {
  std::vector<std::string> missing;  // files that do not exist
  std::vector<std::string> found;    // files that __has_include found; they may never be read
};
// `sources` are all files that the preprocessor read. Relative names start at `folder`.
asked_headers find_asked_headers(const std::vector<std::string>& sources, const header_search& search,
                                 const std::string& folder);

}  // namespace bankwise::cli
