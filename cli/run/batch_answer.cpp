#include "cli/run/batch_answer.hpp"

#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "base/system/files.hpp"
#include "cli/line/own_program.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/run/run_kernel.hpp"
#include "cli/run/run_settings.hpp"
#include "cubin/kernel_names.hpp"
#include "profile/limited_time.hpp"
#include "report/json/diagnostic_json.hpp"
#include "report/sections/time_report.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::cli {

namespace {

using json = nlohmann::ordered_json;

json head_of(std::size_t number, const std::string& name) {
  json j{{"line", number}};
  if (!name.empty()) j["name"] = name;
  return j;
}

std::string text_in_line(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

double microseconds_of(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

// A launch of a line that is ready to run.
struct ready_launch {
  std::shared_ptr<kept_program> of;
  std::vector<kernel_argument> list;
  emulate::launch how;
  run_options settings;
  machine on;
};

result<ready_launch> prepare_launch(const batch_line& line, kept_programs& programs) {
  auto settings = read_run_settings(line.args);
  if (!settings) return settings.error();
  settings->predicts_time = true;  // also if the environment turns predictions off
  settings->leaves_out_global = true;
  auto question = read_kernel_question(line.args, *settings);
  if (!question) return question.error();
  auto program = programs.get(line.args);
  if (!program) return program.error();
  const auto kernel = cubin::find_kernel((*program)->program(), line.args.value("kernel").value_or(""));
  if (!kernel) return kernel.error();
  const auto on = parse_machine(formatted("sm_{}", (*program)->program().sm));
  if (!on) return on.error();
  ready_launch r{std::move(*program), std::move(question->list), std::move(question->how), std::move(*settings), *on};
  r.how.program = &r.of->program();
  r.how.kernel = *kernel;
  return r;
}

result<launch_report> predict_launch(ready_launch& r, unsigned threads, double stop_above) {
  emulate::launch& l = r.how;
  l.threads = threads;
  l.counting = r.of->counting_of(*l.kernel);
  l.racing = l.counting->racing;
  l.kept = r.of->code();
  l.memory_is_private = true;
  emulate::fault_kind fault{};
  l.fault = &fault;
  emulate::launch_hooks hooks;
  hooks.print = hooks.print_error = [](std::string_view) {};
  hooks.stop = &stop_signal();
  const auto place = [&](emulate::launch& to, emulate::device_memory& memory) -> result<done> {
    if (const auto loaded = emulate::load_variables(*to.program, memory); !loaded) return loaded.error();
    auto placed = place_arguments(*to.kernel, r.list, memory, read_file);
    if (!placed) return placed.error();
    to.parameters = std::move(placed->parameters);
    return done{};
  };
  auto predicted = predict_limited(l, place, r.on, hooks, stop_above);
  if (predicted || fault != emulate::fault_kind::needs_results) return predicted;
  l.counting = nullptr;
  return predict_limited(l, place, r.on, hooks, stop_above);
}

// Returns why a launch has no time.
diagnostic without_time(const launch_report& l) {
  if (l.partial.why == early_end::reason::fault) return l.stopped_at;
  return {formatted("{}: no block could be traced, so the time cannot be predicted", l.name)};
}

json time_of(const launch_report& l) {
  const predicted_time& t = l.time;
  json j{{"kernel", l.kernel},
         {"gpu", t.gpu},
         {"caches", t.caches},
         {"registers", l.registers},
         {"shared_bytes", l.static_shared_bytes + l.dynamic_shared_bytes}};
  if (t.is_above_limit) {
    j["stopped"] = true;
    j["microseconds_above"] = microseconds_of(t.nanoseconds);
    return j;
  }
  j["occupancy"] = t.occupancy;
  j["limited_by"] = t.limited_by;
  j["cycles"] = t.cycles;
  j["microseconds"] = microseconds_of(t.nanoseconds);
  j["microseconds_low"] = microseconds_of(nanoseconds_of(t, t.cycles_low));
  j["microseconds_high"] = microseconds_of(nanoseconds_of(t, t.cycles_high));
  j["bound"] = t.bound;
  j["bound_words"] = words_of_resource(t.bound);
  j["trusted"] = t.doubts.empty();
  if (!t.doubts.empty()) j["doubts"] = t.doubts;
  return j;
}

// Adds an argument, with the contents of its file instead of the file's name.
result<done> add_argument(sha256& hash, const kernel_argument& a) {
  if (a.file.empty()) {
    hash.add_field(a.text);
  } else {
    const auto contents = read_file(a.file);
    if (!contents) return contents.error();
    hash.add_field(a.text.substr(0, a.text.find('=')));
    hash.add_field(*contents);
  }
  hash.add_field(std::to_string(a.fields.size()));
  for (const kernel_argument& field : a.fields)
    if (const auto added = add_argument(hash, field); !added) return added;
  return done{};
}

result<std::string> key_of(const ready_launch& r) {
  const emulate::launch& l = r.how;
  const auto& own = hash_of_own_program();
  if (!own) return own.error();
  sha256 hash;
  hash.add_field(*own);
  hash.add_field(r.of->hash());
  hash.add_field(l.kernel->mangled);
  const auto add_number = [&](std::uint64_t n) { hash.add_field(std::to_string(n)); };
  add_number(l.program->sm);
  for (const auto& size : {l.grid, l.block, l.cluster})
    for (const std::uint32_t n : size) add_number(n);
  for (const std::uint64_t n : {std::uint64_t{l.dynamic_shared_bytes}, std::uint64_t{l.stack_bytes}, l.budget,
                                std::uint64_t{l.cooperative}, std::uint64_t{l.warm_caches}})
    add_number(n);
  if (timing::is_parameter_file(l.timed_gpu)) {
    const auto contents = read_file(l.timed_gpu);
    if (!contents) return contents.error();
    hash.add_field(*contents);
  } else {
    const timing::timed_gpu* const gpu = timing::find_timed_gpu(l.timed_gpu);
    hash.add_field(gpu == nullptr ? l.timed_gpu : gpu->title);  // an H100 has several names
  }
  add_number(r.list.size());
  for (const kernel_argument& a : r.list)
    if (const auto added = add_argument(hash, a); !added) return added.error();
  return hash.hexadecimal();
}

}  // namespace

batch_answer answer_error(diagnostic why, std::size_t number, const std::string& name, const std::string& where) {
  if (why.where.file.empty()) why.where.file = where;
  if (why.where.file == where) why.where.line = static_cast<std::uint32_t>(number);
  json j = head_of(number, name);
  j.update(json_value(why));
  return {text_in_line(j), true};
}

batch_answer answer_time(const batch_line& line, std::size_t number, const std::string& where, kept_programs& programs,
                         unsigned threads) {
  auto ready = prepare_launch(line, programs);
  if (!ready) return answer_error(ready.error(), number, line.name, where);
  const auto ran = predict_launch(*ready, threads, line.stop_above);
  if (!ran) return answer_error(ran.error(), number, line.name, where);
  if (ran->partial.why == early_end::reason::interrupted) return {.interrupted = true};
  if (ran->partial.why == early_end::reason::fault || !ran->time)
    return answer_error(without_time(*ran), number, line.name, where);
  json j = head_of(number, line.name);
  j.update(time_of(*ran));
  return {text_in_line(j)};
}

batch_answer answer_key(const batch_line& line, std::size_t number, const std::string& where, kept_programs& programs) {
  const auto ready = prepare_launch(line, programs);
  if (!ready) return answer_error(ready.error(), number, line.name, where);
  const auto key = key_of(*ready);
  if (!key) return answer_error(key.error(), number, line.name, where);
  json j = head_of(number, line.name);
  j["key"] = *key;
  return {text_in_line(j)};
}

}  // namespace bankwise::cli
