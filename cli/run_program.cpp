#include "run_program.hpp"

#include <elf.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/files.hpp"
#include "base/run_control.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/toolkit.hpp"
#include "cubin/elf_image.hpp"
#include "cubin/program.hpp"
#include "emulate/launch.hpp"
#include "fix.hpp"
#include "nvcc.hpp"
#include "profile/code.hpp"
#include "program_words.hpp"
#include "rendering.hpp"
#include "report/read_report.hpp"
#include "report/run_report.hpp"
#include "source_files.hpp"
#include "start_program.hpp"
#include "stop_signals.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

// Flags that describe one launch. With any of them a kernel runs, and not the program.
constexpr const char* launch_flags[] = {"grid", "block", "cluster", "shared", "stack", "arg", "dump", "sass"};

// An executable of the host, or nothing.
std::optional<cubin::elf_image> read_host_program(const std::string& contents, const std::string& name) {
  if (!cubin::is_elf(bytes_of(contents))) return std::nullopt;
  auto elf = cubin::read_elf(bytes_of(contents), name);
  if (!elf || elf->machine == cubin::machine_cuda) return std::nullopt;
  return std::move(*elf);
}

// The libraries that the loader brings: DT_NEEDED of the dynamic section.
std::vector<std::string> needed_libraries(const cubin::elf_image& elf) {
  std::vector<std::string> names;
  const cubin::elf_section *dynamic = elf.find(".dynamic"), *strings = elf.find(".dynstr");
  if (dynamic == nullptr || strings == nullptr) return names;
  const std::string_view text(reinterpret_cast<const char*>(strings->bytes.data()), strings->bytes.size());
  byte_reader r(dynamic->bytes);
  while (!r.at_end() && !r.failed()) {
    const std::uint64_t tag = r.u64(), value = r.u64();
    if (!r.failed() && tag == DT_NEEDED && value < text.size())
      names.emplace_back(text.substr(value, text.find('\0', value) - value));
  }
  return names;
}

// The folder with libcudart.so.N, beside this program; empty: there is none.
std::string find_runtime() {
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const std::string_view folder : split(BANKWISE_RUNTIME_FOLDERS, ':')) {
    const fs::path at = self / folder;
    if (!ec && fs::exists(at / "libcudart.so.13", ec)) return fs::canonical(at, ec).string();
  }
  return "";
}

// Why this program would not run on the stand-in.
std::optional<diagnostic> check_program(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm) {
  const std::vector<std::string> needed = needed_libraries(elf);
  const auto runtime =
      std::find_if(needed.begin(), needed.end(), [](const std::string& n) { return n.starts_with("libcudart.so."); });
  // Fatbins that the program registers with its runtime; nvcc leaves an empty one in any program that it links.
  const bool has_code = elf.find(".nvFatBinSegment") != nullptr;
  if (has_code && runtime == needed.end())
    return diagnostic{file + " is linked with the static CUDA runtime, which cannot be replaced when it starts",
                      {.file = file},
                      "link it again with nvcc -cudart shared (CMake: set CUDA_RUNTIME_LIBRARY to Shared)"};
  if (runtime != needed.end() && *runtime != "libcudart.so.12" && *runtime != "libcudart.so.13")
    return diagnostic{file + " needs " + *runtime + "; bankwise stands in for libcudart.so.12 and libcudart.so.13",
                      {.file = file},
                      "build it with CUDA 12 or 13"};
  if (has_code)
    if (const auto code = cubin::load_all(bytes_of(contents), file, sm);
        !code && !cubin::has_ptx(bytes_of(contents), file, sm))
      return code.error();
  return std::nullopt;
}

