// Turns a question back into words: for the page, which can ask it again, and as a command line to copy.
//
//     {"op": "ld.b64", "expr": "t * 8"}        bankwise explain --op ld.b64 't * 8'
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise {

// The parts of a question, one for each flag, with the text last, as "expr" or "addresses": the form that the page
// sends.
std::vector<std::pair<std::string, std::string>> question_words(const flag_values& flags, const std::string& text,
                                                                bool is_addresses = false);
// The flags that a question may have, without dashes.
bool is_question_flag(std::string_view name);
// The command line for this question, quoted for a shell.
std::string command_line(const flag_values& flags, const std::string& text);

}  // namespace bankwise
