// Converts a question back to flags. The page needs them to ask the question again. Users can copy them as a command
// line.
//
//     {"op": "ld.b64", "expr": "t * 8"}        bankwise explain --op ld.b64 't * 8'
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise {

// Returns the flags of a question with their values. The text is last, as "expr" or "addresses". The page sends
// questions in this form.
std::vector<std::pair<std::string, std::string>> question_words(const flag_values& flags, const std::string& text,
                                                                bool is_addresses = false);
// Whether a question accepts this flag. `name` has no dashes.
bool is_question_flag(std::string_view name);
// Returns the command line for a question, quoted for a shell.
std::string command_line(const flag_values& flags, const std::string& text);

}  // namespace bankwise
