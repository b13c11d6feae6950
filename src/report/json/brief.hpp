// A report in short, for scripts and language models that read it whole: the time of the kernels, and the findings that
// save the most time. Its text has at most most_brief_bytes bytes, which is less than 2,000 tokens.
//
//     {
//       "schema": "bankwise.brief/1",
//       "microseconds": 25.9,
//       "kernels": [
//         {"kernel": "transpose", "launches": 1, "microseconds": 25.9, "bound": "shared memory", ...}
//       ],
//       "findings": [
//         {"id": "BW101", "place": "transpose.cu:18", "saved_microseconds": 14.6, "remedy": "tile: rows of 132 ...", ...}
//       ],
//       "left_out": {"kernels": 0, "findings": 0}
//     }
#pragma once

#include <cstddef>
#include <string>

#include "model/report.hpp"

namespace bankwise {

inline constexpr std::size_t most_brief_bytes = 6000;

std::string to_brief(const report& r);

}  // namespace bankwise
