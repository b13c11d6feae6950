// A variant: a configuration that was compiled or built, so that it can run.
#pragma once

#include <optional>
#include <string>

#include "cli/tune/tune_cache.hpp"
#include "cli/tune/tune_request.hpp"

namespace bankwise::cli {

struct variant {
  std::string file;    // the machine code or program to run; empty if it could not be made
  std::string key;     // the key of the file's bytes
  std::string reason;  // why it could not be made
};

// Makes the variant of configuration number `index`. `folder` is a scratch folder for its files. Uses what the cache
// has, if no file that the compiler read has changed since then.
variant make_variant(const tune_request& r, std::size_t index, const tune_cache& cache, const std::string& folder);

}  // namespace bankwise::cli
