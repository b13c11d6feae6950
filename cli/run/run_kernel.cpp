#include "cli/run/run_kernel.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/format.hpp"
#include "base/npy.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/error_form.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/nvcc/nvcc.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "cubin/program.hpp"
#include "emulate/counting/counting.hpp"
#include "emulate/launch/listeners.hpp"
#include "profile/arrays.hpp"
#include "profile/code/code.hpp"
#include "profile/code/meanings.hpp"
#include "profile/global_counts.hpp"
#include "profile/launch_watch.hpp"
#include "profile/profile_launch.hpp"
#include "report/sections/warp_shape_report.hpp"
#include "timing/trace/accel_sim_trace.hpp"

namespace bankwise::cli {

namespace {

// Whether the file must be compiled to machine code.
bool is_compiled(const std::string& file) { return file.ends_with(".cu") || file.ends_with(".ptx"); }

result<cubin::program> load_program(const arguments& args, std::uint32_t sm) {
  if (args.positional.size() != 1)
    return diagnostic{"bankwise run needs one file or program",
                      {},
                      "usage: bankwise run KERNEL.cu|KERNEL.ptx|KERNEL.cubin|KERNEL.fatbin -k NAME --grid X,Y,Z "
                      "--block X,Y,Z --arg ..., or bankwise run PROGRAM.cu|PROGRAM [ARGUMENTS OF THE PROGRAM]"};
  const std::string& file = args.positional[0];
  auto contents = read_file(file);
  if (!contents) return contents.error();
  if (!args.of_program.empty())
    return diagnostic{
        formatted("'{}' follows {}, but a single kernel takes no program arguments", args.of_program[0], file),
        {},
        "pass the arguments of a kernel with --arg. To run the whole program with its arguments, leave out --grid, "
        "--block, --shared, --arg and --dump"};
  if (!is_compiled(file) && args.has("nvcc"))
    return diagnostic{formatted("--nvcc is only for .cu files, but {} is already compiled", file)};
  if (is_compiled(file)) {
    if (!args.has("grid") && !args.has("sass"))
      return diagnostic{
          "--grid is missing: --block, --shared, --arg and --dump apply to the launch of a single kernel",
          {},
          formatted("bankwise run {} -k KERNEL --grid X,Y,Z --block X,Y,Z --arg ... launches a kernel. Without these "
                    "flags, the whole program runs",
                    file)};
  }
  if (!is_compiled(file) && contents->starts_with("#!"))
    return diagnostic{
        formatted("{} is a script that is not executable", file),
        {.file = file},
        formatted("make the script executable (chmod +x {}), or name its interpreter: bankwise run sh {}", file, file)};
  if (is_compiled(file)) contents = compile_cubin({file, args.value("arch"), args.all("nvcc")});
  if (!contents) return contents.error();
  return cubin::load(bytes_of(*contents), file, sm);
}

std::string listing(const cubin::program& p, const cubin::kernel& k) {
  const kernel_code code = describe_code(p, k, {});
  std::string text = formatted("{}\n", k.full_name);
  std::uint32_t line = 0;
  std::int32_t file = -1;
  for (const code_line& i : code.instructions) {
    if (i.file >= 0 && (i.line != line || i.file != file)) {
      line = i.line;
      file = i.file;
      text +=
          formatted("                      // {}:{}\n", base_name(code.files[static_cast<std::size_t>(file)]), line);
    }
    text += formatted("  /*{}*/  {}\n", hex(i.pc, 4), i.sass);
  }
  return text;
}

result<std::vector<buffer_dump>> read_dumps(const arguments& args, const std::vector<kernel_argument>& list) {
  std::vector<buffer_dump> dumps;
  for (const std::string& text : args.all("dump")) {
    const std::size_t equals = text.find('=');
    const std::string place = text.substr(0, equals);
    const auto [n, field] = parse_place(place);
    const auto bad = [&](const std::string& message) {
      return diagnostic{
          formatted("--dump {}: {}", text, message),
          {},
          "--dump 1=out.npy writes the buffer of the first --arg, and --dump 1.2=out.npy writes the buffer of its "
          "second field"};
    };
    if (equals == std::string::npos || !n || !field || text.size() == equals + 1) return bad("expected N=FILE");
    if (*n < 1 || *n > list.size())
      return bad(formatted("this argument does not exist. The kernel has {} arguments, counted from 1", list.size()));
    const kernel_argument* a = &list[*n - 1];
    if (*field > a->fields.size()) return bad(formatted("the field {} does not exist", place));
    if (*field != 0) a = &a->fields[*field - 1];
    if (!a->is_buffer) return bad(formatted("argument {} is passed by value, so it is not a buffer", place));
    dumps.push_back({static_cast<std::size_t>(*n - 1), static_cast<std::size_t>(*field), text.substr(equals + 1)});
  }
  return dumps;
}

result<emulate::launch> read_launch(const arguments& args, const run_options& settings) {
  emulate::launch l;
  const auto grid = triple(args, "grid", {1, 1, 1});
  if (!grid) return grid.error();
  const auto block = triple(args, "block", {32, 1, 1});
  if (!block) return block.error();
  const auto cluster = triple(args, "cluster", {0, 0, 0});
  if (!cluster) return cluster.error();
  const auto shared = number(args, "shared", 0, 0, 1u << 20);
  if (!shared) return shared.error();
  const auto stack = number(args, "stack", l.stack_bytes, 0, std::uint64_t{512} << 10);
  if (!stack) return stack.error();
  l.grid = *grid;
  l.block = *block;
  l.cluster = *cluster;
  l.large_clusters = true;
  l.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
  l.stack_bytes = static_cast<std::uint32_t>(*stack);
  l.cooperative = args.has("cooperative");
  apply_alone(settings, l);
  return l;
}

result<kernel_argument> read_kernel_argument(std::string_view text, std::size_t number) {
  auto a = parse_argument(text, number);
  if (!a) return a;
  std::vector<const kernel_argument*> parts{&*a};
  for (const kernel_argument& field : a->fields) parts.push_back(&field);
  for (const kernel_argument* p : parts)
    if (!p->file.empty() && ::access(p->file.c_str(), R_OK) != 0)
      return diagnostic{
          formatted("argument {} ({}): cannot read {}: {}", number, a->text, p->file, std::strerror(errno))};
  return a;
}

result<std::vector<kernel_argument>> read_kernel_arguments(const arguments& args) {
  std::vector<kernel_argument> list;
  for (const std::string& text : args.all("arg")) {
    auto a = read_kernel_argument(text, list.size() + 1);
    if (!a) return a.error();
    list.push_back(std::move(*a));
  }
  return list;
}

// Reads the value of --try-input: arguments that replace arguments of --arg, such as "2=u32[4096]=zero 3=u32=64".
result<std::vector<other_input>> read_other_inputs(const arguments& args, const std::vector<kernel_argument>& list) {
  std::vector<other_input> others;
  for (const std::string& text : args.all("try-input")) {
    const auto bad = [&](const std::string& message) {
      return diagnostic{formatted("--try-input {}: {}", text, message),
                        {},
                        "--try-input '2=u32[4096]=zero' runs the kernel again with a different second --arg"};
    };
    other_input one{text, list};
    bool changes = false;
    for (std::string_view word : split(text, ' ')) {
      if (trim(word).empty()) continue;
      const std::size_t equals = word.find('=');
      const auto n = parse_u64(word.substr(0, equals));
      if (equals == std::string_view::npos || !n) return bad("expected N=ARGUMENT");
      if (*n < 1 || *n > list.size())
        return bad(formatted("this argument does not exist. The kernel has {} arguments, counted from 1", list.size()));
      auto a = read_kernel_argument(word.substr(equals + 1), static_cast<std::size_t>(*n));
      if (!a) return a.error();
      one.list[*n - 1] = std::move(*a);
      changes = true;
    }
    if (!changes) return bad("this input does not change any argument");
    others.push_back(std::move(one));
  }
  return others;
}

// Returns an error if --array names an array that the kernel does not declare. If the kernel's arrays are not known
// before the launch, the launch reports the error.
std::optional<diagnostic> refuse_shapes(const cubin::program& p, const cubin::kernel& k,
                                        const std::vector<expr::array_decl>& shapes) {
  const auto declared = read_declarations(p, k.mangled);
  if (!declared || !declared->dynamic.empty()) return std::nullopt;
  for (const expr::array_decl& shape : shapes) {
    if (std::any_of(declared->fixed.begin(), declared->fixed.end(),
                    [&](const auto& a) { return a.name == shape.name; }))
      continue;
    std::string names;
    for (const ptx_array& a : declared->fixed) names += (names.empty() ? "it has " : ", ") + a.name;
    return diagnostic{formatted("--array {}: the kernel has no array with this name", shape.name),
                      {},
                      names.empty() ? "the kernel declares no shared memory" : names};
  }
  return std::nullopt;
}

// Returns the hooks that print the kernel's output, before the report. If standard output has a report that a program
// reads, the output goes to standard error.
emulate::launch_hooks printing_hooks(bool report_is_data) {
  emulate::launch_hooks hooks;
  std::FILE* const out = report_is_data ? stderr : stdout;
  hooks.print = [out](std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); };
  hooks.print_error = [out](std::string_view text) {
    std::fflush(out);  // flushed, so that texts in standard output and standard error keep their order
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  return hooks;
}

// Adds the reason why the only launch of a report ended early. Returns true if a signal stopped the launch.
bool note_end(report& r, const run_options& settings) {
  launch_report& l = r.launches[0];
  const bool total = settings.total_budget != 0 && (settings.budget == 0 || settings.total_budget < settings.budget);
  if (l.partial.why == early_end::reason::budget && total) {
    l.partial.why = early_end::reason::total_budget;
    l.stopped_at.hint = "raise --total-budget, or leave the flag out";
  }
  if (l.partial.why == early_end::reason::interrupted)
    l.partial.signal = signal_name(static_cast<int>(stop_signal().load()));
  r.partial = l.partial;
  return l.partial.why == early_end::reason::interrupted;
}

// The memory after a launch, and the places of the arguments in this memory.
struct executed_kernel {
  emulate::device_memory memory;
  placed_arguments placed;
};

// Executes a launch.
result<launch_report> execute(emulate::launch l, const std::vector<kernel_argument>& list, const report_request& how,
                              const run_options& settings, const machine& on, executed_kernel& left,
                              const std::function<void(emulate::launch_hooks&)>& listen = {}) {
  if (settings.checks_uninitialised) left.memory.written = std::make_unique<emulate::written_bytes>();
  if (const auto loaded = emulate::load_variables(*l.program, left.memory); !loaded) return loaded.error();
  auto placed = place_arguments(*l.kernel, list, left.memory, read_file);
  if (!placed) return placed.error();
  left.placed = std::move(*placed);
  l.parameters = left.placed.parameters;
  l.memory_is_private = true;
  launch_watch watch(l);
  emulate::launch_hooks hooks = printing_hooks(!how.is_text() && how.output.empty());
  hooks.stop = &stop_signal();
  hooks.progress = [&](const emulate::launch_progress& p) { watch.update(p); };
  if (listen) listen(hooks);
  emulate::fault_kind fault{};
  l.fault = &fault;
  const auto run = [&] { return profile_launch(l, left.memory, on, hooks, contents_of(settings, settings.looks)); };
  auto profiled = run();
  if (!profiled && fault == emulate::fault_kind::needs_results) {
    l.counting = nullptr;
    profiled = run();
  }
  return profiled;
}

// Executes a launch with --trace accel-sim. While the launch runs, writes its trace to the folder.
result<launch_report> execute_traced(emulate::launch l, const std::vector<kernel_argument>& list,
                                     const report_request& how, const run_options& settings, const machine& on,
                                     executed_kernel& left) {
  auto traces = timing::accel_sim_folder::open(settings.trace_folder);
  if (!traces) return traces.error();
  timing::run_for_accel_sim(l);
  auto file = traces->begin(l);
  if (!file) return file.error();
  timing::accel_sim_recorder recorder(l, file->to);
  auto ran = execute(l, list, how, settings, on, left, [&](emulate::launch_hooks& hooks) {
    hooks.listeners.emplace_back([&](unsigned) { return &recorder; });
  });
  const auto ended = traces->end(*file, recorder);
  if (!ran) return ran;
  if (!ended) return ended.error();
  return ran;
}

// Executes a launch with --try-warps: once with the kernel's own warps, and once with each other warp shape.
result<warp_shape_report> try_warps(kernel_question q, const report_request& how, const run_options& settings,
                                    const machine& on) {
  warp_shape_report r{on, {}, q.how.block, {}, {}};
  q.how.counts_global = false;  // counted below
  const auto count = [&](const emulate::warp_shape& w, executed_kernel& left, advise::warp_trial& t) -> result<done> {
    std::optional<emulate::listeners_of<global_collector>> global;
    q.how.warps = w;
    const auto ran = execute(q.how, q.list, how, settings, on, left, [&](emulate::launch_hooks& hooks) {
      global.emplace(hooks, [] { return std::make_unique<global_collector>(); });
    });
    if (!ran) return ran.error();
    if (ran->partial) return ran->stopped_at;
    r.kernel = ran->name;
    t = {w, ran->sum.wavefronts, ran->sum.cycles, global->sum()->sum().sectors, true};
    return done{};
  };
  executed_kernel as_it_is;
  if (const auto counted = count({}, as_it_is, r.as_it_is); !counted) return counted.error();
  for (const emulate::warp_shape& w : advise::other_shapes(q.how.block)) {
    executed_kernel left;
    advise::warp_trial t;
    // With other thread indices, a kernel may access memory that does not exist. The warp shape is then skipped.
    if (const auto counted = count(w, left, t); !counted) {
      if (stop_signal() != 0) return counted.error();
      continue;
    }
    t.same_memory = left.memory.same_bytes(as_it_is.memory);
    r.others.push_back(t);
  }
  return r;
}

// After the launch, writes the buffers that --dump names.
result<done> write_dumps(const kernel_question& q, const placed_arguments& placed, const emulate::device_memory& memory,
                         const report& r) {
  if (!q.dumps.empty() && r.partial) tell("note: the launch was stopped, so the file of --dump may be incomplete");
  if (!q.dumps.empty() && r.launches[0].scaled)
    tell("note: only some blocks ran, so the file of --dump lacks the values of the other blocks");
  for (const buffer_dump& d : q.dumps) {
    const placed_argument& whole = placed.each[d.argument];
    const placed_argument& at = d.field == 0 ? whole : whole.fields[d.field - 1];
    const kernel_argument& of = q.list[d.argument];
    const kernel_argument& a = d.field == 0 ? of : of.fields[d.field - 1];
    const auto* data = reinterpret_cast<const char*>(memory.bytes_at(at.address, at.bytes));
    std::string out = d.file.ends_with(".npy") ? npy_header(a.type.numpy, at.bytes / a.type.bytes) : "";
    out.append(data, at.bytes);
    if (const auto written = write_file(d.file, out); !written) return written.error();
  }
  return done{};
}

}  // namespace

result<kernel_question> read_kernel_question(const arguments& args, const run_options& settings) {
  auto how = read_launch(args, settings);
  if (!how) return how.error();
  auto list = read_kernel_arguments(args);
  if (!list) return list.error();
  auto dumps = read_dumps(args, *list);
  if (!dumps) return dumps.error();
  auto others = read_other_inputs(args, *list);
  if (!others) return others.error();
  const bool tries_warps = args.has("try-warps");
  if (tries_warps && (how->most_blocks != 0 || how->time || !dumps->empty()))
    return diagnostic{
        "--try-warps executes every block and compares the results, so leave out --ctas, --time and --dump"};
  return kernel_question{std::move(*how), std::move(*list), std::move(*dumps), std::move(*others), tries_warps};
}

result<int> run_kernel(const arguments& args, report_request how, const run_options& settings, kernel_question q,
                       std::uint32_t sm) {
  if (args.has("kernel-exclude"))
    return diagnostic{"--kernel-exclude is for whole programs, but this run launches one kernel: leave it out"};
  const auto program = load_program(args, sm);
  if (!program) return program.error();
  const auto found = cubin::find_kernel(*program, args.value("kernel").value_or(""));
  if (!found) return found.error();
  const cubin::kernel& k = **found;
  if (args.has("sass")) {
    const auto written = write_plain(how.output, listing(*program, k));
    return written ? result<int>(exit_clean) : written.error();
  }

  const auto on = parse_machine(args.value("arch").value_or(formatted("sm_{}", program->sm)));
  if (!on) return on.error();
  if (const auto wrong = refuse_shapes(*program, k, how.shapes)) return *wrong;
  q.how.program = &*program;
  q.how.kernel = &k;
  if (q.tries_warps) {
    const auto tried = try_warps(q, how, settings, *on);
    if (!tried) return tried.error();
    const auto written =
        write_plain(how.output, how.is_text() ? to_text(*tried, how.paint, how.all) : to_json(*tried), how.paint);
    return written ? result<int>(exit_clean) : written.error();
  }
  // If a run needs no results, it skips code on which no shared-memory access depends.
  const sass::code_flow flow = emulate::flow_of(*program, k);
  const auto code = std::make_shared<emulate::counting_code>(
      emulate::code_to_count(flow, settings.leaves_out_global ? emulate::told_global::no : emulate::told_global::yes));
  q.how.racing = code->racing;
  if (q.dumps.empty() && !settings.wanted().any() && !settings.looks_for_faults) q.how.counting = code;
  report r{on->name, "emulated", *on, {}, {}, {}};
  executed_kernel first;
  auto profiled = settings.trace_folder.empty() ? execute(q.how, q.list, how, settings, *on, first)
                                                : execute_traced(q.how, q.list, how, settings, *on, first);
  if (!profiled) return profiled.error();
  add_meaning(*profiled, *program, k, code->needed);
  r.launches.push_back(std::move(*profiled));
  const bool interrupted = note_end(r, settings);
  if (r.partial.why == early_end::reason::fault) {
    r.failure = failure_sentence(r.launches[0].stopped_at);
    r.failed_kernel = k.full_name;
  }
  if (const auto written = write_dumps(q, first.placed, first.memory, r); !written) return written.error();
  if (how.is_page()) r.code.push_back(describe_code(*program, k, r.launches[0]));
  for (const other_input& other : q.others) {
    if (interrupted) break;
    executed_kernel again;
    auto tried = execute(q.how, other.list, how, settings, *on, again);
    if (!tried)
      return diagnostic{formatted("--try-input {}: {}", other.name, tried.error().message), {}, tried.error().hint};
    how.tried.push_back({other.name, std::move(*tried)});
  }
  how.ends_early = !interrupted;
  source_files sources(args, args.positional[0]);
  if (const auto written = present_new(how, r, !interrupted && stop_signal() == 0, sources, args.positional[0]);
      !written)
    return written.error();
  if (!interrupted && stop_signal() != 0) return tell_late_stop();
  if (!r.partial || r.partial.why == early_end::reason::time) return status_of(how, r);
  std::fflush(stdout);
  tell_error(r.launches[0].stopped_at);
  return interrupted ? exit_of(static_cast<int>(stop_signal().load())) : exit_failed;
}

}  // namespace bankwise::cli
