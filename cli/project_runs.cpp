#include "project_runs.hpp"

#include <glob.h>
#include <wordexp.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/files.hpp"
#include "base/printable.hpp"
#include "base/progress_line.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/toolkit.hpp"
#include "check/findings.hpp"
#include "nvcc.hpp"
#include "program_words.hpp"
#include "stop_signals.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_said = 2000;  // characters of a log that an error shows

diagnostic wrong(const project& p, const check::run_entry& r, std::string message, std::string hint = {}) {
  location where{.file = p.asked->name};
  if (!where.file.empty()) where.line = r.config_line;
  return {"the run " + r.name + ": " + std::move(message), std::move(where), std::move(hint)};
}

// As a shell would part and expand it, but that it runs no command for it.
result<std::vector<std::string>> words_of(const project& p, const check::run_entry& r) {
  wordexp_t all{};
  const int failed = ::wordexp(r.command.c_str(), &all, WRDE_NOCMD | WRDE_UNDEF);
  std::vector<std::string> words;
  if (failed == 0) words.assign(all.we_wordv, all.we_wordv + all.we_wordc);
  if (failed == 0 || failed == WRDE_NOSPACE) ::wordfree(&all);
  if (failed == 0 && !words.empty()) return words;
  return wrong(p, r,
               std::string("its command ") + (failed == 0              ? "is empty"
                                              : failed == WRDE_BADCHAR ? "has one of | & ; < > ( ) { } without quotes"
                                              : failed == WRDE_BADVAL  ? "has a variable that is not set"
                                              : failed == WRDE_CMDSUB  ? "would run another"
                                                                       : "has a quote that never closes"),
               "it is what stands behind `bankwise run`, quoted as for a shell");
}

const std::atomic<std::uint32_t>& stop_of(const project& p) { return p.stop != nullptr ? *p.stop : stop_signal(); }

// --- what a report was made of

using made_of = std::vector<std::string>;  // lines "HASH NAME"

std::string hash_of(const std::string& text) { return check::fingerprint_of({text}); }
void add_file(const fs::path& folder, const std::string& file, made_of& to) {
  std::error_code ec;
  if (!fs::is_regular_file(folder / file, ec)) return;
  const auto text = read_file((folder / file).string());
  const std::string line = (text ? hash_of(*text) : std::string("unreadable")) + " " + file;
  if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
}
// A program of ours or of the toolkit, which nobody rewrites in its place: its size and time.
void add_tool(const std::string& name, const fs::path& file, made_of& to) {
  std::error_code ec;
  const auto size = fs::file_size(file, ec);
  const auto time = fs::last_write_time(file, ec).time_since_epoch().count();
  to.push_back(hash_of(ec ? "" : std::to_string(size) + " " + std::to_string(time)) + " " + name);
}

