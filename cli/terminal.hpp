// What the terminal can do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "report/style.hpp"

namespace bankwise::cli {

// Colour by --color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, then whether standard output is a terminal.
result<style> output_style(const arguments& args);

// Why a page cannot be written where the result goes: it is a terminal. `name` is a file to write it to instead.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

}  // namespace bankwise::cli
