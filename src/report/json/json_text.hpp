// JSON as indented text. Lists of numbers and small objects are on one line.
//
//     "grid": [8, 8, 1],
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace bankwise {

// Returns the JSON as text. Invalid UTF-8, such as in a file name, is replaced without an error.
std::string json_text(const nlohmann::ordered_json& j);
void append_json(const nlohmann::ordered_json& j, std::size_t indent, std::string& out);

}  // namespace bankwise
