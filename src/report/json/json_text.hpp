// JSON as text: indented, but lists of numbers and small objects on one line.
//
//     "grid": [8, 8, 1],
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bankwise {

// Text that is not valid UTF-8 (for example a file name) is replaced, and is never an error.
std::string json_text(const nlohmann::ordered_json& j);
// Appends a value that is indented by this number of blanks.
void append_json(const nlohmann::ordered_json& j, std::size_t indent, std::string& out);

}  // namespace bankwise
