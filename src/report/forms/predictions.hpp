// The costs of a table of accesses, a row each: bankwise predict.
//
//     wavefronts,ideal,reachable,passes,cycles[,evidence],ncu_wavefronts,ncu_ideal       as CSV, in the order of the table
//     {"schema": "bankwise.predict/1", ..., "rows": [{"op": "ld.b32", "mask": "ffffffff", "wavefronts": 1, ...}, ...]}
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "bankwise/source_page.hpp"
#include "bankwise/wavefronts.hpp"

namespace bankwise {

struct prediction {
  std::string op;  // as tables spell it
  u32 mask = 0;
  cost what{};
  std::string_view evidence;  // measured, published, documented, assumed; open if the rule is unknown
  std::string_view given;     // the condition of the numbers: "source in L1"; empty if they are always valid
  page_count on_page{};       // what Nsight Compute's source page shows
};

std::string to_csv(std::span<const prediction> rows, bool with_evidence);
std::string to_json(std::span<const prediction> rows, const std::string& arch);

}  // namespace bankwise
