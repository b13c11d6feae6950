#include "base/system/toolkit.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/format.hpp"
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
    if (std::string at = formatted("{}/bin/{}", home, name); is_program(at)) return at;
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      if (std::string at = formatted("{}/{}", folder, name); !folder.empty() && is_program(at)) return at;
  const std::string usual = formatted("/usr/local/cuda/bin/{}", name);
  return is_program(usual) ? usual : "";
}

std::string find_tool(const std::string& name, const std::vector<std::string>& loaded_libraries,
                      std::string& looked_in) {
  std::string found = find_tool(name);
  const char* home = std::getenv("CUDA_HOME");
  looked_in = formatted("{}, the PATH, /usr/local/cuda/bin",
                        home != nullptr ? formatted("CUDA_HOME ({})", home) : "CUDA_HOME, which is not set");
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
    looked_in += formatted(", {}", folder);
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

result<int> run_and_hear(std::vector<std::string> words, const std::string& heard,
                         const std::atomic<std::uint32_t>* stop, const std::string& folder,
                         const std::vector<std::pair<std::string, std::string>>& variables) {
  // A shell changes the working folder. posix_spawn has this feature only since glibc 2.29.
  if (!folder.empty()) {
    const char* const there = "CDPATH= cd -- \"$1\" && shift && exec \"$@\"";
    words.insert(words.begin(), {"/bin/sh", "-c", there, "sh", fs::absolute(folder).string()});
  }
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, heard.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<std::string> ours{formatted("TMPDIR={}", fs::path(heard).parent_path().string())};
  for (const auto& [name, value] : variables) ours.push_back(formatted("{}={}", name, value));
  std::vector<char*> environment;
  for (std::string& one : ours) environment.push_back(one.data());
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry = *e;
    if (std::none_of(ours.begin(), ours.end(), [&](const std::string& one) {
          return entry.starts_with(std::string_view(one).substr(0, one.find('=') + 1));
        }))
      environment.push_back(*e);
  }
  environment.push_back(nullptr);
  // The program gets its own process group, because nvcc starts further programs.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigset_t as_usual;
  sigemptyset(&as_usual);
  for (const int s : {SIGPIPE, SIGXFSZ}) sigaddset(&as_usual, s);
  posix_spawnattr_setsigdefault(&attributes, &as_usual);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return diagnostic{formatted("cannot start {}: {}", words[0], std::strerror(failed))};
  int status = 0;
  constexpr int most_looks = 2'000;  // number of checks, every 5 ms; the program is killed ten seconds after the signal
  int looks = -1;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, stop == nullptr ? 0 : WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (stop == nullptr || ended < 0) continue;
    if (const auto signal = stop->load(); signal != 0 && looks < 0) {
      looks = 0;
      ::kill(-child, static_cast<int>(signal));
      continue;
    }
    if (looks >= 0 && ++looks > most_looks) ::kill(-child, SIGKILL);
    const timespec soon{0, 5'000'000};
    ::nanosleep(&soon, nullptr);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace bankwise
