#include "cli/check/project_runs.hpp"

#include <wordexp.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/file_lock.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/start_thread.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/check/run_inputs.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "report/json/read_report.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t fingerprint_digits = 16;
constexpr std::size_t most_said = 2000;  // largest number of characters of a log in an error

diagnostic wrong(const project& p, const check::run_entry& r, std::string message, std::string hint = {}) {
  location where{.file = p.asked->name};
  if (!where.file.empty()) where.line = r.config_line;
  return {formatted("the run {}: {}", r.name, message), std::move(where), std::move(hint)};
}

const std::atomic<std::uint32_t>& stop_of(const project& p) { return p.stop != nullptr ? *p.stop : stop_signal(); }

// --- one run

// Returns the last lines of a text, indented.
std::string end_of(const std::string& said) {
  std::string text = printable_lines(said);
  if (text.size() > most_said) {
    const std::size_t line = text.find('\n', text.size() - most_said);
    text = formatted("...\n{}", text.substr(line == std::string::npos ? text.size() - most_said : line + 1));
  }
  return formatted("  {}", trim(indented(text, "  ")));
}

// Reads the report in a file. Fails if the report is damaged.
result<report> read_made(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return text.error();
  return read_report(*text, file);
}

result<made_report> make_report(const project& p, const check::run_entry& r, const std::vector<std::string>& words,
                                unsigned threads) {
  const fs::path folder = fs::absolute(fs::path(p.folder) / p.asked->cache).lexically_normal();
  made_report made{r.name, (folder / formatted("{}.json", r.name)).string(), false, {}};
  const std::string inputs = (folder / formatted("{}.inputs", r.name)).string(),
                    log = (folder / formatted("{}.log", r.name)).string();
  // Several processes may check this folder at the same time. If a process waited for the lock, the report of another
  // process may be up to date. The process then uses that report.
  const auto lock = file_lock::take((folder / formatted("{}.lock", r.name)).string(), stop_of(p));
  if (const auto signal = stop_of(p).load(); !lock && signal != 0)
    return wrong(p, r, formatted("stopped by {}", signal_name(static_cast<int>(signal))));
  const file_time begun = file_time_now();
  auto of = known_inputs(p, r, words);
  if (!of) return of.error();
  std::error_code ec;
  if (!p.again && fs::is_regular_file(made.file, ec) && is_as_before(p, inputs, *of))
    if (auto before = read_made(made.file)) {  // a damaged report is made again
      made.what = std::move(*before);
      return made;
    }
  if (!lock) return wrong(p, r, lock.error().message);  // the usual reason is a folder that is not writable
  made.is_new = true;
  // The old report and its inputs stay until the new report is complete. With --rerun, the inputs are removed first, so
  // that the run is repeated after an interruption.
  if (p.again) fs::remove(inputs, ec);
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string heard = formatted("{}/heard", scratch.path()), whole = formatted("{}/report.json", scratch.path());
  std::vector<std::string> all{fs::read_symlink("/proc/self/exe", ec).string(), "run", "--format", "json", "-o", whole};
  const auto has_flag = [&](const char* flag) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return w.starts_with(flag); });
  };
  // With --fix, the report has the fixes that `check` prints and editors offer.
  if (!has_flag("--fix")) all.emplace_back("--fix");
  if (!has_flag("--threads")) all.insert(all.end(), {"--threads", std::to_string(threads)});
  all.insert(all.end(), words.begin(), words.end());
  const read_log read{formatted("{}/compilers", scratch.path()), formatted("{}/loader", scratch.path())};
  const auto status = run_and_hear(all, heard, &stop_of(p), p.folder, variables_of(read));
  if (!status) return status.error();
  const auto said = read_file(heard);
  if (const auto kept = write_file(log, said ? *said : ""); !kept) return kept.error();
  if (const auto signal = stop_of(p).load(); signal != 0)
    return wrong(p, r, formatted("stopped by {}", signal_name(static_cast<int>(signal))));
  if (*status != exit_clean && *status != exit_findings)
    return wrong(p, r,
                 formatted("bankwise run exited with status {} and printed\n{}", *status, end_of(said ? *said : "")),
                 formatted("the whole output is in {}", log));
  if (!fs::is_regular_file(whole, ec))
    return wrong(p, r, "the command launched no kernel, so there is no report",
                 formatted("the whole output is in {}", log));
  add_read_files(p, words, read, begun, scratch.path(), *of);
  auto what = read_made(whole);
  if (!what) return what.error();
  made.what = std::move(*what);
  const auto text = read_file(whole);
  if (!text) return text.error();
  fs::remove(inputs, ec);
  if (const auto written = write_file(made.file, *text); !written) return written.error();
  const auto written = write_file(inputs, as_text(*of));
  if (!written) return written.error();
  return made;
}

}  // namespace

