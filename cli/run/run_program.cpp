#include "cli/run/run_program.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/system/run_control.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/input/selected_kernels.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/nvcc/nvcc.hpp"
#include "cli/run/host_program.hpp"
#include "cli/run/start_program.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/load.hpp"
#include "cubin/load_cubin.hpp"
#include "cubin/program.hpp"
#include "emulate/launch/launch.hpp"
#include "model/instances.hpp"
#include "model/merge_reports.hpp"
#include "profile/code/code.hpp"
#include "report/forms/perfetto.hpp"
#include "report/json/read_report.hpp"
#include "report/sections/failed_calls_report.hpp"
#include "report/sections/program_faults_report.hpp"
#include "report/text/run_report.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

// Flags that describe one launch. If such a flag is given, a kernel of the file runs instead of the program.
constexpr const char* launch_flags[] = {"grid", "block", "cluster", "shared", "stack", "arg", "dump", "sass"};

// Returns the folder that contains the stand-in runtimes. This folder is near the program bankwise. Returns an empty
// string if there is no such folder.
std::string find_runtime() {
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const std::string_view folder : split(BANKWISE_RUNTIME_FOLDERS, ':')) {
    const fs::path at = self / folder;
    if (!ec && fs::exists(at / "libcudart.so.13", ec)) return fs::canonical(at, ec).string();
  }
  return "";
}

// Removes the launches of all kernels except those that -k selects.
result<done> keep_kernels(report& r, const std::string& file, const std::string& pattern) {
  const auto kept = select_kernels(r, file, pattern);
  if (!kept) return kept.error();
  std::erase_if(r.launches, [&](const launch_report& l) { return !kept->has(l); });
  std::erase_if(r.refused, [&](const refused_launches& l) { return !kept->full.contains(l.kernel); });
  return done{};
}

// Finds the kernels that --kernel-exclude names, and says which of its patterns name none.
result<selected_kernels> kernels_to_drop(const report& r, const std::string& file,
                                         const std::vector<std::string>& patterns) {
  selected_kernels all;
  for (const std::string& pattern : patterns) {
    auto one = select_kernels(r, file, pattern, true);
    if (!one) return one.error();
    if (one->mangled.empty()) tell(formatted("--kernel-exclude {}: the program launched no such kernel", pattern));
    all.mangled.merge(one->mangled);
    all.full.merge(one->full);
  }
  return all;
}

// Adds the code of each launched kernel to the report, for a page.
void describe_kernels(report& r, const std::vector<cubin::program>& programs) {
  std::set<std::string> seen;
  for (const launch_report& l : r.launches) {
    if (!seen.insert(l.mangled).second) continue;
    for (const cubin::program& p : programs) {
      const auto k = std::find_if(p.kernels.begin(), p.kernels.end(),
                                  [&](const cubin::kernel& one) { return one.mangled == l.mangled; });
      if (k == p.kernels.end()) continue;
      r.code.push_back(describe_code(p, *k, l));
      break;
    }
  }
}

// Returns the error for a .cu file without main(), with the commands that the user can run instead.
diagnostic explain_missing_main(const diagnostic& d, const compilation& what) {
  const std::string& file = what.source;
  if (d.message.find("undefined reference to `main'") == std::string::npos &&
      d.message.find("undefined symbol: main") == std::string::npos)
    return d;
  std::string kernels;
  if (const auto code = compile_cubin(what))
    if (const auto p = cubin::load_cubin(bytes_of(*code), file))
      for (const cubin::kernel& k : p->kernels) kernels += formatted("\n    {}", k.full_name);
  if (kernels.empty())
    return {formatted("{} has no main() and no kernel, so there is nothing to run", file), {.file = file}};
  return {formatted("{} has no main(), so it is not a whole program", file),
          {.file = file},
          formatted("bankwise run {} -k KERNEL --grid X,Y,Z --block X,Y,Z --arg ... launches one of its kernels:{}",
                    file, kernels)};
}

