#include "nvcc.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "files.hpp"
#include "scratch_folder.hpp"

extern char** environ;

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

// Runs a program and gives its exit status, -1 if a signal ended it. What it says on either stream goes to a file.
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

}  // namespace

std::string find_nvcc() {
  if (const char* home = std::getenv("CUDA_HOME"))
    if (std::string at = std::string(home) + "/bin/nvcc"; is_program(at)) return at;
  if (const char* path = std::getenv("PATH"))
    for (const std::string_view folder : split(path, ':'))
      if (std::string at = std::string(folder) + "/nvcc"; !folder.empty() && is_program(at)) return at;
  const std::string usual = "/usr/local/cuda/bin/nvcc";
  return is_program(usual) ? usual : "";
}

std::string nvcc_version(const std::string& nvcc) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return "";
  const std::string heard = scratch.path() + "/heard";
  const auto status = run_and_hear({nvcc, "--version"}, heard);
  if (!status || *status != 0) return "";
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const auto said = read_file(heard);
  const std::size_t at = said ? said->find(", V") : std::string::npos;
  if (at == std::string::npos) return "";
  const std::size_t first = at + 3;
  return said->substr(first, said->find_first_not_of("0123456789.", first) - first);
}

namespace {

// Runs nvcc. What it says is passed on: its warnings to standard error, its errors as ours. `made` names what is wanted instead where there is no nvcc.
result<done> run_nvcc(const std::string& source, std::vector<std::string> words, const std::string& heard,
                      const std::string& made) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty())
    return diagnostic{"a .cu file needs nvcc, and there is none",
                      {},
                      "put nvcc on the PATH or set CUDA_HOME; or compile elsewhere with " + made};
  words.insert(words.begin(), nvcc);
  words.push_back(source);
  const auto status = run_and_hear(words, heard);
  if (!status) return status.error();
  const auto heard_text = read_file(heard);
  const std::string said = heard_text ? std::string(trim(*heard_text)) : "";
  if (*status != 0)
    return diagnostic{"nvcc could not compile " + source + "\n" + said, {}, "further flags for nvcc go behind --nvcc"};
  if (!said.empty()) std::fprintf(stderr, "%s\n", said.c_str());  // its warnings
  return done{};
}

}  // namespace

result<std::string> compile_cubin(const std::string& source, const std::string& arch,
                                  const std::vector<std::string>& flags) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string cubin = scratch.path() + "/kernel.cubin";
  std::vector<std::string> words{"-cubin", "-lineinfo", "-arch=" + arch, "-o", cubin};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto compiled = run_nvcc(source, std::move(words), scratch.path() + "/heard",
                                 "nvcc -cubin -lineinfo -arch=" + arch + " and give the .cubin");
  if (!compiled) return compiled.error();
  return read_file(cubin);
}

result<done> compile_program(const std::string& source, const std::string& arch, const std::vector<std::string>& flags,
                             const std::string& program) {
  std::vector<std::string> words{"-cudart", "shared", "-lineinfo", "-arch=" + arch, "-o", program};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_nvcc(source, std::move(words), program + ".heard",
                  "nvcc -cudart shared -lineinfo -arch=" + arch + " and give the program");
}

}  // namespace bankwise::cli
