#include "start_program.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace bankwise::cli {

std::string describe(const ending& e) {
  return e.by_signal ? "was ended by signal " + std::to_string(e.status) + ", " + strsignal(e.status)
                     : "exited with " + std::to_string(e.status);
}

result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> added;
  for (const auto& [name, value] : variables) added.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry = *e;
    const bool ours = std::any_of(variables.begin(), variables.end(),
                                  [&](const auto& v) { return entry.starts_with(v.first + "="); });
    if (!ours) environment.push_back(*e);
  }
  for (std::string& a : added) environment.push_back(a.data());
  environment.push_back(nullptr);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int s : {SIGPIPE, SIGINT, SIGQUIT}) sigaddset(&defaults, s);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const auto interrupt = std::signal(SIGINT, SIG_IGN), quit = std::signal(SIGQUIT, SIG_IGN);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, program.c_str(), nullptr, &attributes, argv.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  if (failed == 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  std::signal(SIGINT, interrupt);
  std::signal(SIGQUIT, quit);
  if (failed != 0) return diagnostic{"cannot start " + program + ": " + std::strerror(failed)};
  return WIFSIGNALED(status) ? ending{WTERMSIG(status), true} : ending{WEXITSTATUS(status), false};
}

}  // namespace bankwise::cli
