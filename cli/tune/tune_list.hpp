// A list of launches: the configurations of a space as lines for `bankwise run --batch`, for other programs that compile,
// measure or predict them. Nothing is compiled or run.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/tune/tune_request.hpp"

namespace bankwise::cli {

// One JSON object for each configuration of the request's shard. `name` has the values, such as "TILE=16 WORK=2". `nvcc`
// has the flags that compile the source. Fails for a program, which has no launch, and if an expression has no value.
result<std::string> list_launches(const tune_request& r);

}  // namespace bankwise::cli
