// bankwise record: records the shared-memory accesses of a program on a GPU, with the Compute Sanitizer API.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/terminal.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/present.hpp"
#include "cli/run/start_program.hpp"
#include "gpu/record/environment.hpp"
#include "gpu/record/fold_spool.hpp"
#include "gpu/record/schedule.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* record_library = "libbankwise-record.so";
constexpr const char* sanitizer_library = "libsanitizer-public.so";

// Returns the path of the recording library, which is in a folder near this program. Returns an empty string if the
// library was not built.
std::string find_record_library() {
  std::error_code ec;
  const fs::path self = fs::read_symlink("/proc/self/exe", ec).parent_path();
  for (const std::string_view folder : split(BANKWISE_RUNTIME_FOLDERS, ':')) {
    const fs::path at = self / folder / record_library;
    if (!ec && fs::exists(at, ec)) return fs::canonical(at, ec).string();
  }
  return "";
}

// Finds libsanitizer-public.so in the user's toolkit.
result<std::string> find_sanitizer(const std::optional<std::string>& given) {
  std::error_code ec;
  std::vector<fs::path> folders;
  if (given) {
    folders.push_back(*given);
    folders.push_back(fs::path(*given) / "compute-sanitizer");
  } else {
    for (const char* tool : {"compute-sanitizer", "nvcc"})
      if (const std::string at = find_tool(tool); !at.empty()) {
        const fs::path program = fs::canonical(at, ec);
        folders.push_back(program.parent_path());
        folders.push_back(program.parent_path().parent_path() / "compute-sanitizer");
      }
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* home = std::getenv(variable)) folders.push_back(fs::path(home) / "compute-sanitizer");
    folders.emplace_back("/usr/local/cuda/compute-sanitizer");
    folders.emplace_back("/usr/lib/nvidia-cuda-toolkit/compute-sanitizer");
  }
  for (const fs::path& folder : folders)
    if (fs::exists(folder / sanitizer_library, ec)) return fs::canonical(folder / sanitizer_library, ec).string();
  return diagnostic{
      formatted("{} does not exist{}", sanitizer_library, given ? formatted(": {}", *given) : ""),
      {},
      "this library is in the folder compute-sanitizer of the CUDA toolkit. If it is in another folder, pass "
      "--sanitizer FOLDER",
      given ? "sanitizer" : ""};
}

result<record::schedule_options> read_schedule(const arguments& args) {
  record::schedule_options o;
  o.kernel = args.value("kernel-name").value_or("");
  if (const auto filter = record::kernel_filter::make(o.kernel); !filter) return filter.error();
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  const auto skip = number(args, "launch-skip", 0, 0, most), count = number(args, "launch-count", 0, 1, most);
  const auto each = number(args, "each", args.has("full") ? 0 : 1, 1, most),
             shapes = number(args, "shapes", args.has("full") ? 0 : 8, 1, most);
  const auto blocks = number(args, "blocks", 1, 1, 1u << 30);
  for (const auto* n : {&skip, &count, &each, &shapes, &blocks})
    if (!*n) return n->error();
  if ((*blocks & (*blocks - 1)) != 0)
    return diagnostic{formatted("--blocks {} is not a power of two", *blocks),
                      {},
                      "--blocks 16 records one block of every sixteen",
                      "blocks"};
  o.skip = *skip;
  o.count = *count;
  o.each = *each;
  o.shapes = *shapes;
  o.skip_blocks = static_cast<std::uint32_t>(*blocks - 1);
  o.nvtx = args.value("nvtx-include").value_or("");
  if (o.nvtx.ends_with('/')) o.nvtx.pop_back();  // ncu writes a pushed range with a slash at its end
  return o;
}

struct recorded_process {
  std::string pid, host, rank;  // pid "123.1" is the second program in process 123: exec replaced the first program
  record::folded_spool folded;
  std::optional<diagnostic> unreadable;
};

// Splits a pid such as "123.1" into 123 and 1.
std::pair<std::uint64_t, std::uint64_t> numbers_of(const std::string& pid) {
  const auto parts = split(pid, '.');
  return {parse_u64(parts[0]).value_or(0), parts.size() > 1 ? parse_u64(parts[1]).value_or(0) : 0};
}

// Reads the records of all processes, in the order of their process ids.
std::vector<recorded_process> read_processes(const std::string& folder, bool with_code) {
  std::vector<std::string> pids;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(folder, ec)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("spool.") || name.ends_with(".counts")) continue;
    pids.push_back(name.substr(6));
  }
  std::sort(pids.begin(), pids.end(), [](const auto& a, const auto& b) { return numbers_of(a) < numbers_of(b); });
  std::vector<recorded_process> list;
  for (const std::string& pid : pids) {
    const std::string file = formatted("{}/spool.{}", folder, pid);
    recorded_process& p = list.emplace_back();
    p.pid = pid;
    const auto bytes = read_file(file);
    if (!bytes) {
      p.unreadable = bytes.error();
      continue;
    }
    const auto counts = read_file(formatted("{}.counts", file));
    const auto s = record::read_spool(bytes_of(*bytes), bytes_of(counts ? *counts : std::string()), file);
    if (!s) {
      p.unreadable = s.error();
      continue;
    }
    p.host = s->host;
    p.rank = s->rank;
    auto folded = record::fold_spool(*s, formatted("process {}", pid), with_code);
    if (folded)
      p.folded = std::move(*folded);
    else
      p.unreadable = folded.error();
  }
  return list;
}

