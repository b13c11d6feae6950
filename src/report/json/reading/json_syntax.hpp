// Rare questions about a JSON text: where its syntax is wrong, and how a value looks on one line.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "report/json/reading/json_document.hpp"

namespace bankwise {

// Returns a value as text in one line. The members of objects are sorted by key.
std::string text_of(const parsed_json& j, bool only_ascii = false);
// Returns the error for a text that is not valid JSON. The error contains `name`, the line and the column.
diagnostic syntax_error(std::string_view text, const std::string& name);

}  // namespace bankwise
