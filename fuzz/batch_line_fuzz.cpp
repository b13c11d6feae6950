// Fuzzes the lines of `run --batch`.
#include "cli/run/batch_line.hpp"

#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  cli::arguments defaults;
  defaults.values["arg"] = {"1"};
  std::string name;
  const auto line = cli::read_batch_line(input, defaults, 7, name);
  if (!succeeded(line)) return 0;
  BANKWISE_REQUIRE(line->name == name);
  BANKWISE_REQUIRE(line->args.positional.size() == 1 && !line->args.positional[0].empty());
  BANKWISE_REQUIRE(line->stop_above > 0);
  for (const auto& [flag, values] : line->args.values)
    for (const std::string& value : values) BANKWISE_REQUIRE(value.find('\0') == std::string::npos);
  return 0;
}
