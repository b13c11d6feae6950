#include "cli/run/run_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/format.hpp"
#include "base/text.hpp"
#include "model/time/timeline.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cli {

namespace {

constexpr checks all_checks{true, true, true, true};

// A word of --check. `uninit` is the older name of `init`.
struct check_word {
  std::string_view name;
  checks what;
};
constexpr check_word check_words[] = {
    {"memory", {.memory = true}},        {"race", {.races = true}},           {"init", {.uninitialised = true}},
    {"sync", {.synchronisation = true}}, {"uninit", {.uninitialised = true}}, {"all", all_checks},
};

diagnostic refuse_check(const std::string& list, const std::string& word) {
  std::vector<std::string> names;
  for (const check_word& w : check_words) names.emplace_back(w.name);
  const auto near = nearest(word, names, 1);
  const bool is_near = !near.empty() && edit_distance(word, near[0]) <= word.size() / 3;
  return {
      formatted("--check {}: expected a list of memory, race, init and sync, or all", list),
      {},
      is_near ? formatted("did you mean --check {}?", near[0]) : "for example: bankwise run --check memory,init ./app"};
}

// Reads a list such as "memory,race".
result<checks> read_checks(const arguments& args) {
  const std::string list = args.value("check").value_or("all");
  if (args.has("safe") && list != "all")
    return diagnostic{formatted("--safe is the same as --check all, so leave out --check {}", list)};
  if (!args.has("safe") && !args.has("check")) return checks{};
  checks wanted;
  for (const std::string_view word : split(list, ',')) {
    const auto* const row = std::find_if(std::begin(check_words), std::end(check_words),
                                         [&](const check_word& w) { return w.name == trim(word); });
    if (row == std::end(check_words)) return refuse_check(list, std::string(trim(word)));
    wanted.uninitialised |= row->what.uninitialised;
    wanted.races |= row->what.races;
    wanted.memory |= row->what.memory;
    wanted.synchronisation |= row->what.synchronisation;
  }
  return wanted;
}

// Returns the number in a flag. Returns 0 if the flag is missing, or if its value is `word`.
result<std::uint64_t> read_number(const arguments& args, const char* flag, std::uint64_t least, std::uint64_t most,
                                  const char* word) {
  if (flag == nullptr) return std::uint64_t{0};
  if (word != nullptr && args.value(flag).value_or(word) == word) return std::uint64_t{0};
  const auto n = number(args, flag, 0, least, most);
  if (!n && word != nullptr) return diagnostic{formatted("{}, or {}", n.error().message, word)};
  return n;
}

result<std::chrono::milliseconds> read_time(const arguments& args, const char* flag) {
  using std::chrono::milliseconds;
  const auto text = args.value(flag);
  if (!text) return milliseconds(0);
  constexpr double least = 0.001, most = 1e6;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size() || !(seconds >= least && seconds <= most))
    return diagnostic{formatted("--{} {}: pass a number of seconds from 0.001 to 1000000", flag, *text)};
  return milliseconds(std::llround(seconds * 1000));
}

result<std::string> read_text(const arguments& args, const char* flag) {
  if (flag == nullptr) return std::string();
  const std::string name = args.value(flag).value_or("");
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  if (name.size() < 256 && std::all_of(name.begin(), name.end(), is_printable)) return name;
  return diagnostic{formatted("--{}: pass fewer than 256 printable ASCII characters", flag)};
}

// Returns the folder of --trace accel-sim=DIR, or an empty string without the flag.
result<std::string> read_trace_folder(const arguments& args) {
  const auto text = args.value("trace");
  if (!text) return std::string();
  constexpr std::string_view format = "accel-sim=";
  if (!text->starts_with(format) || text->size() == format.size())
    return diagnostic{formatted("--trace {}: pass accel-sim and a folder", *text),
                      {},
                      "bankwise run --trace accel-sim traces ... writes traces/kernelslist.g"};
  for (const char* flag : {"counts", "ctas", "time", "check", "safe", "try-warps"})
    if (args.has(flag))
      return diagnostic{formatted("--trace needs all instructions of every block, so leave out --{}", flag)};
  return text->substr(format.size());
}