// Whether the program ended by a signal that a wrong instruction of its own raises.
bool is_crash(const ending& e) {
  if (!e.by_signal || e.asked != 0) return false;
  constexpr int of_crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  return std::find(std::begin(of_crashes), std::end(of_crashes), e.status) != std::end(of_crashes);
}
// The message for a crash before the first launch. No code of a kernel had run.
diagnostic crash_on_the_host(const std::string& file, const ending& ended) {
  return {formatted("{} {} before it launched a kernel, so the crash is in the program's code for the host", file,
                    describe(ended)),
          {},
          "compile with -g, and run the program in a debugger to find the place"};
}

// Reads the report that the library in the program wrote. If a signal arrives meanwhile, only some launches may be read.
// If a signal ended the program before the library wrote a
// report, returns a report without launches.
result<report> read_saved(const std::string& saved, const std::string& file, std::uint32_t sm, const ending& ended,
                          const run_control& control) {
  std::error_code ec;
  if (!fs::exists(saved, ec) && ended.asked != 0) {
    const std::string arch = formatted("sm_{}", sm);
    const auto on = parse_machine(arch);
    if (!on) return on.error();
    return report{arch, "emulated", *on, {}, {}, {}};
  }
  const std::uint32_t why = control.write_error.load();
  if (!fs::exists(saved, ec) && why != 0)
    return diagnostic{
        formatted("{} {}, but bankwise's library in it could not write its report: {}", file, describe(ended),
                  std::strerror(static_cast<int>(why))),
        {},
        "the program may limit the size of files, or have changed its user, its root folder or its rights"};
  if (!fs::exists(saved, ec) && is_crash(ended) && control.launched.load() == 0) return crash_on_the_host(file, ended);
  if (!fs::exists(saved, ec))
    return diagnostic{formatted("{} {} without writing a report", file, describe(ended)),
                      {},
                      ended.by_signal
                          ? "bankwise writes a report every few seconds of a run, and when the program exits"
                          : "the program called neither the CUDA runtime nor the driver, or it ended with _exit"};
  const auto text = read_file(saved);
  if (!text) return text.error();
  progress_line progress("reading the report: launch");
  std::uint64_t launches = 0;
  stop_grace grace;
  return read_report(*text, saved, [&] {
    progress.update(++launches, 0);
    return ended.asked != 0 || !grace.is_over();
  });
}

// Adds the reports of processes that the program started (runtime/device/state.cpp).
result<report> with_others(report first, const std::string& saved, const std::string& file) {
  std::vector<fs::path> others;
  std::error_code ec;
  for (const fs::directory_entry& e : fs::directory_iterator(fs::path(saved).parent_path(), ec)) {
    const std::string name = e.path().string();
    if (name.size() > saved.size() + 1 && name.starts_with(formatted("{}.", saved)) &&
        name.find_first_not_of("0123456789", saved.size() + 1) == std::string::npos)
      others.push_back(e.path());
  }
  if (others.empty()) return first;
  std::sort(others.begin(), others.end());
  std::vector<named_report> all;
  all.push_back({file, std::move(first)});
  for (const fs::path& other : others) {
    const auto text = read_file(other.string());
    if (!text) return text.error();
    auto r = read_report(*text, other.filename().string());
    if (!r) return r.error();
    all.push_back({other.filename().string(), std::move(*r)});
  }
  return merge_reports(std::move(all));
}

// A program that is ready to start, and the device that it will see.
struct ready_program {
  std::string path, contents;
  std::uint32_t sm = 0;
  bool has_sanitizer = false;
};

