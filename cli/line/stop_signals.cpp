#include "cli/line/stop_signals.hpp"

#include "base/format.hpp"
#include "base/printable.hpp"
#include "model/launch.hpp"

namespace bankwise::cli {

namespace {

std::atomic<std::uint32_t> first_signal{0}, heard_signals{0};
std::atomic<bool> stays{false};

}  // namespace

const std::atomic<std::uint32_t>& stop_signal() { return first_signal; }

std::uint32_t stops_heard() { return heard_signals; }

void note_stop(int signal) {
  ++heard_signals;
  std::uint32_t none = 0;
  if (first_signal.compare_exchange_strong(none, static_cast<std::uint32_t>(signal)) || stays) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool stop_grace::is_over() {
  constexpr std::chrono::milliseconds grace{700};
  if (first_signal == 0) return false;
  const auto now = std::chrono::steady_clock::now();
  noticed_ = noticed_.value_or(now);
  return now - *noticed_ > grace;
}

stop_on_signals::stop_on_signals(bool to_the_end) {
  stays = to_the_end;
  for (std::size_t i = 0; i < std::size(stop_signals); ++i) {
    ::sigaction(stop_signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction now {};
    now.sa_handler = note_stop;
    now.sa_flags = SA_RESTART;
    ::sigaction(stop_signals[i], &now, nullptr);
  }
}

stop_on_signals::~stop_on_signals() {
  stays = false;
  for (std::size_t i = 0; i < std::size(stop_signals); ++i) ::sigaction(stop_signals[i], &before_[i], nullptr);
}

early_end stopped_now() {
  return {early_end::reason::interrupted, signal_name(static_cast<int>(stop_signal().load()))};
}

int tell_late_stop() {
  tell(formatted("{} while the report was written, so launches or fixes may be missing in the report",
                 words_of(stopped_now())));
  return exit_of(static_cast<int>(stop_signal().load()));
}

}  // namespace bankwise::cli
