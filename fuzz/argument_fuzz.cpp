// `--arg`: the first line is the argument, what follows is the file that it may name.
#include "emulate/arguments.hpp"

#include <algorithm>

#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const auto a = emulate::parse_argument(input.substr(0, end), 1);
  if (!succeeded(a)) return 0;
  if (a->is_buffer && a->count * a->type.bytes > (1u << 20)) return 0;  // right, and slow to fill
  const std::string file(input.substr(std::min(end + 1, input.size())));
  const auto read = [&](const std::string&) -> result<std::string> { return file; };
  for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    cubin::kernel k;
    k.name = "kernel";
    k.params = {{4, bytes}};
    emulate::device_memory memory;
    const auto placed = emulate::place_arguments(k, {*a}, memory, read);
    if (!succeeded(placed)) continue;
    BANKWISE_REQUIRE(placed->parameters.size() == 4 + bytes);
    BANKWISE_REQUIRE(!a->is_buffer || memory.at(placed->each[0].address, placed->each[0].bytes) != nullptr);
  }
  return 0;
}
