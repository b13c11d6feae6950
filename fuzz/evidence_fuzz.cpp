// Fuzzes the saved evidence of a probe. Valid evidence is printed and drawn, and its JSON does not change if it is read
// back. The row of an accepted contribution can also be read back.
#include "gpu/probe/contribution.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto c = probe::read_contribution(fuzz::text_of(data, size), "evidence.json"); succeeded(c)) {
    const std::string csv = probe::to_csv({probe::contribution_of(*c, "evidence.json")});
    const auto rows = probe::read_contributions(csv, "contributed.csv");
    BANKWISE_REQUIRE(rows && probe::to_csv(*rows) == csv);
  }
  const auto e = probe::read_evidence(fuzz::text_of(data, size), "evidence.json");
  if (!succeeded(e)) return 0;
  BANKWISE_REQUIRE(!probe::to_text(*e, {}).empty());
  BANKWISE_REQUIRE(!probe::latency_svg(*e).empty());
  const std::string json = probe::to_json(*e);
  const auto again = probe::read_evidence(json, "again.json");
  BANKWISE_REQUIRE(again);
  BANKWISE_REQUIRE(probe::to_json(*again) == json);
  return 0;
}
