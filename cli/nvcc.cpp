#include "nvcc.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "files.hpp"

extern char** environ;

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

// A folder of our own that goes when this goes.
class scratch_folder {
 public:
  scratch_folder() {
    std::error_code ec;
    std::string pattern = (fs::temp_directory_path(ec) / "bankwise-XXXXXX").string();
    if (ec) pattern = "/tmp/bankwise-XXXXXX";
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~scratch_folder() {
    std::error_code ec;
    if (!path_.empty()) fs::remove_all(path_, ec);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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

result<std::string> compile_cubin(const std::string& source, const std::string& arch,
                                  const std::vector<std::string>& flags) {
  const std::string nvcc = find_nvcc();
  if (nvcc.empty())
    return diagnostic{"a .cu file needs nvcc, and there is none",
                      {},
                      "put nvcc on the PATH or set CUDA_HOME; or compile elsewhere with nvcc -cubin -lineinfo -arch=" +
                          arch + " and give the .cubin"};
  const scratch_folder scratch;
  if (scratch.path().empty())
    return diagnostic{std::string("cannot make a temporary folder: ") + std::strerror(errno),
                      {},
                      "set TMPDIR to a folder that can be written"};
  const std::string cubin = scratch.path() + "/kernel.cubin", heard = scratch.path() + "/heard";
  std::vector<std::string> words{nvcc, "-cubin", "-lineinfo", "-arch=" + arch, "-o", cubin};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(source);
  const auto status = run_and_hear(words, heard);
  if (!status) return status.error();
  if (*status != 0) {
    const auto said = read_file(heard);
    return diagnostic{"nvcc could not compile " + source + "\n" + (said ? std::string(trim(*said)) : ""),
                      {},
                      "further flags for nvcc go behind --nvcc"};
  }
  return read_file(cubin);
}

}  // namespace bankwise::cli
