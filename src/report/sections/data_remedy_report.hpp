// Remedies for an array whose addresses depend on the data. `bankwise fix` prints them after the layouts or instead of
// layouts.
//
//     remedies if the index depends on data  this input  uniform  skewed  extra bytes  blocks per SM
//     as it is                                   13,016   12,984  11,466         none              8
//     32 copies, selected by lane                 6,144    6,144   6,144      +31,744              6
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advise/data_remedies.hpp"
#include "report/table/style.hpp"

namespace bankwise {

// Returns the remedy as a phrase: "4 copies, selected by lane", or "sort the input".
std::string summary_of(const advise::data_remedy& r);
// Returns the remedy that saves the most wavefronts for the run's input. The remedy must not change the input. Returns
// null if no remedy saves at least a tenth.
const advise::data_remedy* best_of(const advise::data_remedies& d);

// Returns the difference of two sizes in bytes: "+128", "-64" or "none".
std::string extra_bytes(std::uint64_t before, std::uint64_t after);

// With `all`, shows every number of copies. Otherwise, shows only the best number. Returns an empty string if no
// address depends on data.
std::string to_text(const advise::data_remedies& d, const std::string& array_name, const style& s, bool all);
nlohmann::ordered_json json_value(const advise::data_remedies& d);

}  // namespace bankwise
