// Fuzzes what `bankwise tune` reads: dimensions, expressions of values, lists of configurations, and saved results.
#include "require.hpp"
#include "tune/configuration.hpp"
#include "tune/space.hpp"
#include "tune/tuned_json.hpp"
#include "tune/tuned_text.hpp"

using namespace bankwise;
using fuzz::succeeded;

namespace {

void read_list(std::string_view text, const char* file) {
  const auto s = tune::read_configurations(text, file);
  if (!succeeded(s)) return;
  BANKWISE_REQUIRE(!s->names.empty() && !s->configurations.empty());
  for (const tune::configuration& c : s->configurations) BANKWISE_REQUIRE(c.values.size() == s->names.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto d = tune::parse_dimension(text, "-D"); succeeded(d)) {
    BANKWISE_REQUIRE(!d->values.empty() && d->values.size() <= tune::most_values);
    BANKWISE_REQUIRE(tune::is_dimension_name(d->name));
  }
  const tune::named_values known = tune::values_of({"TILE", "TYPE"}, {{"32", "half"}}, {{"N", 1024}});
  succeeded(tune::evaluate_list(text, known, "--grid"));
  succeeded(tune::evaluate_argument(text, known, "--arg"));
  succeeded(tune::fill_braces(text, known, "word"));
  tune::replace_names(text, known);
  read_list(text, "list.csv");
  read_list(text, "list.toml");
  if (const auto t = tune::read_tuned(text, "tuned.json"); succeeded(t)) {
    tune::to_text(*t, {}, true);
    tune::to_csv(*t);
    const auto again = tune::read_tuned(tune::to_json(*t), "again.json");
    BANKWISE_REQUIRE(again && tune::to_json(*again) == tune::to_json(*t));
  }
  return 0;
}
