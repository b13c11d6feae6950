#include "base/toolkit.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"

extern char** environ;

namespace bankwise {

namespace fs = std::filesystem;

namespace {

bool is_program(const std::string& path) {
  std::error_code ec;
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, ec);
}

}  // namespace

std::string find_tool(const std::string& name) {
  if (const char* home = std::getenv("CUDA_HOME"))
    if (std::string at = std::string(home) + "/bin/" + name; is_program(at)) return at;
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      if (std::string at = std::string(folder) + "/" + name; !folder.empty() && is_program(at)) return at;
  const std::string usual = "/usr/local/cuda/bin/" + name;
  return is_program(usual) ? usual : "";
}

std::string find_toolkit_libraries() {
  const std::string nvcc = find_tool("nvcc");
  std::error_code ec;
  if (nvcc.empty()) return "";
  const fs::path root = fs::canonical(nvcc, ec).parent_path().parent_path();
  for (const char* folder : {"lib64", "targets/x86_64-linux/lib", "lib"})
    if (!ec && fs::is_directory(root / folder, ec)) return (root / folder).string();
  return "";
}

result<int> run_and_hear(std::vector<std::string> words, const std::string& heard) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, heard.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return diagnostic{"cannot start " + words[0] + ": " + std::strerror(failed)};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace bankwise
