// bankwise probe: measures the rule on the GPU of this machine, or the parameters of the model of time.
#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/text.hpp"
#include "cli/line/output.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "gpu/probe/contribution.hpp"
#include "gpu/probe/counters.hpp"
#include "gpu/probe/evidence.hpp"
#include "gpu/probe/gpu_meters.hpp"
#include "gpu/probe/timing/timing_probe.hpp"

namespace bankwise::cli {

namespace {

result<probe::probe_options> read_options(const arguments& args) {
  probe::probe_options o;
  if (args.has("contribute")) {
    for (const char* flag : {"op", "patterns", "counted", "seed", "arch", "format"})
      if (args.has(flag))
        return diagnostic{
            formatted("--contribute cannot be combined with --{}, because it always measures everything in the same "
                      "way",
                      flag),
            {},
            "bankwise probe --contribute"};
    o.timed = probe::contributed_timed;
    o.counted = probe::contributed_counted;
    return o;
  }
  const auto timed = number(args, "patterns", o.timed, 1, 10'000'000),
             counted = number(args, "counted", o.counted, 0, 1'000'000),
             seed = number(args, "seed", o.seed, 0, ~std::uint64_t{0});
  for (const auto* n : {&timed, &counted, &seed})
    if (!*n) return n->error();
  o.timed = *timed;
  o.counted = *counted;
  o.seed = *seed;
  for (const std::string_view name : args.all("op")) {
    const probe::probed_operation* p = probe::find_probed(name);
    if (p == nullptr) {
      std::vector<std::string> known;
      for (const probe::probed_operation& q : probe::probed_operations()) known.emplace_back(q.name);
      const std::vector<std::string> near = nearest(name, known, 1);
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
      return diagnostic{formatted("--op: the probe has no operation '{}'", name),
                        {},
                        (near.empty() ? "" : formatted("did you mean {}? ", near[0])) + all};
    }
    o.operations.push_back(p);
  }
  return o;
}

// Writes one file, prints its contents, and explains where to send the file.
result<int> contribute(probe::gpu_evidence& seen, const std::string& output) {
  probe::keep_private(seen);
  const std::string file = output.empty() ? formatted("bankwise-{}.json", probe::file_stem(seen.on)) : output;
  const std::string text = probe::to_json(seen);
  if (const auto fit = probe::read_contribution(text, file); !fit) return fit.error();
  if (const auto written = write_file(file, text); !written) return written.error();
  const probe::contribution c = probe::contribution_of(seen, file);
  std::string said = formatted("{}: the rule of {} agrees with the clocks of {} of {} accesses", c.gpu, c.arch,
                               grouped(c.timed_holds), grouped(c.timed));
  if (c.counted != 0)
    said += formatted(", and with the hardware's counter for {} of {} accesses", grouped(c.counted_holds),
                      grouped(c.counted));
  said += formatted(
      "\nwrote {}. The file contains the GPU's name and sizes, the driver's version and the measurements, and "
      "nothing about you or\nthis computer. Please attach it to an issue of bankwise, whatever the result is. "
      "docs/probe.md explains what happens with\nthe file.\n",
      file);
  if (const auto shown = write_plain("", said); !shown) return shown.error();
  return seen.holds() ? exit_clean : exit_findings;
}

// Measures the parameters of the model of time, and writes them to a file for --gpu.
result<int> measure_timing(const arguments& args, unsigned index) {
  for (const char* flag : {"contribute", "op", "patterns", "counted", "seed", "arch"})
    if (args.has(flag))
      return diagnostic{formatted("--timing cannot be combined with --{}, because it measures the parameters of the "
                                  "time model and not the rule",
                                  flag),
                        {},
                        "bankwise probe --timing -o gpu.csv"};
  const std::string output(args.value("output").value_or(""));
  const auto format = output_format(args, "text", {"text", "csv"});
  if (!format) return format.error();
  const auto gpu = probe::gpu::open(index);
  if (!gpu) return gpu.error();
  progress_line progress("steps");
  const auto found = probe::measure_parameters(
      **gpu,
      [&](std::uint64_t done, std::uint64_t total, std::string_view what) { progress.update(done, total, what); });
  if (!found) return found.error();
  const std::string text = *format == "csv" ? to_csv(*found) : probe::parameter_table(*found);
  const auto written = write_plain(output, text);
  if (!written) return written.error();
  return exit_clean;
}

}  // namespace

result<int> probe(const arguments& args) {
  if (!args.positional.empty())
    return diagnostic{
        formatted("bankwise probe takes only flags, not '{}'", args.positional[0]), {}, "bankwise probe --help"};
  const auto index = number(args, "device", 0, 0, 1023);
  if (!index) return index.error();
  if (args.has("timing")) return measure_timing(args, static_cast<unsigned>(*index));
  const std::string output(args.value("output").value_or(""));
  const auto format = output_format(args, "text", {"text", "json", "svg"});
  if (!format) return format.error();
  const auto look = output_style(args);
  if (!look) return look.error();
  const auto options = read_options(args);
  if (!options) return options.error();

  const auto gpu = probe::gpu::open(static_cast<unsigned>(*index));
  if (!gpu) return gpu.error();
  const probe::gpu_facts& facts = (*gpu)->facts();
  const auto rule = parse_machine(args.value("arch").value_or(formatted("sm_{}", facts.sm)));
  if (!rule) return rule.error();
  progress_line progress("steps");
  progress.update(0, 0, "compiling kernels");
  if (const auto ready = probe::prepare(**gpu); !ready) return ready.error();
  probe::meters with{probe::cycles_meter(**gpu), probe::latency_meter(**gpu), {}};
  std::string no_counter;
  if (options->counted != 0) {
    auto counter = probe::wavefront_meter(**gpu);
    if (counter)
      with.wavefronts = std::move(*counter);
    else
      no_counter =
          formatted("the hardware's counters were not read: {}. {}", counter.error().message, counter.error().hint);
  }
  auto seen = probe::gather(
      facts, *rule, with, *options,
      [&](std::uint64_t done, std::uint64_t total, std::string_view what) { progress.update(done, total, what); });
  if (!seen) return seen.error();
  if (!no_counter.empty()) seen->notes.push_back(no_counter);
  if (args.has("contribute")) return contribute(*seen, output);
  const std::string text = *format == "json"  ? probe::to_json(*seen)
                           : *format == "svg" ? probe::latency_svg(*seen)
                                              : probe::to_text(*seen, *look);
  const auto written = write_file(output, in_form(*format, text, *look));
  if (!written) return written.error();
  return seen->holds() ? exit_clean : exit_findings;
}

}  // namespace bankwise::cli
