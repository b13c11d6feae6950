#include "run_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace bankwise::cli {

namespace {

result<checks> read_checks(const arguments& args) {
  if (!args.has("check")) return checks{};
  const auto what = choice(args, "check", "all", {"uninit", "race", "all"});
  if (!what) return what.error();
  return checks{*what != "race", *what != "uninit"};
}

result<std::uint64_t> read_ctas(const arguments& args) {
  if (args.value("ctas").value_or("all") == "all") return std::uint64_t{0};
  const auto n = number(args, "ctas", 0, 1, std::uint64_t{1} << 40);
  if (!n) return diagnostic{n.error().message + ", or all"};
  return *n;
}

result<std::chrono::milliseconds> read_time(const arguments& args) {
  using std::chrono::milliseconds;
  const auto text = args.value("time");
  if (!text) return milliseconds(0);
  constexpr double least = 0.001, most = 1e6;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size() || !(seconds >= least && seconds <= most))
    return diagnostic{"--time " + *text + ": expected seconds, from 0.001 to 1000000"};
  return milliseconds(std::llround(seconds * 1000));
}

result<std::string> read_device_name(const arguments& args) {
  const std::string name = args.value("device-name").value_or("");
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (name.size() < 256 && std::all_of(name.begin(), name.end(), is_printable)) return name;
  return diagnostic{"--device-name: expected less than 256 printable ASCII characters"};
}

}  // namespace

result<run_settings> read_run_settings(const arguments& args) {
  run_settings s;
  const auto wanted = read_checks(args);
  if (!wanted) return wanted.error();
  const auto faults = choice(args, "faults", "report", {"report", "stop"});
  if (!faults) return faults.error();
  const auto seed = number(args, "seed", 0, 0, ~std::uint64_t{0});
  const auto budget = number(args, "budget", 0, 1, ~std::uint64_t{0});
  const auto total = number(args, "total-budget", 0, 1, ~std::uint64_t{0});
  const auto ctas = read_ctas(args);
  const auto threads = number(args, "threads", 0, 1, 1024);
  for (const auto* n : {&seed, &budget, &total, &ctas, &threads})
    if (!*n) return n->error();
  const auto time = read_time(args);
  if (!time) return time.error();
  s.time = *time;
  const auto name = read_device_name(args);
  if (!name) return name.error();
  s.device_name = *name;
  s.wanted = *wanted;
  s.strict_bounds = *faults == "stop";
  s.looks_for_faults = args.has("faults");
  s.counts_only = args.has("counts");
  if (s.counts_only && (s.looks_for_faults || s.wanted.any()))
    return diagnostic{"--counts executes only what counts need: nothing is there that --check and --faults look for"};
  s.keeps_accesses = args.has("accesses") || args.has("fix");
  s.interprets = args.has("interpret");
  s.seed = *seed;
  s.budget = *budget;
  s.total_budget = *total;
  s.ctas = *ctas;
  s.threads = static_cast<unsigned>(*threads);
  return s;
}

void apply(const run_settings& s, emulate::launch& l) {
  l.seed = s.seed;
  for (const std::uint64_t n : {s.budget, s.total_budget})
    if (n != 0) l.budget = std::min(l.budget, n);
  l.most_blocks = s.ctas;
  if (s.time.count() != 0) l.time = emulate::time_limit{.begins = s.time, .until = 2 * s.time};
  l.threads = s.threads;
  l.strict_bounds = s.strict_bounds;
  if (s.interprets) l.use = emulate::instruction_use::interpret;
}

std::vector<std::pair<std::string, std::string>> environment_of(const run_settings& s) {
  std::vector<std::pair<std::string, std::string>> variables;
  const auto add_switch = [&](const char* name, bool on) {
    if (on) variables.emplace_back(name, "1");
  };
  const auto add_number = [&](const char* name, std::uint64_t n) {
    if (n != 0) variables.emplace_back(name, std::to_string(n));
  };
  add_switch("BANKWISE_ACCESSES", s.keeps_accesses);
  add_switch("BANKWISE_LOOK", s.looks);
  add_switch("BANKWISE_CHECK_UNINIT", s.wanted.uninitialised);
  add_switch("BANKWISE_CHECK_RACE", s.wanted.races);
  add_switch("BANKWISE_STRICT_BOUNDS", s.strict_bounds);
  add_switch("BANKWISE_AT_ONCE", s.looks_for_faults);
  add_switch("BANKWISE_COUNTS", s.counts_only);
  add_switch("BANKWISE_INTERPRET", s.interprets);
  add_number("BANKWISE_BUDGET", s.budget);
  add_number("BANKWISE_TOTAL_BUDGET", s.total_budget);
  add_number("BANKWISE_THREADS", s.threads);
  add_number("BANKWISE_CTAS", s.ctas);
  add_number("BANKWISE_TIME", static_cast<std::uint64_t>(s.time.count()));  // milliseconds
  add_number("BANKWISE_SEED", s.seed);
  if (!s.device_name.empty()) variables.emplace_back("BANKWISE_DEVICE_NAME", s.device_name);
  return variables;
}

}  // namespace bankwise::cli
