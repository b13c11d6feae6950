// The answer of `bankwise predict`: the costs of a table of accesses. Each access is a row.
//
//     wavefronts,ideal,reachable,passes,cycles[,evidence],ncu_wavefronts,ncu_ideal       CSV, in the order of the table
//     {"schema": "bankwise.predict/1", ..., "rows": [{"op": "ld.b32", "mask": "ffffffff", "wavefronts": 1, ...}, ...]}
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bankwise/source_page.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {

struct prediction {
  std::string op;  // operation, spelled as in a table of accesses
  u32 mask = 0;
  cost what{};
  // Evidence for the numbers: measured, published, documented or assumed; "open" if there is no rule.
  std::string_view evidence;
  std::string_view given;  // condition of the numbers, such as "source in L1"; empty if they always hold
  page_count on_page{};    // numbers of Nsight Compute's source page
};

std::string to_csv(std::span<const prediction> rows, bool with_evidence);
std::string to_json(std::span<const prediction> rows, const std::string& arch);

}  // namespace bankwise
