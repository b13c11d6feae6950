// The search: makes the variants of a space, runs them, and compares their results with those of the first.
#pragma once

#include "base/result.hpp"
#include "cli/tune/tune_cache.hpp"
#include "cli/tune/tune_request.hpp"
#include "tune/tuned.hpp"

namespace bankwise::cli {

// Fails only if no scratch folder can be made, or after a stop signal. What was done until then is in the cache.
result<tune::tuned> search(const tune_request& r, const tune_cache& cache);

}  // namespace bankwise::cli