// Returns whether times are predicted by default. With --counts, times are not predicted, because a prediction takes
// longer than counting. With --try-warps, they are not predicted, because this flag answers another question.
const char* default_time_model(const arguments& args) {
  const char* const chosen = std::getenv(run_variable::predicts_time);
  const bool is_off = chosen != nullptr && std::string_view(chosen) == "off";
  return is_off || args.has("counts") || args.has("try-warps") ? "off" : "on";
}

}  // namespace

result<run_options> read_run_settings(const arguments& args) {
  run_options o;
  const auto wanted = read_checks(args);
  if (!wanted) return wanted.error();
  o.checks_uninitialised = wanted->uninitialised;
  o.checks_races = wanted->races;
  o.checks_memory = wanted->memory;
  o.checks_synchronisation = wanted->synchronisation;
  const auto faults = choice(args, "faults", "report", {"report", "stop"});
  if (!faults) return faults.error();
  o.strict_bounds = *faults == "stop";
  if (args.has("global")) {
    const auto global = choice(args, "global", "on", {"on", "off"});
    if (!global) return global.error();
    o.insists_on_global = *global == "on";
    o.leaves_out_global = *global == "off";
  }
  const auto time_model = choice(args, "time-model", default_time_model(args), {"off", "on", "all"});
  if (!time_model) return time_model.error();
  o.predicts_time = *time_model != "off";
  o.predicts_all_times = *time_model == "all";
  const auto caches = choice(args, "caches", "cold", {"cold", "warm"});
  if (!caches) return caches.error();
  o.warm_caches = *caches == "warm";
  o.keeps_accesses = args.has("accesses") || args.has("fix");
  const bool shows_timeline = args.has("timeline") || args.value("format") == "perfetto";
  const auto read_switch = [&](bool& to, const char* flag) {
    if (flag != nullptr) to = args.has(flag);
  };
#define SWITCH(name, flag, variable, meaning) read_switch(o.name, flag);
#define NUMBER(type, name, least, most, word, flag, variable, meaning) \
  if (const auto n = read_number(args, flag, least, most, word))       \
    o.name = static_cast<type>(*n);                                    \
  else                                                                 \
    return n.error();
#define SECONDS(name, flag, variable, meaning) \
  if (const auto time = read_time(args, flag)) \
    o.name = *time;                            \
  else                                         \
    return time.error();
#define TEXT(name, flag, variable, meaning)    \
  if (const auto text = read_text(args, flag)) \
    o.name = *text;                            \
  else                                         \
    return text.error();
#include "model/run_options.def"
  if (shows_timeline) o.timeline_operations = program_timeline::most_operations;
  if (const auto on = timing::read_timed_gpu(o.timed_gpu); !on) {
    diagnostic wrong = on.error();
    wrong.message = formatted("--gpu: {}", wrong.message);
    return wrong;
  }
  // The path is absolute, because the program may change its working folder.
  if (timing::is_parameter_file(o.timed_gpu)) o.timed_gpu = std::filesystem::absolute(o.timed_gpu).string();
  if (o.counts_only && (o.looks_for_faults || o.wanted().any()))
    return diagnostic{"--counts skips instructions that --check and --faults need, so leave out one of these flags"};
  if (o.schedules != 0)
    for (const char* flag : {"counts", "ctas", "time", "trace", "try-warps", "seed"})
      if (args.has(flag))
        return diagnostic{formatted("--schedules executes every block in several orders, so leave out --{}", flag)};
  auto folder = read_trace_folder(args);
  if (!folder) return folder.error();
  o.trace_folder = std::move(*folder);
  return o;
}

void apply_alone(const run_options& o, emulate::launch& l) {
  emulate::apply(o, l);
  if (o.total_budget != 0) l.budget = std::min(l.budget, o.total_budget);
  if (o.time.count() != 0) l.time = emulate::time_limit{.begins = o.time, .until = 2 * o.time};
}

}  // namespace bankwise::cli
