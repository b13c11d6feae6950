// Where a result goes and what form it has: what all verbs with -o share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"

namespace bankwise::cli {

// --format; else the form that the name of -o says (report.json), if it is one of `words`; else `otherwise`.
result<std::string> output_format(const arguments& args, std::string_view otherwise,
                                  const std::vector<std::string>& words);

// Why what -o or --dump names cannot be written: better now than when a program has run for hours. Also if it is a file
// that is read.
std::optional<diagnostic> refuse_outputs(const arguments& args);

}  // namespace bankwise::cli
