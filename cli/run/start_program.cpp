#include "cli/run/start_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/format.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"

extern char** environ;

namespace bankwise::cli {

namespace {

using clock = std::chrono::steady_clock;
// Time for writing the report after a stop signal. After this time, the program gets the signal even without a report.
constexpr std::chrono::seconds to_report{10};
constexpr std::chrono::seconds for_others{1};  // time to wait for other processes after the first report
constexpr std::chrono::seconds to_end{10};     // time after the signal until the program is killed
constexpr long look_nanoseconds = 5'000'000;

// Blocks the stop signals in this thread, so that the thread can wait for these signals.
class waited_signals {
 public:
  waited_signals() {
    sigemptyset(&set_);
    for (const int s : {SIGCHLD, SIGTSTP}) sigaddset(&set_, s);
    for (const int s : stop_signals) {
      struct sigaction now {};
      if (::sigaction(s, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&set_, s);
    }
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~waited_signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  waited_signals(const waited_signals&) = delete;
  waited_signals& operator=(const waited_signals&) = delete;

  // Returns the next signal, or 0 if none has arrived yet.
  int next(bool patient) const {
    const timespec soon{0, look_nanoseconds};
    const int s = patient ? ::sigwaitinfo(&set_, nullptr) : ::sigtimedwait(&set_, nullptr, &soon);
    return s < 0 ? 0 : s;
  }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_{}, before_{};
};

// Starts the program in the child process. Never returns.
[[noreturn]] void become(const char* program, char** argv, char** environment, const sigset_t& mask, pid_t parent,
                         int heard) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (::getppid() == parent) ::execvpe(program, argv, environment);
  const int why = errno;
  if (::write(heard, &why, sizeof why) < 0) ::_exit(126);
  ::_exit(127);
}

// Gives the terminal to the program when the program reads from the terminal or changes its settings. Interrupts from
// the keyboard then go to the program.
void give_terminal(pid_t group) {
  if (::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) ::tcsetpgrp(STDIN_FILENO, group);
}

void take_terminal_back() {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &one, &before);
  ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

// Whether the processes of the program have written their reports. Some processes may have ended without a report. So
// after the first report, a short wait is enough.
bool has_answered(const control_file* control, clock::duration waited) {
  if (control == nullptr) return true;
  const run_control& c = *control->get();
  const auto answered = c.answered.load();
  return answered >= c.attached.load() || (answered != 0 && waited > for_others);
}

ending wait_for(pid_t child, control_file* control, const waited_signals& signals) {
  ending e;
  std::optional<clock::time_point> asked_at, passed_on;
  bool has_terminal = false;
  const auto stop = [&](int s) {
    if (e.asked != 0) {
      ::kill(-child, SIGKILL);
      return;
    }
    e.asked = s;
    asked_at = clock::now();
    note_stop(s);
    if (control != nullptr) control->request_stop(s);
  };
  if (stop_signal() != 0) stop(static_cast<int>(stop_signal().load()));
  for (;;) {
    int status = 0;
    const pid_t which = ::waitpid(child, &status, WNOHANG | WUNTRACED);
    if (which == child && WIFSTOPPED(status)) {
      if (WSTOPSIG(status) == SIGTTIN || WSTOPSIG(status) == SIGTTOU) {
        give_terminal(child);
        has_terminal = true;
        ::kill(-child, SIGCONT);
      } else if (WSTOPSIG(status) == SIGTSTP && has_terminal) {  // the terminal stopped the program, but not bankwise
        ::kill(::getpid(), SIGSTOP);
        give_terminal(child);
        ::kill(-child, SIGCONT);
      }
    } else if (which == child) {
      e.by_signal = WIFSIGNALED(status);
      e.status = e.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
      break;
    } else if (which < 0 && errno != EINTR) {
      break;
    }
    const auto now = clock::now();
    if (asked_at && !passed_on && (has_answered(control, now - *asked_at) || now - *asked_at > to_report)) {
      passed_on = now;
      ::kill(-child, e.asked);
      ::kill(-child, SIGCONT);
      if (control != nullptr) control->get()->passed_on.store(1);
    }
    if (passed_on && now - *passed_on > to_end) ::kill(-child, SIGKILL);
    const int s = signals.next(!asked_at);
    if (s == SIGTSTP) {
      ::kill(-child, SIGTSTP);
      ::kill(::getpid(), SIGSTOP);
      ::kill(-child, SIGCONT);
    } else if (std::find(std::begin(stop_signals), std::end(stop_signals), s) != std::end(stop_signals)) {
      stop(s);
    }
  }
  if (has_terminal) take_terminal_back();
  return e;
}

// Whether the program runs with more rights than its caller. The loader does not load our libraries into such a
// program.
bool has_rights_of_its_own(const std::string& program) {
  const std::string found = program.find('/') == std::string::npos ? find_program(program) : program;
  struct stat s {};
  if (::stat(found.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) return false;
  return (s.st_mode & (S_ISUID | S_ISGID)) != 0 || ::getxattr(found.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

std::string describe(const ending& e) {
  return e.by_signal ? formatted("was ended by signal {}, {}", e.status, strsignal(e.status))
                     : formatted("exited with {}", e.status);
}

result<ending> start_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& variables, control_file* control) {
  if (has_rights_of_its_own(program))
    return diagnostic{
        formatted("{} gains privileges when it starts (set-user-ID, set-group-ID or a capability), so bankwise's "
                  "libraries cannot be loaded into it",
                  program),
        {.file = program},
        "copy the program with cp, and run the copy. cp does not keep the privileges"};
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  std::vector<std::string> added;
  for (const auto& [name, value] : variables) added.push_back(formatted("{}={}", name, value));
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry = *e;
    const bool ours = std::any_of(variables.begin(), variables.end(),
                                  [&](const auto& v) { return entry.starts_with(formatted("{}=", v.first)); });
    if (!ours) environment.push_back(*e);
  }
  for (std::string& a : added) environment.push_back(a.data());
  environment.push_back(nullptr);

  std::signal(SIGCHLD, SIG_DFL);
  const waited_signals signals;
  int heard[2];  // pipe for the reason why the child cannot start the program
  if (::pipe2(heard, O_CLOEXEC) != 0)
    return diagnostic{formatted("cannot start {}: {}", program, std::strerror(errno))};
  const pid_t parent = ::getpid(), child = ::fork();
  int failed = child < 0 ? errno : 0;
  if (child == 0) become(program.c_str(), argv.data(), environment.data(), signals.before(), parent, heard[1]);
  ::close(heard[1]);
  if (child > 0 && ::read(heard[0], &failed, sizeof failed) != static_cast<ssize_t>(sizeof failed)) failed = 0;
  ::close(heard[0]);
  if (failed != 0) {
    if (child > 0) ::waitpid(child, nullptr, 0);
    return diagnostic{formatted("cannot start {}: {}", program, std::strerror(failed))};
  }
  return wait_for(child, control, signals);
}

}  // namespace bankwise::cli
