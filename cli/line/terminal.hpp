// The width and colours of the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/line/arguments.hpp"
#include "report/table/style.hpp"

namespace bankwise::cli {

// Returns the value of COLUMNS. Without this variable, returns the width of the terminal on standard output, or nothing
// if standard output is a pipe or a file.
std::optional<unsigned> output_width();

// Decides whether to use colour. The first of these settings that is given decides: --color, NO_COLOR, FORCE_COLOR,
// CLICOLOR_FORCE. If none is set, colour is used on a terminal.
result<style> output_style(const arguments& args);

// Returns an error if a page would be written to a terminal. The error suggests `name` as a file for the page.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

}  // namespace bankwise::cli
