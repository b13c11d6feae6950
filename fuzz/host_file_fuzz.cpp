// Fuzzes the facts that the loader's audit library reads from each file of a program: symbols, the names of needed
// libraries, the file's own name.
#include <string_view>

#include "require.hpp"
#include "runtime/load/stand_in.hpp"
#include "runtime/load/static_runtime.hpp"

using namespace bankwise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_span file = fuzz::bytes_of(data, size);
  const auto is_in_file = [&](const void* begin, std::size_t bytes) {
    const auto* const at = static_cast<const std::byte*>(begin);
    return bytes == 0 || (at >= file.data() && at + bytes <= file.data() + file.size());
  };
  if (const auto runtime = cuda::find_static_runtime(file)) {
    std::uint64_t last = 0;
    for (const cuda::runtime_function& f : runtime->functions) {
      BANKWISE_REQUIRE(is_in_file(f.name.data(), f.name.size()) && is_in_file(f.code.data(), f.code.size()));
      BANKWISE_REQUIRE(f.address >= last);
      last = f.address;
    }
  }
  const std::string_view own = cuda::soname_of(file);
  BANKWISE_REQUIRE(is_in_file(own.data(), own.size()));
  cuda::stand_in_of(own);
  for (const cuda::needed_name& n : cuda::needed_names(file))
    BANKWISE_REQUIRE(is_in_file(n.name.data(), n.name.size()));
  return 0;
}
