// A JSON value in few bytes. Parts that do not fit are replaced by their place in the value, so that a reader can ask
// for them.
//
//     {"kernel": "k", "sites": {"more": "/launches/0/sites", "items": 128, "bytes": 40210}}
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace bankwise::mcp {

using json = nlohmann::ordered_json;

// Returns `value` with at most about `bytes` bytes of text. `at` is the JSON pointer of `value`, with which the places
// begin. The first items of a list remain; the last item is then {"more": ..., "from": the number of the first item
// that is missing, "items": ..., "bytes": ...}.
json folded(const json& value, std::size_t bytes, const std::string& at = {});

// The text of a value. Replaces invalid UTF-8.
std::string text_of(const json& value);

}  // namespace bankwise::mcp
