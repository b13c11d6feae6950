// What a probe saw, saved: what can be read is printed and drawn, and the JSON read back gives the same JSON.
#include "gpu/probe/evidence.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
