// The fields of a report as a JSON schema and as TypeScript types.
#pragma once

#include <string>

namespace bankwise {

// Returns the text of docs/reference/report.schema.json.
std::string report_schema();
// Returns the text of web/src/report/schema.ts: the types of the report and of the page's other data.
std::string report_types();

}  // namespace bankwise
