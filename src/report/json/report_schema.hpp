// The fields of a report as JSON schema, and as TypeScript types.
#pragma once

#include <string>

namespace bankwise {

// docs/reference/report.schema.json
std::string report_schema();
// web/src/report/schema.ts: the report and the other data of a page.
std::string report_types();

}  // namespace bankwise
