// Finds files that a preprocessor would read if they existed. A preprocessor searches several folders for an included
// file. It would read a file of the same name in an earlier folder instead of the file that it found.
//
//     nvcc -I inc1 -I inc2, #include <w.h>, inc2/w.h exists       inc1/w.h would be read instead
//     __has_include("opt.h"), no folder contains opt.h            opt.h in each of the folders
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cli {

struct header_search {
  std::vector<std::string> quoted, angled;  // folders in the order in which they are searched
};
// Reads the searched folders from the output of `gcc -v`.
header_search read_header_search(std::string_view said);

struct asked_headers {
  std::vector<std::string> missing;  // files that do not exist but would be read
  std::vector<std::string> found;    // files that only __has_include names; the compiler may never read them
};
// `sources` are all files that the preprocessor read. Relative names of sources start at `folder`.
asked_headers find_asked_headers(const std::vector<std::string>& sources, const header_search& search,
                                 const std::string& folder);

}  // namespace bankwise::cli
