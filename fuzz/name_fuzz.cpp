// Fuzzes mangled names, one on each line. The printed name has a limited length and a short form.
#include "base/text.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/names/demangler.hpp"
#include "require.hpp"

using namespace bankwise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const std::string_view line : split(fuzz::text_of(data, size), '\n')) {
    const auto text = cubin::demangled(line);
    if (text) BANKWISE_REQUIRE(text->size() <= cubin::most_demangled_bytes);
    BANKWISE_REQUIRE(line.empty() || !cubin::bare_name(text.value_or(std::string(line))).empty());
  }
  return 0;
}
