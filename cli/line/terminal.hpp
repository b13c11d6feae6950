// Facts about the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/line/arguments.hpp"
#include "report/text/style.hpp"

namespace bankwise::cli {

// COLUMNS if it is set, otherwise the width of the terminal on standard output; nothing if standard output is a pipe or
// a file.
std::optional<unsigned> output_width();

// Whether to use colour: decided by --color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, then by whether standard
// output is a terminal.
result<style> output_style(const arguments& args);

// The error for a page whose output is a terminal. `name` is a file to write it to instead.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

}  // namespace bankwise::cli
