#include "cli/check/work_tree.hpp"

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/files.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"

namespace bankwise::cli {

namespace {

namespace fs = std::filesystem;

// The variables of `git rev-parse --local-env-vars`, which hooks and `git rebase --exec` have.
constexpr const char* git_variables[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                         "GIT_COMMON_DIR",
                                         "GIT_DIR",
                                         "GIT_GRAFT_FILE",
                                         "GIT_IMPLICIT_WORK_TREE",
                                         "GIT_INDEX_FILE",
                                         "GIT_INTERNAL_SUPER_PREFIX",
                                         "GIT_NO_REPLACE_OBJECTS",
                                         "GIT_OBJECT_DIRECTORY",
                                         "GIT_PREFIX",
                                         "GIT_REPLACE_REF_BASE",
                                         "GIT_SHALLOW_FILE",
                                         "GIT_WORK_TREE"};

struct git_answer {
  int status = 0;
  std::string text, errors;  // standard output, standard error
};

// Runs git in a folder. `may_stop`: whether a stop signal ends git.
result<git_answer> git(const std::string& folder, std::vector<std::string> words, const std::string& scratch,
                       bool may_stop = true) {
  const std::string program = find_program("git");
  if (program.empty()) return diagnostic{"git was not found on the PATH", {}, "install git"};
  // Hooks of the user must not run because of these commands.
  std::vector<std::string> command = {
      program, "-c",  "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false",
      "-C",    folder};
  command.insert(command.end(), words.begin(), words.end());
  const std::string heard = formatted("{}/git", scratch), errors = formatted("{}/git.errors", scratch);
  const char* const apart = "errors=$1; shift; exec \"$@\" 2>\"$errors\"";
  command.insert(command.begin(), {"/bin/sh", "-c", apart, "sh", errors});
  const auto status =
      run_and_hear(without_git_variables(std::move(command)), heard, may_stop ? &stop_signal() : nullptr, {},
                   {{"GIT_TERMINAL_PROMPT", "0"}, {"GIT_OPTIONAL_LOCKS", "0"}, {"LC_ALL", "C"}});
  if (!status) return status.error();
  const auto text = read_file(heard), told = read_file(errors);
  if (!text) return text.error();
  return git_answer{*status, *text, told ? *told : std::string()};
}

std::string first_line(const std::string& text) {
  return printable(trim(std::string_view(text).substr(0, text.find('\n'))));
}

// Runs git, and fails if git fails.
result<std::string> git_text(const std::string& folder, const std::vector<std::string>& words,
                             const std::string& scratch) {
  auto answer = git(folder, words, scratch);
  if (!answer) return answer.error();
  if (answer->status == 0) return std::move(answer->text);
  return diagnostic{formatted("git {} failed in {}: {}", words[0], folder, first_line(answer->errors))};
}

std::vector<std::string> entries_of(const std::string& text) {
  std::vector<std::string> list;
  for (const std::string_view one : split(text, '\0'))
    if (!one.empty()) list.emplace_back(one);
  return list;
}

// Whether a folder is the top of a checked-out submodule.
bool is_repository(const fs::path& folder) {
  std::error_code ec;
  return fs::exists(folder / ".git", ec);
}

diagnostic cannot_copy(const fs::path& file, const std::error_code& why) {
  return {formatted("cannot copy {}: {}", file.string(), why.message())};
}

result<done> copy_files(const std::string& repository, const std::string& folder, const std::string& scratch) {
  const auto listed = git_text(repository, {"ls-files", "-z", "--cached", "--others", "--exclude-standard"}, scratch);
  if (!listed) return listed.error();
  for (std::string name : entries_of(*listed)) {
    if (name.ends_with('/')) name.pop_back();  // another repository that is not a submodule
    const fs::path from = fs::path(repository) / name, to = fs::path(folder) / name;
    std::error_code ec;
    const fs::file_status what = fs::symlink_status(from, ec);
    if (!fs::exists(what)) continue;  // the user removed the file
    fs::create_directories(to.parent_path(), ec);
    if (ec) return cannot_copy(from, ec);
    if (fs::is_symlink(what)) {
      fs::remove(to, ec);
      fs::copy_symlink(from, to, ec);
    } else if (fs::is_regular_file(what)) {
      fs::copy_file(from, to, fs::copy_options::overwrite_existing, ec);
    } else if (fs::is_directory(what)) {
      fs::create_directories(to, ec);
      if (is_repository(from))
        if (const auto copied = copy_files(from.string(), to.string(), scratch); !copied) return copied.error();
    }
    if (ec) return cannot_copy(from, ec);
    if (stop_signal() != 0) return diagnostic{"stopped"};
  }
  return done{};
}

}  // namespace

std::vector<std::string> without_git_variables(std::vector<std::string> command) {
  std::vector<std::string> all = {"/usr/bin/env"};
  for (const char* name : git_variables) all.insert(all.end(), {"-u", name});
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

result<git_repository> find_repository(const std::string& scratch) {
  std::error_code ec;
  const std::string here = fs::current_path(ec).string();
  const auto top = git(here, {"rev-parse", "--show-toplevel"}, scratch);
  if (!top) return top.error();
  if (top->status != 0)
    return diagnostic{formatted("{} is not in the working tree of a git repository: {}", here, first_line(top->errors)),
                      {},
                      "--commits compares two commits of the repository of the current folder"};
  const auto prefix = git_text(here, {"rev-parse", "--show-prefix"}, scratch);
  if (!prefix) return prefix.error();
  return git_repository{std::string(trim(top->text)), std::string(trim(*prefix))};
}

result<std::string> hash_of_commit(const git_repository& r, const std::string& commit, const std::string& scratch) {
  const auto found = git(r.top, {"rev-parse", "--verify", "--quiet", formatted("{}^{{commit}}", commit)}, scratch);
  if (!found) return found.error();
  if (found->status == 0 && !commit.starts_with('-')) return std::string(trim(found->text));
  const auto shallow = git(r.top, {"rev-parse", "--is-shallow-repository"}, scratch);
  return diagnostic{formatted("--commits: {} has no commit {}", r.top, printable(commit)),
                    {},
                    shallow && trim(shallow->text) == "true"
                        ? "the repository has only the newest commits. To get all commits, run git fetch --unshallow"
                        : "git log lists the commits"};
}

std::string subject_of(const git_repository& r, const std::string& hash, const std::string& scratch) {
  const auto text = git_text(r.top, {"log", "-1", "--format=%s", hash}, scratch);
  return text ? first_line(*text) : std::string();
}

work_tree::~work_tree() {
  // Also after a signal, because git would otherwise keep a record of the folders.
  while (!added_.empty()) {
    const added_tree& one = added_.back();
    (void)git(one.repository, {"worktree", "remove", "--force", "--force", one.folder}, scratch_, false);
    added_.pop_back();
  }
}

result<done> work_tree::add(const std::string& repository, const std::string& hash, const std::string& folder,
                            bool has_files) {
  std::vector<std::string> words = {"worktree", "add", "--quiet", "--force", "--detach"};
  if (!has_files) words.emplace_back("--no-checkout");
  words.insert(words.end(), {folder, hash});
  added_.push_back({repository, folder});
  const auto answer = git(repository, words, scratch_);
  if (!answer) return answer.error();
  if (answer->status == 0) return done{};
  return diagnostic{formatted("git cannot check out the commit {} of {}:\n  {}", hash.substr(0, 10), repository,
                              trim(indented(printable_lines(answer->errors), "  ")))};
}

result<done> work_tree::check_out(const std::string& repository, const std::string& hash, const std::string& folder) {
  if (const auto made = add(repository, hash, folder, true); !made) return made.error();
  // An entry of the tree: "160000 commit HASH\tPATH" for a submodule.
  const auto listed = git_text(repository, {"ls-tree", "-r", "-z", "--full-tree", hash}, scratch_);
  if (!listed) return listed.error();
  for (const std::string& entry : entries_of(*listed)) {
    constexpr std::string_view of_submodules = "160000 commit ";
    const std::size_t tab = entry.find('\t');
    if (!entry.starts_with(of_submodules) || tab == std::string::npos) continue;
    const std::string path = entry.substr(tab + 1);
    const fs::path theirs = fs::path(repository) / path;
    if (!is_repository(theirs)) continue;  // the user has not checked it out either
    const std::string commit = entry.substr(of_submodules.size(), tab - of_submodules.size());
    if (const auto made = check_out(theirs.string(), commit, (fs::path(folder) / path).string()); !made)
      return diagnostic{formatted("the submodule {}: {}", printable(path), made.error().message),
                        {},
                        formatted("git -C {} fetch gets the submodule's commits", shell_word(theirs.string()))};
  }
  return done{};
}

result<done> work_tree::copy(const std::string& repository, const std::string& folder) {
  // A build may ask git for the version, so that the copy also is a work tree.
  if (const auto made = add(repository, "HEAD", folder, false); !made) return made.error();
  if (const auto copied = copy_files(repository, folder, scratch_); !copied) return copied.error();
  const auto indexed = git_text(folder, {"reset", "--quiet"}, scratch_);
  return indexed ? result<done>(done{}) : indexed.error();
}

}  // namespace bankwise::cli
