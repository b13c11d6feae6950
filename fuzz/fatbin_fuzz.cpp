// Fuzzes a sequence of fatbins, which may be compressed.
#include "cubin/fatbin.hpp"

#include "require.hpp"

using namespace bankwise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto images = cubin::read_fatbins(fuzz::bytes_of(data, size), "fuzz.fatbin", 64);
  if (!fuzz::succeeded(images)) return 0;
  std::uint64_t total = 0;
  for (const cubin::fatbin_image& i : *images) total += i.bytes.size();
  BANKWISE_REQUIRE(total <= cubin::most_total_bytes);
  return 0;
}