// Whether the process still runs and may therefore write more records. A process may run longer than the program that
// bankwise started.
bool still_runs(const recorded_process& p) {
  if (p.host != record::host_name()) return false;
  const auto state = read_file(formatted("/proc/{}/stat", numbers_of(p.pid).first));  // "123 (name) S ..."
  const std::size_t at = state ? state->rfind(") ") : std::string::npos;
  return at != std::string::npos && at + 2 < state->size() && (*state)[at + 2] != 'Z';
}

// Prints which variables of the user bankwise replaces. bankwise must replace them, because the driver and NVTX each
// load only one library.
void tell_of_replaced(const std::vector<std::pair<std::string, std::string>>& variables) {
  for (const auto& [name, value] : variables)
    if (const char* const before = std::getenv(name.c_str());
        name.ends_with("_PATH") && before != nullptr && *before != '\0')
      tell(
          formatted("the environment variable {} has the value {}, but bankwise replaces this value while it "
                    "records the program",
                    name, before));
}

// Returns the reason why a program recorded nothing.
std::string silence(const std::string& program) {
  std::string path = program.find('/') != std::string::npos ? program : find_tool(program);
  struct stat what {};
  if (::stat(path.c_str(), &what) == 0 && (what.st_mode & (S_ISUID | S_ISGID)) != 0)
    return formatted(
        "{} runs as another user (set-user-ID), so it loads no library from the environment. Run bankwise record as "
        "this user",
        program);
  return formatted(
      "{} did not use CUDA, or CUDA did not load bankwise's library (CUDA_INJECTION64_PATH). Check that the program "
      "launches kernels, and that it does not clear environment variables",
      program);
}

bool has_anything(const recorded_process& p) {
  return !p.folded.what.launches.empty() || !p.folded.what.not_recorded.empty();
}

// Inserts the process id into a file name, as in "report.123.json", so that each process has its own report.
std::string with_pid(const std::string& file, const std::string& pid) {
  const fs::path path(file);
  return (path.parent_path() / formatted("{}.{}{}", path.stem().string(), pid, path.extension().string())).string();
}

}  // namespace

result<int> record(const arguments& args) {
  if (args.positional.empty())
    return diagnostic{"bankwise record needs a program", {}, "bankwise record -o report.json python3 train.py"};
  const std::string& program = args.positional[0];
  const auto how = read_report_request(args, report_goes::beside_program);
  if (!how) return how.error();
  const auto schedule = read_schedule(args);
  if (!schedule) return schedule.error();
  const std::string library = find_record_library();
  if (library.empty())
    return diagnostic{formatted("{} does not exist", record_library),
                      {},
                      formatted("this library should be in {} next to the program bankwise. The library is built only "
                                "if nvcc is found",
                                BANKWISE_RUNTIME_FOLDERS)};
  const auto sanitizer = find_sanitizer(args.value("sanitizer"));
  if (!sanitizer) return sanitizer.error();
  remove_abandoned_folders();
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();

  std::vector<std::pair<std::string, std::string>> variables{
      {"CUDA_INJECTION64_PATH", library},
      {record::spool_variable, fs::absolute(scratch.path()).string()},
      {record::library_variable, *sanitizer},
      {record::schedule_variable, record::to_line(*schedule)}};
  if (!schedule->nvtx.empty()) variables.emplace_back("NVTX_INJECTION64_PATH", library);
  tell_of_replaced(variables);
  const auto ended = start_program(program, args.of_program, variables);
  if (!ended) return ended.error();
  // This is the exit status that a shell would report.
  const int status = ended->by_signal ? 128 + ended->status : ended->status;
  if (ended->by_signal) tell(formatted("{} {}", program, describe(*ended)));

  const auto processes = read_processes(scratch.path(), how->is_page());
  const auto with_launches = static_cast<std::size_t>(std::count_if(processes.begin(), processes.end(), has_anything));
  int findings = exit_clean;
  for (const recorded_process& p : processes) {
    if (still_runs(p)) tell(formatted("process {} still runs, and its later launches are not recorded", p.pid));
    if (p.unreadable) {  // reports of other processes are still written
      tell(to_text(*p.unreadable));
      findings = exit_failed;
      continue;
    }
    for (const std::string& problem : p.folded.problems)
      tell((with_launches > 1 ? formatted("process {}: ", p.pid) : "") + problem);
    if (!has_anything(p) && with_launches != 0) continue;
    report_request own = *how;
    own.output = record::expand_name(how->output, p.pid, p.host, p.rank);
    const bool has_own_name = own.output != record::expand_name(how->output, "-", p.host, "-");
    const bool to_file = !own.output.empty() && own.output != "-";
    if (with_launches > 1 && to_file && !has_own_name) own.output = with_pid(own.output, p.pid);
    if (with_launches > 1 && !to_file) std::fprintf(stderr, "process %s\n", printable(p.pid).c_str());
    std::optional<std::string> instead;
    if (!has_anything(p)) instead = p.folded.problems.empty() ? "No kernel was launched.\n" : "";
    source_files sources(args, program);
    report r = p.folded.what;
    if (const auto written = present_new(own, r, false, sources, program, instead); !written) return written.error();
    if (with_launches > 1 && to_file) tell(formatted("process {} wrote {}", p.pid, own.output));
    const auto found = status_of(*how, r);
    if (!found) return found.error();
    findings = std::max(findings, *found);
  }
  const bool failed = std::any_of(processes.begin(), processes.end(),
                                  [](const auto& p) { return p.unreadable || !p.folded.problems.empty(); });
  if (processes.empty()) tell(silence(program));
  if (!processes.empty() && with_launches == 0 && !failed)
    tell(formatted("{} used CUDA but launched no kernel", program));
  return status != 0 ? status : with_launches == 0 ? exit_failed : findings;
}

}  // namespace bankwise::cli