// -k of a kernel that the program cannot launch: its own are known, it loads no others, and none has this name.
std::optional<diagnostic> refuse_kernel(const cubin::elf_image& elf, const std::string& contents,
                                        const std::string& file, std::uint32_t sm, const std::string& pattern) {
  static constexpr std::string_view without_kernels[] = {"libcudart.so.", "libstdc++.so.", "libm.so.",
                                                         "libgcc_s.so.",  "libc.so.",      "libpthread.so.",
                                                         "librt.so.",     "libdl.so.",     "ld-linux"};
  for (const std::string& library : needed_libraries(elf))
    if (std::none_of(std::begin(without_kernels), std::end(without_kernels),
                     [&](std::string_view known) { return library.starts_with(known); }))
      return std::nullopt;
  const cubin::elf_section* strings = elf.find(".dynstr");
  if (strings == nullptr) return std::nullopt;
  const std::string_view imports(reinterpret_cast<const char*>(strings->bytes.data()), strings->bytes.size());
  for (const std::string_view loads :
       {"dlopen", "ModuleLoad", "LibraryLoad", "cuGetProcAddress", "GetDriverEntryPoint"})
    if (imports.find(loads) != std::string_view::npos) return std::nullopt;
  const auto programs = cubin::load_all(bytes_of(contents), file, sm);
  if (!programs) return std::nullopt;
  cubin::program all;
  all.file = file;
  for (const cubin::program& p : *programs) all.kernels.insert(all.kernels.end(), p.kernels.begin(), p.kernels.end());
  // Several may match, of which one is launched.
  for (const cubin::kernel& k : all.kernels) {
    cubin::program one;
    one.kernels = {k};
    if (cubin::find_kernel(one, pattern)) return std::nullopt;
  }
  return cubin::find_kernel(all, pattern).error();
}

// Leaves the launches of the kernel that -k names.
result<done> keep_kernel(report& r, const std::string& file, const std::string& pattern) {
  cubin::program launched;
  launched.file = file;
  std::set<std::string> seen;
  for (const launch_report& l : r.launches)
    if (seen.insert(l.mangled).second) {
      cubin::kernel& k = launched.kernels.emplace_back();
      k.mangled = l.mangled;
      k.full_name = l.kernel;
      k.name = l.name;
    }
  const auto found = cubin::find_kernel(launched, pattern);
  if (!found) return found.error();
  std::erase_if(r.launches, [&](const launch_report& l) { return l.mangled != (*found)->mangled; });
  return done{};
}

// The code of each kernel that was launched, for a page.
void describe_kernels(report& r, const std::vector<cubin::program>& programs, const source_files& sources) {
  std::set<std::string> seen;
  for (const launch_report& l : r.launches) {
    if (!seen.insert(l.mangled).second) continue;
    for (const cubin::program& p : programs) {
      const auto k = std::find_if(p.kernels.begin(), p.kernels.end(),
                                  [&](const cubin::kernel& one) { return one.mangled == l.mangled; });
      if (k == p.kernels.end()) continue;
      r.code.push_back(describe_code(p, *k, l.sites));
      for (const std::string& file : r.code.back().files)
        if (auto text = sources.text(file)) r.sources.emplace(file, std::move(*text));
      break;
    }
  }
}

// A .cu without main(): what else can be run of it.
diagnostic explain_missing_main(const diagnostic& d, const std::string& file, const std::string& arch,
                                const std::vector<std::string>& nvcc_flags) {
  if (d.message.find("undefined reference to `main'") == std::string::npos &&
      d.message.find("undefined symbol: main") == std::string::npos)
    return d;
  std::string kernels;
  if (const auto code = compile_cubin(file, arch, nvcc_flags))
    if (const auto p = cubin::load_cubin(bytes_of(*code), file))
      for (const cubin::kernel& k : p->kernels) kernels += "\n    " + k.full_name;
  if (kernels.empty()) return {file + " has no main() and no kernel: there is nothing to run", {.file = file}};
  return {file + " has no main(): it is no program of its own",
          {.file = file},
          "bankwise run " + file +
              " -k KERNEL --grid X,Y,Z --block X,Y,Z --arg ... launches one of its kernels:" + kernels};
}

// To the file, or to standard error: standard output is the program's.
result<done> write_result(const std::string& output, const std::string& text) {
  if (!output.empty() && output != "-") return write_file(output, text);
  std::fflush(stdout);
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size() || std::fflush(stderr) != 0)
    return diagnostic{std::string("cannot write the report to standard error: ") + std::strerror(errno)};
  return done{};
}