// Finds the program, or compiles a .cu file into `folder`. Fails if the program cannot run.
result<ready_program> prepare(const arguments& args, const std::string& folder, std::uint32_t sm) {
  const std::string& file = args.positional[0];
  ready_program p{file, {}, sm};
  if (file.ends_with(".cu")) {
    if (const auto there = read_file(file); !there) return there.error();
    p.path = formatted("{}/{}", folder, fs::path(file).stem().string());
    const compilation what{file, args.value("arch"), args.all("nvcc")};
    if (const auto compiled = compile_program(what, p.path); !compiled)
      return explain_missing_main(compiled.error(), what);
  } else if (args.has("nvcc")) {
    return diagnostic{formatted("--nvcc is only for .cu files, but {} is already compiled", file)};
  }
  if (const std::string at = find_program(p.path); !at.empty()) p.path = at;
  auto contents = read_file(p.path);
  if (!contents) return contents.error();
  p.contents = std::move(*contents);
  const auto elf = read_host_program(p.contents, file);
  if (!elf && !p.contents.starts_with("#!"))
    return diagnostic{formatted("{} is not an executable for this computer", file), {.file = file}};
  if (p.sm == 0) p.sm = cubin::device_for(bytes_of(p.contents), file);
  if (elf)
    if (const auto wrong = check_program(*elf, p.contents, file, p.sm)) return *wrong;
  if (elf && args.has("kernel"))
    if (const auto wrong = refuse_kernel(*elf, p.contents, file, p.sm, *args.value("kernel"))) return *wrong;
  p.has_sanitizer = elf && needs_sanitizer(*elf);
  if (p.path.find('/') == std::string::npos) p.path = formatted("./{}", p.path);
  return p;
}

// Returns a value for a variable of the loader: `first`, followed by the value that the user set.
std::string before_given(const char* variable, const std::string& first) {
  const char* given = std::getenv(variable);
  return given != nullptr && *given != '\0' ? formatted("{}:{}", first, given) : first;
}

// Returns the value of LD_LIBRARY_PATH. bankwise's libraries come first. The toolkit's libraries come last, for
// programs that compile at run time (NVRTC).
std::string library_path(const std::string& runtime) {
  const std::string libraries = before_given("LD_LIBRARY_PATH", runtime), toolkit = find_toolkit_libraries();
  return toolkit.empty() ? libraries : formatted("{}:{}", libraries, toolkit);
}

// Returns the value of LD_AUDIT for the program. Returns an empty string if this kind of processor has no audit
// library. The loader calls the audit library with the path of each library, and with each object that the loader maps.
// The audit library returns the path of a stand-in for each of CUDA's libraries. It also redirects CUDA runtimes that
// are linked into an object.
std::string audit_library(const std::string& runtime) {
  const std::string library = formatted("{}/libbankwise-audit.so", runtime);
  std::error_code ec;
  return fs::exists(library, ec) ? before_given("LD_AUDIT", library) : "";
}

// The text of a report without launches. `begun`: whether a kernel had begun.
std::string nothing_counted(const report& r, bool begun) {
  if (!r.partial) return "No kernel was launched.\n";
  return formatted(
      "{} {}\n", words_of(r.partial),
      begun ? "before the first kernel had ended, so there are no counts" : "before a kernel was launched");
}

// Prints why the report of a program has no launches.
int tell_silence(const std::string& file, const std::string& saved, const ending& ended) {
  const auto called = read_file(formatted("{}.calls", saved));
  tell(
      formatted("{} {} and launched no kernel: {}\nhelp: the program's output may give the reason. The program may "
                "need other arguments, or code for a different GPU (--arch)",
                file, describe(ended),
                called && !called->empty() ? formatted("the program called only {}", *called)
                                           : "the program loaded CUDA's libraries and called none of their functions"));
  return exit_failed;
}

// Returns how a program failed whose kernels had no fault. A program that bankwise stopped did not fail.
std::string failure_of_program(const std::string& file, const report& r, const ending& ended, bool failed) {
  if (ended.asked != 0 || (r.partial && r.partial.why != early_end::reason::interrupted)) return {};
  if (failed && (ended.by_signal || ended.status != 0)) return formatted("{} {}", file, describe(ended));
  return unhandled_sentence(r);
}

// Whether only a sample of a kernel ran or a launch was left out, so that some results are missing.
bool is_sampled(const report& r) {
  if (r.partial.why == early_end::reason::time) return true;
  return std::any_of(r.launches.begin(), r.launches.end(),
                     [](const launch_report& l) { return l.scaled || l.partial.why == early_end::reason::time; });
}

}  // namespace

