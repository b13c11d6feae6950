// Prints docs/reference/report.schema.json, computed from the fields of the report. With the argument "types", this
// program prints web/src/report/schema.ts. scripts/build-reference and scripts/build-page call it.
#include <cstdio>
#include <string_view>

#include "report/page/report_schema.hpp"

int main(int count, char** words) {
  const bool types = count > 1 && std::string_view(words[1]) == "types";
  std::fputs((types ? bankwise::report_types() : bankwise::report_schema()).c_str(), stdout);
  return 0;
}
