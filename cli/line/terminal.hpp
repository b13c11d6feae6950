// What the terminal can do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/line/arguments.hpp"
#include "report/text/style.hpp"

namespace bankwise::cli {

// COLUMNS where it is set, else the width of the terminal that standard output is; nothing: it is a pipe or a file.
std::optional<unsigned> output_width();

// Colour by --color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, then whether standard output is a terminal.
result<style> output_style(const arguments& args);

// Why a page cannot be written where the result goes: it is a terminal. `name` is a file to write it to instead.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

}  // namespace bankwise::cli
