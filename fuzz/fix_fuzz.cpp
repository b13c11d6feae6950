// Fuzzes questions to `bankwise fix`. Each of the first lines is a flag with its value, and each later line is an
// access. Every suggested layout must be valid, and must have the cost in the answer.
#include "advise/tile_question.hpp"
#include "base/text.hpp"
#include "report/text/advice_report.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  flag_values flags;
  std::vector<std::string> accesses;
  for (const std::string_view line : split(fuzz::text_of(data, size), '\n')) {
    const std::size_t blank = line.find(' ');
    if (line.starts_with("--") && blank != std::string_view::npos)
      flags.values[std::string(line.substr(2, blank - 2))].emplace_back(line.substr(blank + 1));
    else
      accesses.emplace_back(line);
  }
  if (accesses.size() > 8) return 0;
  const auto tiles = advise::read_tiles(flags, accesses);
  if (!succeeded(tiles)) return 0;
  for (const advise::tile& t : *tiles) {
    if (t.what.accesses.size() > 2048) continue;
    const advise::advice a = advise::advise(t.what, {.accesses = 20'000, .words = 20'000});
    BANKWISE_REQUIRE(a.before.wavefronts >= a.granule_floor && a.granule_floor >= a.floor);
    for (const advise::answer& x : a.answers) {
      BANKWISE_REQUIRE(x.wavefronts < a.before.wavefronts && x.wavefronts >= a.granule_floor);
      std::vector<bool> taken(x.bytes, false);
      for (u32 at = 0; at < t.what.bytes; ++at) {
        const u32 to = x.layout(at);
        BANKWISE_REQUIRE(to < x.bytes && !taken[to]);
        taken[to] = true;
      }
    }
    const advice_report r{"tile", t.array, t.what, a, {}};
    BANKWISE_REQUIRE(!to_text(r, style{}, true).empty() && !to_json({r}, {}).empty());
  }
  return 0;
}
