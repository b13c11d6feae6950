// The signals that end a run: an interrupt, a termination by CI or `timeout`, a closed terminal, a time limit.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/system/signal_name.hpp"

namespace bankwise {
struct early_end;
}

namespace bankwise::cli {

inline constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

// Returns the first signal that has arrived, or 0.
const std::atomic<std::uint32_t>& stop_signal();
// Returns the number of signals that have arrived.
std::uint32_t stops_heard();
void note_stop(int signal);

// While this object exists, the first signal is stored in stop_signal(), and a second signal ends bankwise. Signals
// that were ignored when bankwise started are still ignored. With `to_the_end`, no signal ends bankwise, because it
// must first restore files.
class stop_on_signals {
 public:
  explicit stop_on_signals(bool to_the_end = false);
  ~stop_on_signals();
  stop_on_signals(const stop_on_signals&) = delete;
  stop_on_signals& operator=(const stop_on_signals&) = delete;

 private:
  struct sigaction before_[std::size(stop_signals)];
};

// After a stop signal, work that writes what is there continues for a short time. This time begins when is_over() first
// notices the signal.
class stop_grace {
 public:
  bool is_over();

 private:
  std::optional<std::chrono::steady_clock::time_point> noticed_;
};

// Returns the exit status after a signal, as a shell reports it.
inline int exit_of(int signal) { return 128 + signal; }

// Returns that the signal which has arrived ended a report early.
early_end stopped_now();
// Says that a signal stopped bankwise while it completed and wrote a report. Returns the exit status.
int tell_late_stop();

}  // namespace bankwise::cli
