// The errors of a JSON text that cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "report/json/syntax/json_document.hpp"

namespace bankwise {

// Returns why a document could not be read. The error contains `name`, and for invalid JSON the line and the column.
diagnostic error_of(const json_document& document, std::string_view text, const std::string& name);

}  // namespace bankwise
