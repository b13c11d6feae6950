// Remedies that reduce the sectors of an access to global memory, each with the number of remaining sectors. The rule
// also counts the changed access:
//
//     float3 p[], p[t]           36 sectors of 3 requests
//       struct of arrays         12 sectors of 3 requests
//       float4                   16 sectors of 1 request
//       through shared memory    12 sectors of 3 requests
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/flag_values.hpp"
#include "expr/global_question.hpp"

namespace bankwise::advise {

// The sum of the sectors of several accesses.
struct sector_sum {
  u64 requests = 0, sectors = 0, tag_requests = 0;
};

struct global_remedy {
  std::string_view id;  // name: "soa", "wider", "pad", "rows", ...
  std::string text;     // the advice as a sentence
  sector_sum before, after;
  std::string command;  // the `bankwise` command that explains the changed access; empty if no command can describe it
};

// Returns remedies for a question with this `text` and `list_name`. The remedy with the fewest sectors is first. Omits
// remedies that save neither sectors nor requests.
std::vector<global_remedy> remedies_of(const flag_values& flags, const std::string& text, const std::string& list_name,
                                       const named_global_access& q);

}  // namespace bankwise::advise
