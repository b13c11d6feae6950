// Fuzzes the file of a recorded process. The file is converted to a report, and the report is read back.
#include "gpu/record/spool.hpp"

#include "gpu/record/fold_spool.hpp"
#include "report/json/read_report.hpp"
#include "report/json/write_report.hpp"
#include "report/text/run_report.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const byte_span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto s = record::read_spool(bytes, {}, "spool");
  if (!succeeded(s)) return 0;
  const auto folded = record::fold_spool(*s, "spool");
  if (!succeeded(folded)) return 0;
  const auto back = read_report(to_json(folded->what), "report.json");
  BANKWISE_REQUIRE(back);
  return 0;
}
