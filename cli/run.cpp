#include <algorithm>
#include <cstdio>

#include "base/files.hpp"
#include "base/npy.hpp"
#include "base/text.hpp"
#include "cubin/program.hpp"
#include "emulate/arguments.hpp"
#include "fix.hpp"
#include "nvcc.hpp"
#include "profile/code.hpp"
#include "profile/collect.hpp"
#include "profile/launch_watch.hpp"
#include "rendering.hpp"
#include "run_program.hpp"
#include "source_files.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

// "sm_90a" and "sm_100f" run by the rules of sm_90 and sm_100.
std::string family_of(const std::string& arch) {
  return (arch.ends_with("a") || arch.ends_with("f")) && arch.starts_with("sm_") ? arch.substr(0, arch.size() - 1)
                                                                                 : arch;
}

// The number of --arch, 0 without one; or that no code for it is executed.
result<std::uint32_t> number_of(const std::optional<std::string>& arch) {
  if (!arch) return std::uint32_t{0};
  const std::string family = family_of(*arch);
  const auto sm = family.starts_with("sm_") ? parse_u64(family.substr(3)) : std::nullopt;
  if (sm && *sm < 1000 && emulate::can_execute(static_cast<std::uint32_t>(*sm))) return static_cast<std::uint32_t>(*sm);
  return diagnostic{"--arch " + *arch + ": bankwise executes code for " + emulate::executable_list(),
                    {},
                    "explain and predict know the banks of other machines"};
}

// What nvcc makes machine code of.
bool is_compiled(const std::string& file) { return file.ends_with(".cu") || file.ends_with(".ptx"); }

result<cubin::program> load_program(const arguments& args, std::uint32_t sm) {
  if (args.positional.size() != 1)
    return diagnostic{"expected one file",
                      {},
                      "usage: bankwise run KERNEL.cu|KERNEL.ptx|KERNEL.cubin|KERNEL.fatbin -k NAME --grid X,Y,Z "
                      "--block X,Y,Z --arg ..., or bankwise run PROGRAM.cu|PROGRAM [-- ARGUMENTS OF THE PROGRAM]"};
  const std::string& file = args.positional[0];
  if (!is_compiled(file) && args.has("nvcc"))
    return diagnostic{"--nvcc is for .cu files; " + file + " is compiled already"};
  if (is_compiled(file)) {
    if (!args.has("grid") && !args.has("sass"))
      return diagnostic{"--grid is missing: --block, --shared, --arg and --dump are for one kernel of the file",
                        {},
                        "bankwise run " + file +
                            " -k KERNEL --grid X,Y,Z --block X,Y,Z --arg ... launches that; without "
                            "these flags the program runs"};
    if (const auto there = read_file(file); !there) return there.error();
  }
  const auto contents =
      is_compiled(file) ? compile_cubin(file, args.value("arch").value_or("sm_90"), args.all("nvcc")) : read_file(file);
  if (!contents) return contents.error();
  return cubin::load(bytes_of(*contents), file, sm);
}

std::string listing(const cubin::program& p, const cubin::kernel& k) {
  const kernel_code code = describe_code(p, k, {});
  std::string text = k.full_name + "\n";
  std::uint32_t line = 0;
  std::int32_t file = -1;
  for (const code_line& i : code.instructions) {
    if (i.file >= 0 && (i.line != line || i.file != file)) {
      line = i.line;
      file = i.file;
      text += "                      // " + base_name(code.files[static_cast<std::size_t>(file)]) + ":" +
              std::to_string(line) + "\n";
    }
    text += "  /*" + hex(i.pc, 4) + "*/  " + i.sass + "\n";
  }
  return text;
}

struct dump {
  std::size_t argument = 0;
  std::string file;
};

result<std::vector<dump>> read_dumps(const arguments& args, const std::vector<emulate::argument>& list) {
  std::vector<dump> dumps;
  for (const std::string& text : args.all("dump")) {
    const std::size_t equals = text.find('=');
    const auto n = parse_u64(text.substr(0, equals));
    const auto bad = [&](const std::string& message) {
      return diagnostic{"--dump " + text + ": " + message, {}, "--dump 1=out.npy writes the buffer of the first --arg"};
    };
    if (equals == std::string::npos || !n || text.size() == equals + 1) return bad("expected N=FILE");
    if (*n < 1 || *n > list.size())
      return bad("there are " + std::to_string(list.size()) + " arguments, counted from 1");
    if (!list[*n - 1].is_buffer) return bad("argument " + std::to_string(*n) + " is passed by value");
    dumps.push_back({static_cast<std::size_t>(*n - 1), text.substr(equals + 1)});
  }
  return dumps;
}

result<emulate::launch> read_launch(const arguments& args, const cubin::program& p, const cubin::kernel& k) {
  emulate::launch l;
  l.program = &p;
  l.kernel = &k;
  const auto grid = triple(args, "grid", {1, 1, 1});
  if (!grid) return grid.error();
  const auto block = triple(args, "block", {32, 1, 1});
  if (!block) return block.error();
  const auto cluster = triple(args, "cluster", {0, 0, 0});
  if (!cluster) return cluster.error();
  const auto shared = number(args, "shared", 0, 0, 1u << 20);
  if (!shared) return shared.error();
  const auto seed = number(args, "seed", 0, 0, ~std::uint64_t{0});
  if (!seed) return seed.error();
  l.seed = *seed;
  const auto stack = number(args, "stack", l.stack_bytes, 0, std::uint64_t{512} << 10);
  if (!stack) return stack.error();
  const auto budget = number(args, "budget", l.budget, 1, ~std::uint64_t{0});
  if (!budget) return budget.error();
  const auto ctas = read_ctas(args);
  if (!ctas) return ctas.error();
  const auto threads = number(args, "threads", 0, 1, 1024);
  if (!threads) return threads.error();
  l.grid = *grid;
  l.block = *block;
  l.cluster = *cluster;
  l.large_clusters = true;
  l.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
  l.stack_bytes = static_cast<std::uint32_t>(*stack);
  l.budget = *budget;
  l.most_blocks = *ctas;
  l.cooperative = args.has("cooperative");
  l.threads = args.has("threads") ? static_cast<unsigned>(*threads) : 0;
  return l;
}

