// The answer of bankwise predict: the costs of a table of accesses, one row for each access.
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
  std::string op;  // the operation in the spelling of tables
  u32 mask = 0;
  cost what{};
  std::string_view evidence;  // measured, published, documented or assumed; open if the rule is unknown
  std::string_view given;     // the condition of the numbers, such as "source in L1"; empty if they are always valid
  page_count on_page{};       // the numbers of Nsight Compute's source page
};

std::string to_csv(std::span<const prediction> rows, bool with_evidence);
std::string to_json(std::span<const prediction> rows, const std::string& arch);

}  // namespace bankwise
