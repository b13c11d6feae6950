// The saving with other instructions. Every command that suggests fixes prints this saving after the layouts.
//
//     sgemm.cu:97 4 ld.b128 instead of 16 ld.b32: 1,048,576 wavefronts instead of 4,194,304, 12 of 16 instructions less
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "advise/other_instructions.hpp"
#include "model/report.hpp"
#include "report/table/style.hpp"

namespace bankwise {

inline constexpr const char* moves_heading = "other instructions that do not need a change of the layout";

// With `all`, shows every line. Otherwise, shows only the largest savings. Returns an empty string if nothing can be
// saved.
std::string to_text(const std::vector<known_move>& found, const style& s, bool all,
                    const std::string& heading = moves_heading);
known_move summary_of(const advise::other_instructions& o);
nlohmann::ordered_json json_value(const advise::other_instructions& o);

}  // namespace bankwise
