// Fuzzes files with the parameters of a GPU. What is packed does not change if it is read back and packed again.
#include "gpu/probe/timing/timing_contribution.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  if (const auto f = timing::read_parameter_file(text, "gpu.csv"); succeeded(f)) {
    const auto again = timing::read_parameter_file(to_csv(*f), "again.csv");
    BANKWISE_REQUIRE(again && again->rows.size() == f->rows.size());
  }
  const auto packed = probe::pack_parameters(text, "gpu.csv");
  if (!succeeded(packed)) return 0;
  const auto sent = probe::read_packed_parameters(to_csv(*packed), "sent.csv");
  BANKWISE_REQUIRE(sent);
  BANKWISE_REQUIRE(to_csv(*sent) == to_csv(*packed));
  return 0;
}
