// Remedies for an array whose addresses depend on the data, which `bankwise fix` prints after the layouts or instead of
// them.
//
//     where the data say which element   this input  uniform  skewed  extra bytes  blocks per SM
//     as it is                               13,016   12,984  11,466         none              8
//     32 copies, by lane                      6,144    6,144   6,144      +31,744              6
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "advise/data_remedies.hpp"
#include "report/text/style.hpp"

namespace bankwise {

// "4 copies, by lane"; "the lanes on one element combined first".
std::string summary_of(const advise::data_remedy& r);
// The best remedy on the run's input that needs no change of the input; nullptr if none saves at least a tenth there.
const advise::data_remedy* best_of(const advise::data_remedies& d);

// "+128", "-64", "none".
std::string extra_bytes(std::uint64_t before, std::uint64_t after);

// With `all`, shows each number of copies, otherwise only the best. Empty if nothing depends on data.
std::string to_text(const advise::data_remedies& d, const std::string& array_name, const style& s, bool all);
nlohmann::ordered_json json_value(const advise::data_remedies& d);

}  // namespace bankwise
