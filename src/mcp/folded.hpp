// A JSON value in few bytes. Parts that do not fit are replaced by their place in the value, so that a reader can ask
// for them.
//
//     {"kernel": "k", "sites": {"more": "/launches/0/sites", "items": 128, "bytes": 40210}}
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace bankwise::mcp {

using json = nlohmann::ordered_json;

// Returns `value` with at most about `bytes` bytes of text. `at` is the JSON pointer of `value`, with which the places
// begin. The rest has the number `from` at which it begins:
//   a list    keeps its first items; the last item is then {"more": ..., "items": ..., "bytes": ..., "from": ...}
//   an object with too many members keeps the first ones; the same place is then its member "..."
//   a text    keeps its beginning, and ends with "... (5400 of 9000 bytes; more: /text from 5400)"
json folded(const json& value, std::size_t bytes, const std::string& at = {});

// Returns the part of `value` that begins at item, member or byte `from`, folded in the same way. Something of this part
// is always there, even if it takes more than `bytes`. `from` must be less than the number of items, members or bytes.
json folded_from(const json& value, std::size_t from, std::size_t bytes, const std::string& at);

// The number of items, members or bytes of a value; 0 for a number.
std::size_t extent_of(const json& value);

// The text of a value. Replaces invalid UTF-8.
std::string text_of(const json& value);

// Returns the beginning or the end of a text that takes at most `bytes` bytes as JSON, without its quotes. Does not cut
// inside of a character.
std::string_view first_bytes(std::string_view text, std::size_t bytes);
std::string_view last_bytes(std::string_view text, std::size_t bytes);

// A text of a client in an error: whole, or its beginning and "...".
std::string shortened(std::string_view text);

}  // namespace bankwise::mcp