// What the program's library wrote; where a signal came before it wrote anything, a report without launches.
result<report> read_saved(const std::string& saved, const std::string& file, std::uint32_t sm, const ending& ended) {
  std::error_code ec;
  if (!fs::exists(saved, ec) && ended.asked != 0) {
    const std::string arch = "sm_" + std::to_string(sm);
    const auto on = parse_machine(arch);
    if (!on) return on.error();
    return report{arch, "emulated", *on, {}, {}, {}};
  }
  if (!fs::exists(saved, ec))
    return diagnostic{file + " " + describe(ended) + ", and left no report",
                      {},
                      ended.by_signal
                          ? "a report is written every few seconds of a run, and when the program exits"
                          : "it called neither the CUDA runtime nor the driver, has an rpath to another runtime or a "
                            "static one, or ended by _exit"};
  const auto text = read_file(saved);
  if (!text) return text.error();
  return read_report(*text, saved);
}

}  // namespace

result<std::uint64_t> read_ctas(const arguments& args) {
  if (args.value("ctas").value_or("all") == "all") return std::uint64_t{0};
  const auto n = number(args, "ctas", 0, 1, std::uint64_t{1} << 40);
  if (!n) return diagnostic{n.error().message + ", or all"};
  return *n;
}

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

result<int> run_program(const arguments& args, run_program_options options) {
  const std::string& file = args.positional[0];
  const std::string output = args.value("output").value_or("");
  if (options.format != "text" && (output.empty() || output == "-"))
    return diagnostic{"--format " + options.format + ": standard output is the program's",
                      {},
                      "name a file with -o report." + options.format};
  const std::string runtime = find_runtime();
  if (runtime.empty())
    return diagnostic{"bankwise's CUDA runtime is not there",
                      {},
                      std::string("it is looked for in ") + BANKWISE_RUNTIME_FOLDERS +
                          " beside this program; build or install it whole"};
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  std::string program = file;
  if (file.ends_with(".cu")) {
    if (const auto there = read_file(file); !there) return there.error();
    program = scratch.path() + "/" + fs::path(file).stem().string();
    const auto compiled = compile_program(file, options.arch, args.all("nvcc"), program);
    if (stop_signal() != 0) return exit_of(static_cast<int>(stop_signal().load()));
    if (!compiled) return explain_missing_main(compiled.error(), file, options.arch, args.all("nvcc"));
  } else if (args.has("nvcc")) {
    return diagnostic{"--nvcc is for .cu files; " + file + " is compiled already"};
  }
  if (const std::string at = find_program(program); !at.empty()) program = at;
  const auto contents = read_file(program);
  if (!contents) return contents.error();
  const auto elf = read_host_program(*contents, file);
  const bool is_script = contents->starts_with("#!");
  if (!elf && !is_script) return diagnostic{file + " is not an executable for this computer", {.file = file}};
  if (options.sm == 0) {
    const auto code = cubin::load(bytes_of(*contents), file, 0);
    options.sm = code && emulate::can_execute(code->sm) ? code->sm : 90;
  }
  if (elf)
    if (const auto wrong = check_program(*elf, *contents, file, options.sm)) return *wrong;
  if (elf && args.has("kernel"))
    if (const auto wrong = refuse_kernel(*elf, *contents, file, options.sm, *args.value("kernel"))) return *wrong;
  if (program.find('/') == std::string::npos) program = "./" + program;

  const std::string saved = scratch.path() + "/report.json";
  // Our libraries first; last, for programs that compile while they run, the toolkit's (NVRTC).
  std::string libraries = runtime;
  const char* given = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& more : {std::string(given != nullptr ? given : ""), find_toolkit_libraries()})
    if (!more.empty()) libraries += ":" + more;
  std::vector<std::pair<std::string, std::string>> variables{{"LD_LIBRARY_PATH", libraries},
                                                             {"BANKWISE_REPORT", saved},
                                                             {"BANKWISE_ARCH", "sm_" + std::to_string(options.sm)}};
  if (args.has("accesses") || args.has("fix")) variables.emplace_back("BANKWISE_ACCESSES", "1");
  for (const auto& [flag, name] : {std::pair{"budget", "BANKWISE_BUDGET"}, std::pair{"threads", "BANKWISE_THREADS"}}) {
    const auto n = number(args, flag, 1, 1, ~std::uint64_t{0});
    if (!n) return n.error();
    if (args.has(flag)) variables.emplace_back(name, std::to_string(*n));
  }
  const auto ctas = read_ctas(args);
  if (!ctas) return ctas.error();
  if (*ctas != 0) variables.emplace_back("BANKWISE_CTAS", std::to_string(*ctas));
  const auto wanted = read_checks(args);
  if (!wanted) return wanted.error();
  if (wanted->uninitialised) variables.emplace_back("BANKWISE_CHECK_UNINIT", "1");
  if (wanted->races) variables.emplace_back("BANKWISE_CHECK_RACE", "1");
  const auto strict = read_strict_bounds(args);
  if (!strict) return strict.error();
  if (*strict) variables.emplace_back("BANKWISE_STRICT_BOUNDS", "1");
  const auto seed = number(args, "seed", 0, 0, ~std::uint64_t{0});
  if (!seed) return seed.error();
  if (*seed != 0) variables.emplace_back("BANKWISE_SEED", std::to_string(*seed));
  control_file control(scratch.path() + "/control");
  if (control.get() == nullptr) return control.why_not();
  variables.emplace_back(control_variable, scratch.path() + "/control");
  const auto ended = start_program(program, args.behind, variables, &control);
  if (!ended) return ended.error();
  const std::string how = describe(*ended);
  std::error_code ec;
  auto r = read_saved(saved, file, options.sm, *ended);
  if (!r) return r.error();
  const bool launched = !r->launches.empty();
  if (!r->partial && (ended->asked != 0 || ended->by_signal))
    r->partial = {early_end::reason::interrupted, signal_name(ended->asked != 0 ? ended->asked : ended->status)};
  if (const auto pattern = launched ? args.value("kernel") : std::nullopt)
    if (const auto kept = keep_kernel(*r, file, *pattern); !kept) return kept.error();

  launch_fixes fixes;
  if (args.has("fix") && ended->asked == 0)
    for (launch_report& l : r->launches) {
      auto advised = advise_launch(l, r->on, options.shapes);
      if (!advised) return advised.error();
      for (const advice_report& a : *advised) l.fixes.push_back(summary_of(a));
      fixes.push_back(std::move(*advised));
      if (!args.has("accesses")) forget_accesses(l);
    }
  source_files sources(args, file);
  add_source_lines(*r, sources);
  if (options.format == "html")
    if (const auto programs = cubin::load_all(bytes_of(*contents), file, options.sm))
      describe_kernels(*r, *programs, sources);
  auto shown = render(args, options.format, *r, fixes, sources, file);
  if (!shown) return shown.error();
  if (options.format == "text" && !launched)
    *shown = r->partial ? words_of(r->partial) + " before a kernel was launched\n" : "No kernel was launched.\n";
  if (const auto written = write_result(output, *shown); !written) return written.error();
  if (options.format != "text" || !output.empty()) tell_out_of_bounds(*r);
  const auto fault =
      fs::exists(saved + ".fault", ec) ? read_file(saved + ".fault") : result<std::string>(std::string());
  if (fault && !fault->empty())
    std::fprintf(stderr, "bankwise: %s; the report holds what ran before\n", fault->c_str());
  if (std::any_of(r->launches.begin(), r->launches.end(), [](const launch_report& l) { return l.scaled; }))
    std::fprintf(stderr, "bankwise: --ctas %s left blocks out: what the program computed is not what its kernels do\n",
                 args.value("ctas")->c_str());
  if (const std::uint32_t why = control.get()->write_error.load(); why != 0)
    return diagnostic{file + " could not write its last report: " + std::strerror(static_cast<int>(why)) +
                          "; what is reported is older",
                      {},
                      "set TMPDIR to a folder with room"};
  if (ended->asked != 0) {
    std::fprintf(stderr, "bankwise: %s was %s; the report is partial\n", file.c_str(), words_of(r->partial).c_str());
    return exit_of(ended->asked);
  }
  const bool failed = ended->by_signal || ended->status != 0, faulted = !fault || !fault->empty();
  if (!launched && !faulted) {
    const auto called = read_file(saved + ".calls");
    std::fprintf(stderr, "bankwise: %s %s and launched no kernel; %s\n%s\n", file.c_str(), how.c_str(),
                 called && !called->empty() ? ("of CUDA it called " + *called).c_str()
                                            : "it loaded CUDA's libraries and called none of their functions",
                 "help: what it prints itself may say why; does it need other arguments, or code for another GPU "
                 "(--arch)?");
    return exit_failed;
  }
  if (failed) std::fprintf(stderr, "bankwise: %s %s\n", file.c_str(), how.c_str());
  if (failed || faulted) return exit_failed;
  return status_of(args, *r);
}

}  // namespace bankwise::cli
