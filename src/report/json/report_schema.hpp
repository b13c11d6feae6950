// The fields of a report as others need to know them: as JSON schema and as types of TypeScript.
#pragma once

#include <string>

namespace bankwise {

// docs/reference/report.schema.json
std::string report_schema();
// web/src/report/schema.ts: the report and the other data of a page.
std::string report_types();

}  // namespace bankwise