// What is known before it runs: the command, the files that it names and `inputs`.
result<made_of> known_inputs(const project& p, const check::run_entry& r, const std::vector<std::string>& words) {
  made_of of;
  std::string joined;
  for (const std::string& w : words) joined += w + '\n';
  of.push_back(hash_of(joined) + " the command");
  add_tool("bankwise", "/proc/self/exe", of);
  for (const std::string& w : words) {
    add_file(p.folder, w, of);
    // --arg f32[]=file:input.npy, or in a struct: {f32[]=file:input.npy, i32=64}
    for (std::size_t at = w.find("file:"); at != std::string::npos; at = w.find("file:", at + 5)) {
      const std::size_t end = w.find('{') < at ? w.find_first_of(",}", at) : std::string::npos;
      add_file(p.folder, w.substr(at + 5, end == std::string::npos ? end : end - at - 5), of);
    }
    if (const std::size_t at = w.find('='); w.starts_with("-") && at != std::string::npos)
      add_file(p.folder, w.substr(at + 1), of);
  }
  if (const program_words parts = part_words(words, *find_verb("run")); !parts.input.empty())
    if (const std::string program = find_program(parts.input); program.starts_with("/")) add_file("/", program, of);
  for (const std::string& pattern : r.inputs) {
    glob_t found{};
    const std::string whole = (fs::path(p.folder) / pattern).string();
    const int failed = ::glob(whole.c_str(), 0, nullptr, &found);
    std::vector<std::string> files;
    if (failed == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (files.empty()) return wrong(p, r, "there is no file " + pattern + ", which its inputs name");
    for (const std::string& file : files) add_file("/", fs::absolute(file).string(), of);
  }
  return of;
}

// What nvcc reads beside a .cu file: the headers, ours and its own.
void add_headers(const project& p, const std::vector<std::string>& words, const std::string& heard, made_of& to) {
  const program_words parts = part_words(words, *find_verb("run"));
  if (kind_of_input(parts.input) != input_kind::source) return;
  const std::string nvcc = find_tool("nvcc");
  std::vector<std::string> asked{nvcc, "-M"};
  const std::string_view nvcc_flag = "--nvcc=";
  for (const std::string& w : parts.ours)
    if (w.starts_with(nvcc_flag)) asked.push_back(w.substr(nvcc_flag.size()));
  asked.push_back(parts.input);
  const auto status = run_and_hear(asked, heard, &stop_of(p), p.folder);
  const auto rule = read_file(heard);
  if (!status || *status != 0 || !rule) return;
  add_tool("nvcc", nvcc, to);
  // "transpose.o : transpose.cu \", then a file a line; a blank of a name has a \ before it.
  std::string file;
  for (std::size_t i = rule->find(" : ") + 3; i <= rule->size(); ++i) {
    const char c = i < rule->size() ? (*rule)[i] : '\n';
    if (c == '\\' && i + 1 < rule->size() && (*rule)[i + 1] == ' ') {
      file += ' ';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\\') {
      if (!file.empty()) add_file(p.folder, file, to);
      file.clear();
    } else {
      file += c;
    }
  }
}

std::string as_text(const made_of& of) {
  std::string s;
  for (const std::string& line : of) s += line + '\n';
  return s;
}

// The lines that were written, but of files as they are now.
bool is_as_before(const project& p, const std::string& file, const made_of& known) {
  std::error_code ec;
  if (!fs::is_regular_file(file, ec)) return false;
  const auto text = read_file(file);
  if (!text || !text->starts_with(as_text(known))) return false;
  for (const std::string_view line : split(std::string_view(*text).substr(as_text(known).size()), '\n')) {
    if (line.empty()) continue;
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return false;
    made_of now;
    const std::string name(line.substr(blank + 1));
    if (name == "nvcc")
      add_tool(name, find_tool(name), now);
    else
      add_file(p.folder, name, now);
    if (now.empty() || now[0] != line) return false;
  }
  return true;
}

// --- one run

// Its last lines, each with blanks before it.
std::string end_of(const std::string& said) {
  std::string text = printable_lines(said);
  if (text.size() > most_said) {
    const std::size_t line = text.find('\n', text.size() - most_said);
    text = "...\n" + text.substr(line == std::string::npos ? text.size() - most_said : line + 1);
  }
  return "  " + std::string(trim(indented(text, "  ")));
}

result<made_report> make_report(const project& p, const check::run_entry& r, const std::vector<std::string>& words,
                                unsigned threads) {
  auto of = known_inputs(p, r, words);
  if (!of) return of.error();
  const fs::path folder = fs::absolute(fs::path(p.folder) / p.asked->cache).lexically_normal();
  made_report made{r.name, (folder / (r.name + ".json")).string()};
  const std::string inputs = (folder / (r.name + ".inputs")).string(), log = (folder / (r.name + ".log")).string();
  std::error_code ec;
  if (!p.again && fs::is_regular_file(made.file, ec) && is_as_before(p, inputs, *of)) return made;
  made.is_new = true;
  // Until it is whole, the one of before stays, with what that was made of; of these inputs there is none.
  if (p.again) fs::remove(inputs, ec);
  const std::string whole = made.file + ".new";
  fs::remove(whole, ec);
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string heard = scratch.path() + "/heard";
  std::vector<std::string> all{fs::read_symlink("/proc/self/exe", ec).string(), "run", "--format", "json", "-o", whole};
  const bool has_threads =
      std::any_of(words.begin(), words.end(), [](const std::string& w) { return w.starts_with("--threads"); });
  if (!has_threads) all.insert(all.end(), {"--threads", std::to_string(threads)});
  all.insert(all.end(), words.begin(), words.end());
  const auto status = run_and_hear(all, heard, &stop_of(p), p.folder);
  if (!status) return status.error();
  const auto said = read_file(heard);
  if (const auto kept = write_file(log, said ? *said : ""); !kept) return kept.error();
  if (const auto signal = stop_of(p).load(); signal != 0) {
    fs::remove(whole, ec);
    return wrong(p, r, "stopped by " + signal_name(static_cast<int>(signal)));
  }
  if (*status != exit_clean && *status != exit_findings)
    return wrong(p, r, "bankwise run ended with " + std::to_string(*status) + " and said\n" + end_of(said ? *said : ""),
                 "all that it said: " + log);
  if (!fs::is_regular_file(whole, ec))
    return wrong(p, r, "it launched no kernel, so there is no report", "all that it said: " + log);
  add_headers(p, words, heard, *of);
  fs::remove(inputs, ec);
  fs::rename(whole, made.file, ec);
  if (ec) return wrong(p, r, "cannot write " + made.file + ": " + ec.message());
  const auto written = write_file(inputs, as_text(*of));
  if (!written) return written.error();
  return made;
}

}  // namespace

std::string folder_of_config(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

result<done> make_cache_folder(const std::string& folder) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  const fs::path ignored = fs::path(folder) / ".gitignore";
  return fs::exists(ignored, ec) ? result<done>(done{}) : write_file(ignored.string(), "*\n");
}

std::map<std::string, std::string> inputs_of(const project& p, const std::string& run) {
  const fs::path folder = fs::path(p.folder) / p.asked->cache;
  const auto text = read_file((folder / (run + ".inputs")).string());
  std::map<std::string, std::string> found;
  if (!text) return found;
  for (const std::string_view line : split(*text, '\n'))
    if (const std::size_t blank = line.find(' '); blank != std::string_view::npos) {
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
    return diagnostic{"--run " + name + ": " + p.asked->name + " has no run of this name",
                      {},
                      near.empty() ? "" : "did you mean " + near[0] + "?"};
  }
  for (const check::run_entry& r : p.asked->runs)
    if (p.only.empty() || std::find(p.only.begin(), p.only.end(), r.name) != p.only.end()) runs.push_back(&r);
  if (runs.empty()) return std::vector<made_report>{};
  std::vector<std::vector<std::string>> words;  // here, since wordexp is for one thread
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
  for (unsigned n = 1; n < jobs; ++n) others.emplace_back(work);
  work();
  others.clear();
  std::vector<made_report> reports;
  std::optional<diagnostic> first;
  std::string others_failed;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (made[i] && *made[i])
      reports.push_back(std::move(**made[i]));
    else if (!first)
      first = made[i] ? made[i]->error() : wrong(p, *runs[i], "stopped before it began");
    else if (stop_of(p).load() == 0)
      others_failed += (others_failed.empty() ? "" : ", ") + runs[i]->name;
  }
  if (!first) return reports;
  if (!others_failed.empty())
    first->hint += (first->hint.empty() ? "" : "\n") + ("others that came to no report: " + others_failed);
  return *first;
}

}  // namespace bankwise::cli
