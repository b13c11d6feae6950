// A finding in the text report: its place, what is wrong, its cost in counts and time, and the fix. Also, a drawing of its
// worst access.
#pragma once

#include <string>

#include "findings/finding.hpp"
#include "model/report.hpp"
#include "report/table/run_text_options.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns a finding in a few lines. `number` is the number of the finding in its launch; the first is 1.
//
//       1. transpose.cu:18  32-way bank conflict on bank 0, costs 63,488 removable wavefronts (94.0% of the
//          shared-memory pipe)
//          ...tx] = tile[threadIdx.x][threadIdx.y + j];
//          fix: __shared__ float tile[32][32 + 1];  // 4,096 wavefronts instead of 67,584
//       2. sectors.cu:30  touches 128 sectors of global memory (66.7% of those in this launch)
//          out[t] = in[2 * t];
//          neighbouring lanes are 8 bytes apart and access 4 bytes each, so only 16 bytes of each sector ... are used
//          removing it saves 12%: about 0.33 us of 2.80 us
//          fix: place the elements next to each other: ...: 64 sectors instead of 128
std::string finding_line(const report& r, const launch_report& l, std::size_t number, const findings::finding& f,
                         const style& s, const run_text_options& options);
// Returns a finding as one line, with the name of the kernel.
std::string short_finding_line(const report& r, const launch_report& l, const findings::finding& f, const style& s);
// Returns a finding about wavefronts with the banks of its worst access.
std::string worst_access_text(const report& r, const launch_report& l, std::size_t number, const findings::finding& f,
                              const style& s, const run_text_options& options);

}  // namespace bankwise
