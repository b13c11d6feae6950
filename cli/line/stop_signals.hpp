// Signals that end a run: an interrupt, a termination by a CI or `timeout`, a closed terminal, a time limit.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <iterator>

#include "base/system/signal_name.hpp"

namespace bankwise::cli {

inline constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

// The first signal; 0 if there is none.
const std::atomic<std::uint32_t>& stop_signal();
// How many signals have arrived.
std::uint32_t stops_heard();
void note_stop(int signal);

// While it exists, the first signal is stored for its users to read, and a second one ends bankwise. Signals that were
// ignored when bankwise started stay ignored. `to_the_end`: no signal ends bankwise, because it must restore files.
class stop_on_signals {
 public:
  explicit stop_on_signals(bool to_the_end = false);
  ~stop_on_signals();
  stop_on_signals(const stop_on_signals&) = delete;
  stop_on_signals& operator=(const stop_on_signals&) = delete;

 private:
  struct sigaction before_[std::size(stop_signals)];
};

// The exit status of bankwise after such a signal, as a shell reports it.
inline int exit_of(int signal) { return 128 + signal; }

}  // namespace bankwise::cli
