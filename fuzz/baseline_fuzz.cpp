// Fuzzes baselines of known findings: a valid baseline is written back unchanged.
#include "check/baseline.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto known = check::read_baseline(fuzz::text_of(data, size), "baseline.json");
  if (!succeeded(known)) return 0;
  const std::string json = check::to_json(*known);
  const auto again = check::read_baseline(json, "again.json");
  BANKWISE_REQUIRE(again && check::to_json(*again) == json);
  return 0;
}