bool runs_program(const arguments& args) {
  for (const char* flag : launch_flags)
    if (args.has(flag)) return false;
  if (args.positional.size() != 1) return false;
  const std::string& file = args.positional[0];
  switch (kind_of_input(file)) {
    case input_kind::source:
    case input_kind::program: return true;
    case input_kind::kernels: break;
  }
  if (file == "-") return false;
  const auto contents = read_file(file);
  return contents && read_host_program(*contents, file);
}

result<int> run_program(const arguments& args, report_request how, const run_options& settings, std::uint32_t sm) {
  const std::string& file = args.positional[0];
  const std::string runtime = find_runtime();
  if (runtime.empty())
    return diagnostic{"the library with bankwise's CUDA runtime was not found",
                      {},
                      formatted("this library should be in {} next to the program bankwise. Build or install all of "
                                "bankwise",
                                BANKWISE_RUNTIME_FOLDERS)};
  for (const std::string& pattern : args.all("kernel-exclude"))
    if (const auto valid = cubin::match_kernels({}, pattern); !valid) return valid.error();
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const auto program = prepare(args, scratch.path(), sm);
  if (stop_signal() != 0) return exit_of(static_cast<int>(stop_signal().load()));
  if (!program) return program.error();

  const std::string saved = formatted("{}/report.json", scratch.path()),
                    controlled = formatted("{}/control", scratch.path());
  control_file control(controlled);
  if (control.get() == nullptr) return control.why_not();
  // Paths are absolute, because the program may change its working folder.
  run_options its_options = settings;
  if (!its_options.trace_folder.empty()) its_options.trace_folder = fs::absolute(settings.trace_folder).string();
  auto variables = environment_of(its_options);
  variables.emplace_back("LD_LIBRARY_PATH", library_path(runtime));
  if (const std::string audit = audit_library(runtime); !audit.empty()) variables.emplace_back("LD_AUDIT", audit);
  if (args.has("virtual-time"))
    variables.emplace_back("LD_PRELOAD", before_given("LD_PRELOAD", formatted("{}/libbankwise-clocks.so", runtime)));
  // A sanitizer's library needs more static TLS.
  if (program->has_sanitizer)
    variables.emplace_back("GLIBC_TUNABLES", before_given("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=2097152"));
  // NVIDIA's NVML would count the GPUs of this machine. With this variable, NVML only reports one device.
  variables.emplace_back("CUDA_VISIBLE_DEVICES", "0");
  variables.emplace_back("BANKWISE_REPORT", saved);
  variables.emplace_back("BANKWISE_ARCH", formatted("sm_{}", program->sm));
  variables.emplace_back(control_variable, controlled);
  const auto ended = start_program(program->path, args.of_program, variables, &control);
  if (!ended) return ended.error();

  auto r = read_saved(saved, file, program->sm, *ended, *control.get());
  if (r) r = with_others(std::move(*r), saved, file);
  if (!r) return r.error();
  const bool launched = !r->launches.empty(), tried = launched || !r->refused.empty();
  if (!r->partial && (ended->asked != 0 || ended->by_signal))
    r->partial = {early_end::reason::interrupted, signal_name(ended->asked != 0 ? ended->asked : ended->status)};
  // All names are looked up before a kernel is removed, so the order of the flags does not matter.
  const auto dropped = kernels_to_drop(*r, file, tried ? args.all("kernel-exclude") : std::vector<std::string>());
  if (!dropped) return dropped.error();
  if (const auto pattern = tried ? args.value("kernel") : std::nullopt)
    if (const auto kept = keep_kernels(*r, file, *pattern); !kept) return kept.error();
  std::erase_if(r->launches, [&](const launch_report& l) { return dropped->has(l); });
  std::erase_if(r->refused, [&](const refused_launches& l) { return dropped->full.contains(l.kernel); });
  if (how.is_page())
    if (const auto programs = cubin::load_all(bytes_of(program->contents), file, program->sm))
      describe_kernels(*r, *programs);
  std::optional<std::string> instead;
  // A program that launches no kernel can also have faults.
  const bool has_faults = !r->program_faults.empty() || (settings.checks_memory && !r->ignored_errors.empty());
  if (!tried) {
    // The text must not contain accepted findings. present_new() would leave them out too late.
    leave_out_accepted(how, *r);
    how.accepted.ignores.clear();
    std::size_t left = how.print_limit;
    instead = nothing_counted(*r, control.get()->launched.load() != 0) + library_calls_text(*r);
    *instead += program_faults_text(*r, how.paint, left);
    if (has_faults) *instead += ignored_errors_text(*r, how.paint, left);
  }
  std::error_code ec;
  const auto fault = fs::exists(formatted("{}.fault", saved), ec) ? read_file(formatted("{}.fault", saved))
                                                                  : result<std::string>(std::string());
  how.failed = !fault || !fault->empty();
  // If kernels were sampled, the results of the program mean nothing.
  if (launched && !is_sampled(*r) && ended->asked == 0)
    how.failed |= ended->by_signal || ended->status != 0 || control.get()->failure_printed.load() != 0;
  if (r->failure.empty()) r->failure = failure_of_program(file, *r, *ended, how.failed);
  name_instances(*r);
  if (const auto timeline = args.value("timeline"))
    if (const auto written = write_file(*timeline, to_perfetto(r->timeline)); !written) return written.error();
  how.ends_early = ended->asked == 0;
  source_files sources(args, file);
  if (const auto written = present_new(how, *r, ended->asked == 0 && stop_signal() == 0, sources, file, instead);
      !written)
    return written.error();

  if (fault && !fault->empty()) tell(formatted("{}. The report covers the launches before the fault", *fault));
  if (is_sampled(*r))
    tell(formatted("note: with {}, some blocks did not run, so the program's results are wrong",
                   args.has("time") ? "--time" : "--ctas"));
  if (control.get()->traces_failed.load() != 0)
    return diagnostic{"a trace could not be written, as reported above", {}, "pass a folder that can be written"};
  if (const std::uint32_t why = control.get()->write_error.load(); why != 0)
    return diagnostic{formatted("{} could not write its last report: {}. The printed report is older", file,
                                std::strerror(static_cast<int>(why))),
                      {},
                      "set TMPDIR to a folder with free space"};
  if (ended->asked != 0) {
    tell(formatted("{} was {}, so the report is partial", file, words_of(r->partial)));
    return exit_of(ended->asked);
  }
  if (stop_signal() != 0) return tell_late_stop();
  if (const std::uint32_t lost = control.get()->launched.load() - control.get()->reported.load();
      lost != 0 && !ended->by_signal)
    return diagnostic{formatted("{} {} without running its exit handlers, so the report lacks {}", file,
                                describe(*ended), count_of(lost, "launch", "launches")),
                      {},
                      "let the program return from main or call exit() instead of _exit()"};
  const bool failed = ended->by_signal || ended->status != 0, faulted = !fault || !fault->empty();
  if (!tried && is_crash(*ended) && control.get()->launched.load() == 0) return crash_on_the_host(file, *ended);
  if (!tried && !faulted && !has_faults && r->library_calls.empty()) return tell_silence(file, saved, *ended);
  if (failed) tell(formatted("{} {}", file, describe(*ended)));
  // If kernels were sampled, the results and therefore the exit status of the program mean nothing.
  if (faulted || (failed && !is_sampled(*r))) return exit_failed;
  // A program that looks at the error of a launch may go on without the kernel, so its exit status counts.
  if (const std::string unhandled = unhandled_sentence(*r); !unhandled.empty()) {
    tell(unhandled);
    return exit_failed;
  }
  if (settings.checks_memory && !r->ignored_errors.empty()) return exit_findings;
  return status_of(how, *r);
}

}  // namespace bankwise::cli