// What the kernel prints comes before its report. A program that reads the report gets that alone.
emulate::launch_hooks printing_hooks(bool report_is_data) {
  emulate::launch_hooks hooks;
  std::FILE* const out = report_is_data ? stderr : stdout;
  hooks.print = [out](std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); };
  hooks.print_error = [out](std::string_view text) {
    std::fflush(out);  // what was printed before
    std::fwrite(text.data(), 1, text.size(), stderr);
  };
  return hooks;
}

}  // namespace

result<int> run(const arguments& args) {
  const auto format = report_format(args);
  if (!format) return format.error();
  const std::string output = args.value("output").value_or("");
  const bool whole_program = runs_program(args);
  if (*format == "html" && !args.has("sass") && !whole_program)
    if (const auto refused = refuse_terminal(args, "report.html")) return *refused;
  if (args.has("accesses") && *format != "json")
    return diagnostic{"--accesses is for --format json, and the format is " + *format,
                      {},
                      "bankwise run --accesses --format json -o report.json ..."};
  const auto shapes = read_shapes(args);
  if (!shapes) return shapes.error();
  if (!shapes->empty() && !args.has("fix"))
    return diagnostic{"--array is for --fix: it gives an array of the kernel its rows"};
  if (const auto known = status_of(args, {}); !known) return known.error();
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  const auto sm = number_of(args.value("arch"));
  if (!sm) return sm.error();
  if (whole_program) return run_program(args, {*format, *paint, *shapes, args.value("arch").value_or("sm_90"), *sm});
  const auto program = load_program(args, *sm);
  if (!program) return program.error();
  const std::string arch = args.value("arch").value_or("sm_" + std::to_string(program->sm));
  const auto found = cubin::find_kernel(*program, args.value("kernel").value_or(""));
  if (!found) return found.error();
  const cubin::kernel& k = **found;
  if (args.has("sass")) {
    const auto written = write_file(output, listing(*program, k));
    return written ? result<int>(exit_clean) : written.error();
  }

  const auto on = parse_machine(family_of(arch));
  if (!on) return on.error();
  const auto wanted = read_checks(args);
  if (!wanted) return wanted.error();
  auto launch = read_launch(args, *program, k);
  if (!launch) return launch.error();
  std::vector<emulate::argument> list;
  for (const std::string& text : args.all("arg")) {
    auto a = emulate::parse_argument(text, list.size() + 1);
    if (!a) return a.error();
    list.push_back(std::move(*a));
  }
  const auto dumps = read_dumps(args, list);
  if (!dumps) return dumps.error();
  emulate::device_memory memory;
  if (const auto loaded = emulate::load_variables(*program, memory); !loaded) return loaded.error();
  auto placed = emulate::place_arguments(k, list, memory, read_file);
  if (!placed) return placed.error();
  launch->parameters = placed->parameters;

  report r{arch, "emulated", *on, {}, {}, {}};
  {
    launch_watch watch(*launch);
    auto profiled = profile_launch(
        *launch, memory, *on, [&](std::uint64_t done, std::uint64_t total) { watch.update(done, total); },
        args.has("accesses") || args.has("fix") ? most_accesses : 0,
        printing_hooks(*format != "text" && output.empty()), *wanted);
    if (!profiled) return profiled.error();
    r.launches.push_back(std::move(*profiled));
  }

  if (!dumps->empty() && r.launches[0].scaled)
    std::fprintf(stderr, "bankwise: --dump with --ctas: what the blocks that did not run would write is missing\n");
  for (const dump& d : *dumps) {
    const emulate::placed_argument& at = placed->each[d.argument];
    const emulate::argument& a = list[d.argument];
    const auto* data = reinterpret_cast<const char*>(memory.at(at.address, at.bytes));
    std::string out = d.file.ends_with(".npy") ? npy_header(a.type.numpy, at.bytes / a.type.bytes) : "";
    out.append(data, at.bytes);
    if (const auto written = write_file(d.file, out); !written) return written.error();
  }

  launch_fixes fixes;
  if (args.has("fix")) {
    auto advised = advise_launch(r.launches[0], r.on, *shapes);
    if (!advised) return advised.error();
    for (const advice_report& a : *advised) r.launches[0].fixes.push_back(summary_of(a));
    fixes.push_back(std::move(*advised));
    // The accesses were only for the search.
    if (!args.has("accesses")) forget_accesses(r.launches[0]);
  }

  source_files sources(args.positional[0]);
  add_source_lines(r, sources);
  if (*format == "html") {
    r.code.push_back(describe_code(*program, k, r.launches[0].sites));
    for (const std::string& file : r.code[0].files)
      if (auto text = sources.text(file)) r.sources.emplace(file, std::move(*text));
  }
  auto text = render(args, *format, r, fixes, sources, args.positional[0]);
  if (!text) return text.error();
  if (*format == "text" && args.has("fix")) *text += "\n" + to_text(fixes[0], *paint, args.has("all"));
  const auto written = write_file(output, *text);
  if (!written) return written.error();
  return status_of(args, r);
}

}  // namespace bankwise::cli
