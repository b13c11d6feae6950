// A commit of the user's git repository in a folder of its own, or a copy of the user's working tree. The user's files
// and index do not change.
//
//     check_out(repository, "abc1234...", folder)     git worktree add --detach
//     copy(repository, folder)                        the files that git tracks or would track
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct git_repository {
  std::string top;     // folder of the working tree
  std::string prefix;  // the current folder, relative to `top`, with a slash at its end; empty at the top
};
// Finds the repository of the current folder.
result<git_repository> find_repository(const std::string& scratch);
// Returns the hash of a commit.
result<std::string> hash_of_commit(const git_repository& r, const std::string& commit, const std::string& scratch);
// Returns the first line of a commit's message.
std::string subject_of(const git_repository& r, const std::string& hash, const std::string& scratch);

// Returns a command that runs without the variables that git sets for hooks. With them, git would write the user's
// index.
std::vector<std::string> without_git_variables(std::vector<std::string> command);

class work_tree {
 public:
  // `scratch` is a folder for the output of git.
  explicit work_tree(std::string scratch) : scratch_(std::move(scratch)) {}
  ~work_tree();
  work_tree(const work_tree&) = delete;
  work_tree& operator=(const work_tree&) = delete;

  // Checks out a commit, with the submodules that the user's working tree has.
  result<done> check_out(const std::string& repository, const std::string& hash, const std::string& folder);
  // Copies the working tree as it is: changed files, and new files that git does not ignore.
  result<done> copy(const std::string& repository, const std::string& folder);

 private:
  result<done> add(const std::string& repository, const std::string& hash, const std::string& folder, bool has_files);

  struct added_tree {
    std::string repository, folder;
  };
  std::string scratch_;
  std::vector<added_tree> added_;
};

}  // namespace bankwise::cli
