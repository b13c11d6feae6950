// The program that is running, as a part of keys for caches: another build may give other answers.
#pragma once

#include <string>

#include "base/result.hpp"

namespace bankwise::cli {

// Returns the SHA-256 of this program's file. It is the same on every machine with this build. The file is read once, in
// the first call, from any thread.
const result<std::string>& hash_of_own_program();

}  // namespace bankwise::cli
