// Fuzzes saved reports. A valid report is written as text and as JSON, and its JSON does not change if it is read back.
#include "report/json/read_report.hpp"

#include "report/json/write_report.hpp"
#include "report/text/run_report.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto r = read_report(fuzz::text_of(data, size), "report.json");
  if (!succeeded(r)) return 0;
  for (const launch_report& l : r->launches) {
    for (const shared_array& a : l.arrays)
      for (const std::size_t i : a.sites) BANKWISE_REQUIRE(i < l.sites.size());
    for (const site& s : l.sites)
      for (const recorded_access& a : s.accesses) {
        BANKWISE_REQUIRE(valid(a.what.op) && first_misaligned_lane(a.what) == lanes_per_warp);
        analyze(a.what, r->on.model);
      }
  }
  BANKWISE_REQUIRE(r->launches.empty() || !to_text(*r, {}, {}).empty());
  const std::string json = to_json(*r);
  const auto again = read_report(json, "again.json");
  BANKWISE_REQUIRE(again);
  BANKWISE_REQUIRE(to_json(*again) == json);
  return 0;
}
