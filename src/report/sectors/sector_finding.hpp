// A finding about sectors in the text of a run. It is a source line for which a remedy reduces the number of sectors.
#pragma once

#include <string>

#include "model/sectors/sector_lines.hpp"
#include "report/text/run_text_options.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// Returns a finding in several lines:
//
//      2. sectors.cu:30  touches 128 sectors of global memory (66.7% of them)
//         out[t] = in[2 * t];
//         neighbouring lanes are 8 bytes apart and access 4 bytes each: 16 bytes of each sector of 32 bytes are used
//         fix: place the elements next to each other: use a struct of arrays instead of ...: 64 sectors instead of 128
std::string sector_finding_text(const launch_report& l, std::size_t number, const costly_sectors& found, const style& s,
                                const run_text_options& options);
// Returns a finding as one line, with the name of the kernel.
std::string short_sector_finding(const launch_report& l, const costly_sectors& found, const style& s);
// Returns a text such as "sectors.cu:30: touches 128 sectors of global memory (66.7% of them): neighbouring lanes are 8
// bytes apart ...".
std::string sector_finding_sentence(const launch_report& l, const costly_sectors& found);
// Returns a text such as "place the elements next to each other: use a struct of arrays instead of an array of structs:
// 64 sectors instead of 128".
std::string sector_fix_sentence(const costly_sectors& found);

}  // namespace bankwise
