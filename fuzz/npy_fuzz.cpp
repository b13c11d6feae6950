// Fuzzes NumPy's files: the returned data are inside the file, and have the size of the shape.
#include "base/npy.hpp"

#include "require.hpp"

using namespace bankwise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_span bytes = fuzz::bytes_of(data, size);
  const auto array = read_npy(bytes, "a.npy");
  if (!fuzz::succeeded(array)) return 0;
  BANKWISE_REQUIRE(is_npy(bytes));
  std::uint64_t count = 1;
  for (const std::uint64_t n : array->shape) count *= n;
  BANKWISE_REQUIRE(count == 0 ? array->data.empty() : array->data.size() % count == 0);
  BANKWISE_REQUIRE(array->data.empty() || (array->data.data() >= bytes.data() &&
                                           array->data.data() + array->data.size() <= bytes.data() + bytes.size()));
  return 0;
}
