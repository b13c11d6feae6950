// Prints docs/reference/report.schema.json, as the fields of the report say it. scripts/build-reference calls it.
#include <cstdio>

#include "report/report_fields.hpp"

int main() {
  std::fputs(bankwise::report_schema().c_str(), stdout);
  return 0;
}
