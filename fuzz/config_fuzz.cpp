// Fuzzes bankwise.toml, and the comments in a source that suppress findings.
#include "check/config.hpp"

#include "check/budget_kernels.hpp"
#include "check/suppressions.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto c = check::read_config(text, "bankwise.toml"); succeeded(c))
    for (const check::budget& b : c->budgets) {
      BANKWISE_REQUIRE(!b.kernel.empty() && b.config_line != 0);
      BANKWISE_REQUIRE(!b.limits.empty());
      check::matches(b.kernel, "void transpose<float, 32>(float*, float const*, int)");
    }
  for (const check::suppression& s : check::read_suppressions(text)) {
    BANKWISE_REQUIRE(s.comment_line >= 1 && s.line >= s.comment_line);
    BANKWISE_REQUIRE(!s.wrong.empty() || (!s.kinds.empty() && !s.reason.empty()));
  }
  return 0;
}
