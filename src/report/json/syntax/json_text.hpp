// JSON as indented text. Lists of numbers and small objects are on one line.
//
//     "grid": [8, 8, 1],
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace bankwise {

// Returns the JSON as text. Invalid UTF-8, such as in a file name, is replaced without an error.
std::string json_text(const nlohmann::ordered_json& j);
void append_json(const nlohmann::ordered_json& j, std::size_t indent, std::string& out);

// Returns an object or a list with room for `size` values. Without room, an object copies its values as it grows.
nlohmann::ordered_json object_with_room(std::size_t size);
nlohmann::ordered_json list_with_room(std::size_t size);
// Adds a member to an object without this key. `object[key]` would compare the key with all others.
void add_member(nlohmann::ordered_json& object, const char* key, nlohmann::ordered_json value);

// Objects and lists of several lines, without a JSON value for the whole: `mark` is the opening bracket, or a comma.
// An object with at most `most_in_line` members is on one line, unless one of them is a list or an object.
inline constexpr std::size_t most_in_line = 4;
void append_key(char mark, const char* key, std::size_t indent, std::string& out);
void append_item(char mark, std::size_t indent, std::string& out);
void append_end(char mark, std::size_t indent, std::string& out);
// Appends a list on one line, with the number of each lane in the mask, and null for all other lanes.
void append_lanes(std::uint32_t mask, std::span<const std::uint32_t> numbers, std::string& out);
void append_lanes(std::uint32_t mask, std::span<const std::uint64_t> numbers, std::string& out);

}  // namespace bankwise
