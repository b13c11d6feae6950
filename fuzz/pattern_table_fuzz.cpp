// Fuzzes tables of accesses: every row is an access with a cost, or an error that names the row's line.
#include "expr/pattern_table.hpp"

#include "bankwise/wavefronts.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto table = pattern_table::open(fuzz::text_of(data, size), "table");
  if (!succeeded(table)) return 0;
  for (;;) {
    const auto row = table->next();
    if (!succeeded(row)) {
      BANKWISE_REQUIRE(row.error().where.line != 0);
      return 0;
    }
    if (!*row) return 0;
    table->field("op");
    succeeded(result<done>(table->error("wrong")));
    const cost c = analyze((*row)->what);
    BANKWISE_REQUIRE(c.reachable <= c.wavefronts);
  }
}
