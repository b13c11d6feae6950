// Runs a program in another bankwise process, because the program may write to standard output or end its process.
#include "cli/fix/measured_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "base/text.hpp"
#include "cli/line/stop_signals.hpp"
#include "report/json/read_report.hpp"

namespace bankwise::cli {

namespace {

constexpr std::chrono::seconds until_killed{15};  // time from a stop signal to SIGKILL

// Starts a process and waits for its end. Returns the exit status, or 128 plus the signal. The first stop signal is
// passed on to the process. A second signal kills the process, and so does a long wait after the first signal.
result<int> start(std::vector<std::string> words, const std::string& said, const std::string& told,
                  const std::string& copies) {
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::string noted = formatted("BANKWISE_HOST_COPIES={}", copies);
  std::vector<char*> environment{noted.data()};
  for (char** e = environ; *e != nullptr; ++e)
    if (!std::string_view(*e).starts_with("BANKWISE_HOST_COPIES=")) environment.push_back(*e);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, told.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return diagnostic{formatted("cannot start bankwise run: {}", std::strerror(failed))};
  int status = 0;
  std::optional<std::chrono::steady_clock::time_point> passed_on;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    const auto now = std::chrono::steady_clock::now();
    if (const auto signal = stop_signal().load(); signal != 0) {
      if (!passed_on) {
        passed_on = now;
        ::kill(child, static_cast<int>(signal));
      } else if (stops_heard() > 1 || now - *passed_on > until_killed) {
        ::kill(child, SIGKILL);
      }
    }
    const timespec soon{0, 5'000'000};
    ::nanosleep(&soon, nullptr);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_of(WTERMSIG(status));
}

}  // namespace

result<measured_run> run_measured(const std::vector<std::string>& flags, const std::vector<std::string>& program,
                                  bool accesses, const file_contents& files) {
  const scratch_folder scratch;
  if (scratch.path().empty()) return scratch.why_not();
  const std::string saved = formatted("{}/report.json", scratch.path()), said = formatted("{}/said", scratch.path()),
                    told = formatted("{}/told", scratch.path()), copies = formatted("{}/copies", scratch.path());
  std::vector<std::string> words = {"bankwise", "run", "--format", "json", "-o", saved};
  if (accesses) words.emplace_back("--accesses");
  words.insert(words.end(), flags.begin(), flags.end());
  words.emplace_back("--");
  words.insert(words.end(), program.begin(), program.end());
  const folder_state folder = look_at(".");
  const auto status = start(std::move(words), said, told, copies);
  if (!status) return status.error();
  const auto heard = read_file(told), text = read_file(said), json = read_file(saved);
  if (const auto signal = stop_signal().load(); signal != 0)
    return diagnostic{formatted("stopped by {}", signal_name(static_cast<int>(signal)))};
  measured_run run;
  if (heard)
    for (const std::string_view line : split(*heard, '\n')) {
      if (line.starts_with("bankwise: "))
        run.ends.emplace_back(line.substr(10));
      else if (!line.starts_with(formatted("wrote {}", saved)))  // this line is from `run -o`, not from the program
        run.told += formatted("{}\n", line);
    }
  if (!json) {
    std::string why = heard ? std::string(trim(*heard)) : "";
    if (why.starts_with("bankwise: error: ")) why = why.substr(17);
    return diagnostic{why.empty() ? formatted("{} ended without a report", program[0]) : why};
  }
  auto r = read_report(*json, program[0]);
  if (!r) return r.error();
  run.counts = std::move(*r);
  if (text) run.said = *text;
  run.files = written_since(folder, ".");
  for (auto& [path, content] : read_again(files, ".")) run.files.emplace(path, std::move(content));
  if (const auto noted = read_file(copies))
    for (const std::string_view line : split(*noted, '\n'))
      if (!line.empty()) run.copies.emplace_back(line);
  return run;
}

}  // namespace bankwise::cli