result<std::vector<std::string>> words_of(const project& p, const check::run_entry& r) {
  wordexp_t all{};
  const int failed = ::wordexp(r.command.c_str(), &all, WRDE_NOCMD | WRDE_UNDEF);
  std::vector<std::string> words;
  if (failed == 0) words.assign(all.we_wordv, all.we_wordv + all.we_wordc);
  if (failed == 0 || failed == WRDE_NOSPACE) ::wordfree(&all);
  if (failed == 0 && !words.empty()) return words;
  return wrong(p, r,
               formatted("the command of the run {}",
                         failed == 0              ? "is empty"
                         : failed == WRDE_BADCHAR ? "contains one of | & ; < > ( ) { } outside quotes"
                         : failed == WRDE_BADVAL  ? "uses a variable that is not set"
                         : failed == WRDE_CMDSUB  ? "contains a command substitution"
                                                  : "has an opening quote without a closing quote"),
               "write the arguments of `bankwise run`, quoted as for a shell");
}

std::string folder_of_config(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

result<done> make_cache_folder(const std::string& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return diagnostic{formatted("cannot make the folder {}: {}", folder, ec.message())};
  const fs::path ignored = fs::path(folder) / ".gitignore";
  return fs::exists(ignored, ec) ? result<done>(done{}) : write_file(ignored.string(), "*\n");
}

result<file_lock> lock_config(const std::string& file, const check::config& c) {
  const fs::path folder = fs::path(folder_of_config(file)) / c.cache;
  if (const auto ready = make_cache_folder(folder.string()); !ready) return ready.error();
  return file_lock::take((folder / formatted("{}.lock", fs::path(file).filename().string())).string(), stop_signal());
}

std::map<std::string, std::string> inputs_of(const project& p, const std::string& run) {
  const fs::path folder = fs::path(p.folder) / p.asked->cache;
  const auto text = read_file((folder / formatted("{}.inputs", run)).string());
  std::map<std::string, std::string> found;
  if (!text) return found;
  for (const std::string_view line : split(*text, '\n'))
    if (const std::size_t blank = line.find(' '); blank == fingerprint_digits) {
      std::error_code ec;
      const fs::path file = fs::weakly_canonical(fs::path(p.folder) / line.substr(blank + 1), ec);
      if (!ec && fs::is_regular_file(file, ec)) found[file.string()] = std::string(line.substr(0, blank));
    }
  return found;
}

result<std::vector<made_report>> make_reports(const project& p) {
  std::vector<const check::run_entry*> runs;
  for (const std::string& name : p.only) {
    std::vector<std::string> names;
    for (const check::run_entry& r : p.asked->runs) names.push_back(r.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto near = nearest(name, names, 1);
    return diagnostic{formatted("--run {}: {} has no run with this name", name, p.asked->name),
                      {},
                      near.empty() ? "" : formatted("did you mean {}?", near[0])};
  }
  for (const check::run_entry& r : p.asked->runs)
    if (p.only.empty() || std::find(p.only.begin(), p.only.end(), r.name) != p.only.end()) runs.push_back(&r);
  if (runs.empty()) return std::vector<made_report>{};
  // Words of each run; computed before the threads start, because wordexp is not thread-safe.
  std::vector<std::vector<std::string>> words;
  for (const check::run_entry* r : runs) {
    auto of_run = words_of(p, *r);
    if (!of_run) return of_run.error();
    words.push_back(std::move(*of_run));
  }
  if (const auto ready = make_cache_folder((fs::path(p.folder) / p.asked->cache).string()); !ready)
    return ready.error();

  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const auto jobs = static_cast<unsigned>(std::min<std::size_t>(p.jobs != 0 ? p.jobs : cores, runs.size()));
  std::vector<std::optional<result<made_report>>> made(runs.size());
  std::atomic<std::size_t> next{0};
  std::size_t ended = 0;
  progress_line progress("runs");
  std::mutex of_progress;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size() && stop_of(p).load() == 0; i = next++) {
      made[i] = make_report(p, *runs[i], words[i], std::max(1U, cores / jobs));
      const std::lock_guard lock(of_progress);
      progress.update(++ended, runs.size(), runs[i]->name);
    }
  };
  std::vector<std::jthread> others;
  for (unsigned n = 1; n < jobs && start_thread(others, work); ++n) {
  }
  work();
  others.clear();
  std::vector<made_report> reports;
  std::optional<diagnostic> first;
  std::string others_failed;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (made[i] && *made[i])
      reports.push_back(std::move(**made[i]));
    else if (!first)
      first =
          made[i] ? made[i]->error() : wrong(p, *runs[i], "the run did not start, because bankwise check was stopped");
    else if (stop_of(p).load() == 0)
      others_failed += (others_failed.empty() ? "" : ", ") + runs[i]->name;
  }
  if (!first) return reports;
  if (!others_failed.empty())
    first->hint += (first->hint.empty() ? "" : "\n") + formatted("these runs also have no report: {}", others_failed);
  return *first;
}

}  // namespace bankwise::cli
