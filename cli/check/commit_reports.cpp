#include "cli/check/commit_reports.hpp"

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/progress_line.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/check/work_tree.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "report/json/read_report.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_of_hash = 10;
constexpr std::size_t most_shown = 3000;  // largest number of characters of an output in an error

// Returns the last lines of a command's output, indented.
std::string tail_of(const std::string& heard) {
  const auto said = read_file(heard);
  std::string text = said ? printable_lines(*said) : std::string();
  if (text.size() > most_shown) {
    const std::size_t line = text.find('\n', text.size() - most_shown);
    text = formatted("...\n{}", text.substr(line == std::string::npos ? text.size() - most_shown : line + 1));
  }
  return trim(text).empty() ? "  (no output)" : formatted("  {}", trim(indented(text, "  ")));
}

diagnostic stopped(const std::string& name) {
  return {formatted("{}: stopped by {}", name, signal_name(static_cast<int>(stop_signal().load())))};
}

result<done> build_commit(const commit_question& q, const std::string& name, const std::string& folder,
                          const std::string& scratch) {
  if (q.build.empty()) return done{};
  const std::string heard = formatted("{}/build", scratch);
  const auto status = run_and_hear(without_git_variables({"/bin/sh", "-c", q.build}), heard, &stop_signal(), folder);
  if (!status) return status.error();
  if (stop_signal() != 0) return stopped(name);
  if (*status == 0) return done{};
  return diagnostic{formatted("{}: the build {}: {}\n{}", name,
                              *status < 0 ? "was ended by a signal" : formatted("failed with status {}", *status),
                              q.build, tail_of(heard))};
}

// Removes a folder from the paths in a text.
std::string without_folder(std::string text, const std::string& folder) {
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) text.erase(at, folder.size());
  return text;
}

// Fails if the program is not there after the build.
std::optional<diagnostic> missing_program(const commit_question& q, const std::string& name,
                                          const std::string& folder) {
  const std::string input = part_words(q.program, *find_verb("run")).input;
  std::error_code ec;
  if (input.find('/') == std::string::npos && !input.ends_with(".cu")) return std::nullopt;  // may be on the PATH
  if (fs::exists(fs::path(folder) / input, ec)) return std::nullopt;
  return diagnostic{formatted("{}: there is no file {} {}", name, input,
                              q.build.empty() ? "in the commit" : formatted("after the build ({})", q.build)),
                    {},
                    q.build.empty()
                        ? "git does not track this file. --build COMMAND makes it"
                        : "the path is relative to the folder in which bankwise was started, in a copy of the commit"};
}

// Fails if the program is a file of the user's working tree, which no commit changes.
std::optional<diagnostic> program_of_user(const commit_question& q, const std::string& repository) {
  const fs::path input = part_words(q.program, *find_verb("run")).input;
  if (!input.is_absolute()) return std::nullopt;
  const fs::path inside = input.lexically_normal().lexically_relative(repository);
  if (inside.empty() || *inside.begin() == "..") return std::nullopt;
  std::error_code ec;
  return diagnostic{
      formatted("--commits: {} is the file of the working tree, not the one that a commit makes", input.string()),
      {},
      formatted("write ./{}", input.lexically_relative(fs::current_path(ec)).string())};
}

// `top` is the folder of the commit, and `folder` the one in it where the program runs.
result<report> run_commit(const commit_question& q, const std::string& name, const std::string& top,
                          const std::string& folder, const std::string& scratch) {
  if (const auto missing = missing_program(q, name, folder)) return *missing;
  const std::string whole = formatted("{}/report.json", scratch), heard = formatted("{}/run", scratch);
  std::error_code ec;
  fs::remove(whole, ec);
  std::vector<std::string> words{
      fs::read_symlink("/proc/self/exe", ec).string(), "run", "--format", "json", "-o", whole};
  // A comparison needs no fixes.
  if (std::none_of(q.program.begin(), q.program.end(), [](const std::string& w) { return w.starts_with("--fix"); }))
    words.emplace_back("--no-fix");
  words.insert(words.end(), q.program.begin(), q.program.end());
  const auto status =
      run_and_hear(without_git_variables(std::move(words)), heard, &stop_signal(), folder, {{"PWD", folder}});
  if (!status) return status.error();
  if (stop_signal() != 0) return stopped(name);
  const bool ran = *status == exit_clean || *status == exit_findings;
  const diagnostic no_report = {
      ran ? formatted("{}: the program launched no kernel, so there is no report", name)
          : formatted("{}: bankwise run exited with status {} and printed\n{}", name, *status, tail_of(heard))};
  if (!fs::is_regular_file(whole, ec)) return no_report;
  const auto text = read_file(whole);
  if (!text) return text.error();
  auto r = read_report(*text, whole);
  if (r && r->launches.empty()) return no_report;
  if (r) r->failure = without_folder(r->failure, formatted("{}/", top));
  if (r && !ran && failure_of(*r).empty()) r->failure = formatted("bankwise run exited with status {}", *status);
  return r;
}

}  // namespace

result<std::vector<commit_report>> reports_of_commits(const commit_question& q) {
  const stop_on_signals stops(true);  // the folders are removed after a signal
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const auto repository = find_repository(scratch.path());
  if (!repository) return repository.error();
  if (const auto wrong = program_of_user(q, repository->top)) return *wrong;
  struct wanted {
    std::string name, hash;
  };
  std::vector<wanted> sides;
  for (const std::string& commit : {q.before, q.after}) {
    if (commit.empty()) {
      sides.push_back({"the working tree", {}});
      continue;
    }
    const auto hash = hash_of_commit(*repository, commit, scratch.path());
    if (!hash) return hash.error();
    const std::string shown = hash->substr(0, shown_of_hash);
    sides.push_back({hash->starts_with(commit) ? shown : formatted("{} ({})", printable(commit), shown), *hash});
  }
  std::vector<commit_report> reports;
  progress_line progress("commit");
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const auto& [name, hash] = sides[i];
    progress.update(i + 1, sides.size(), name);
    const std::string top = formatted("{}/{}", scratch.path(), i == 0 ? "a" : "b");
    work_tree tree(scratch.path());
    const auto made = hash.empty() ? tree.copy(repository->top, top) : tree.check_out(repository->top, hash, top);
    if (stop_signal() != 0) return stopped(name);
    if (!made) return diagnostic{formatted("{}: {}", name, made.error().message), {}, made.error().hint};
    const std::string folder = (fs::path(top) / repository->prefix).string();
    std::error_code ec;
    if (!fs::is_directory(folder, ec))
      return diagnostic{formatted("{}: the commit has no folder {}", name, repository->prefix),
                        {},
                        "start bankwise in a folder that both commits have"};
    if (const auto built = build_commit(q, name, folder, scratch.path()); !built) return built.error();
    auto r = run_commit(q, name, top, folder, scratch.path());
    if (!r) return r.error();
    reports.push_back({hash.empty()
                           ? name
                           : std::string(trim(formatted("{} {}", name, subject_of(*repository, hash, scratch.path())))),
                       std::move(*r)});
  }
  return reports;
}

}  // namespace bankwise::cli
