// Fuzzes CSV files of Nsight Compute. For each kernel in a valid file, the counts are compared with a prediction.
#include "check/comparison.hpp"
#include "check/measured.hpp"
#include "report/text/comparison_report.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto measured = check::read_measured(fuzz::text_of(data, size), "ncu.csv");
  if (!succeeded(measured)) return 0;
  report r;
  for (const check::measured_launch& m : *measured) {
    launch_report l;
    l.kernel = m.kernel;
    l.name = check::bare_name(m.kernel);
    if (m.grid) l.grid = *m.grid;
    if (m.block) l.block = *m.block;
    for (const check::measured_row& row : m.rows) {
      // A launch has instructions or lines, never both.
      BANKWISE_REQUIRE(row.pc.has_value() == m.rows.front().pc.has_value());
      site s;
      s.pc = row.pc.value_or(0);
      s.sass = row.sass;
      s.file = row.file;
      s.line = row.line;
      s.wavefronts = row.wavefronts;
      l.sites.push_back(std::move(s));
    }
    r.launches.push_back(std::move(l));
  }
  const check::comparison c = check::compare(r, *measured);
  BANKWISE_REQUIRE(!to_text(c, {}, true).empty() && !to_json(c).empty());
  return 0;
}
