// Fuzzes `--arg`: the first line is the argument, the rest is the file that the argument may name.
#include "cli/run/kernel_arguments.hpp"

#include <algorithm>

#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const auto a = parse_argument(input.substr(0, end), 1);
  if (!succeeded(a)) return 0;
  std::vector<const kernel_argument*> parts{&*a};
  for (const kernel_argument& field : a->fields) parts.push_back(&field);
  std::uint64_t all = 0;
  for (const kernel_argument* p : parts) {
    if (p->is_buffer && p->count > (1u << 20)) return 0;  // skips a valid argument if it takes long to fill its buffer
    all += p->is_buffer ? p->count * p->type.bytes : 0;
  }
  if (all > (1u << 20)) return 0;
  const std::string file(input.substr(std::min(end + 1, input.size())));
  const auto read = [&](const std::string&) -> result<std::string> { return file; };
  for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u, 24u, 40u, 64u}) {
    cubin::kernel k;
    k.name = "kernel";
    k.params = {{4, bytes}};
    emulate::device_memory memory;
    const auto placed = place_arguments(k, {*a}, memory, read);
    if (!succeeded(placed)) continue;
    BANKWISE_REQUIRE(placed->parameters.size() == 4 + bytes);
    BANKWISE_REQUIRE(!a->is_buffer || memory.bytes_at(placed->each[0].address, placed->each[0].bytes) != nullptr);
    BANKWISE_REQUIRE(placed->each[0].fields.size() == a->fields.size());
    for (std::size_t i = 0; i < a->fields.size(); ++i)
      BANKWISE_REQUIRE(!a->fields[i].is_buffer ||
                       memory.bytes_at(placed->each[0].fields[i].address, placed->each[0].fields[i].bytes) != nullptr);
  }
  return 0;
}
