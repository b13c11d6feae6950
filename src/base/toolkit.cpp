#include "base/toolkit.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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

std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in) {
  std::string found = find_tool(name);
  const char* home = std::getenv("CUDA_HOME");
  looked_in = std::string(home != nullptr ? "CUDA_HOME (" + std::string(home) + ")" : "CUDA_HOME, which is not set") +
              ", the PATH, /usr/local/cuda/bin";
  std::vector<std::string> packages;
  const auto add = [&](const std::string& folder) {
    if (std::find(packages.begin(), packages.end(), folder) == packages.end()) packages.push_back(folder);
  };
  for (const std::string& library : loaded_libraries)
    for (const char* const kind : {"/site-packages/", "/dist-packages/"})
      if (const std::size_t at = library.find(kind); at != std::string::npos)
        add(library.substr(0, at + std::strlen(kind) - 1));
  for (const std::string& folder : packages) {
    if (!found.empty()) break;
    looked_in += ", " + folder;
    for (const char* inside : {"/nvidia/cu13/bin/", "/nvidia/cuda_nvcc/bin/", "/triton/backends/nvidia/bin/"})
      if (std::string at = folder + inside + name; found.empty() && is_program(at)) found = std::move(at);
  }
  return found;
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
