// A question as words again: for the page, which asks them anew, and as a command line to copy.
//
//     {"op": "ld.b64", "expr": "t * 8"}        bankwise explain --op ld.b64 't * 8'
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/flag_values.hpp"

namespace bankwise {

// What a question is made of, flag by flag and the text last, as "expr" or "addresses": how the page is asked it.
std::vector<std::pair<std::string, std::string>> question_words(const flag_values& flags, const std::string& text,
                                                                bool is_addresses = false);
// The flags that a question may have, without dashes.
bool is_question_flag(std::string_view name);
// The command line that asks this, quoted for a shell.
std::string command_line(const flag_values& flags, const std::string& text);

}  // namespace bankwise
