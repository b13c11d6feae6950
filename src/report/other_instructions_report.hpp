// What other instructions would save, as `bankwise fix` says it behind the layouts.
//
//     sgemm.cu:97  4 ld.b128 in place of 16 ld.b32: 1,048,576 wavefronts instead of 4,194,304, 12 of 16 instructions less
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "advise/other_instructions.hpp"
#include "report/style.hpp"

namespace bankwise {

// Empty where there is nothing to win. `all`: every line, else those that save most.
std::string to_text(const std::vector<advise::other_instructions>& found, const style& s, bool all);
nlohmann::ordered_json json_value(const advise::other_instructions& o);

}  // namespace bankwise
