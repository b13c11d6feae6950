// Facts about the terminal: its width and its colours.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/line/arguments.hpp"
#include "report/text/style.hpp"

namespace bankwise::cli {

// The value of COLUMNS, otherwise the width of the terminal on standard output. Nothing if standard output is a pipe or
// a file.
std::optional<unsigned> output_width();

// Whether to use colour. These decide, in this order: --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, and whether
// standard output is a terminal.
result<style> output_style(const arguments& args);

// The error if a page would be written to a terminal. `name` is a file that the error suggests.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

}  // namespace bankwise::cli
