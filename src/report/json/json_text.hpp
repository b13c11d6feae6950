// JSON as indented text. Lists of numbers and small objects are on one line.
//
//     "grid": [8, 8, 1],
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bankwise {

// Replaces text that is not valid UTF-8, such as a file name. Such a text is never an error.
std::string json_text(const nlohmann::ordered_json& j);
// Appends a value, indented by this number of blanks.
void append_json(const nlohmann::ordered_json& j, std::size_t indent, std::string& out);

}  // namespace bankwise
