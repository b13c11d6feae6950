// The texts of `bankwise`, `bankwise --help` and `bankwise VERB --help`.
#pragma once

#include <cstddef>
#include <string>

#include "cli/line/verbs.hpp"

namespace bankwise::cli {

// Returns the verbs that a new user needs.
std::string short_overview();
// Returns all verbs, each with an example.
std::string overview();
std::string help_of(const verb& v);

// Returns the paragraphs about a verb, broken into lines. Indented lines are examples, which are not broken.
std::string details_of(const verb& v, std::size_t width);

}  // namespace bankwise::cli
