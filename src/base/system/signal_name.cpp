#include "base/system/signal_name.hpp"

#include <csignal>
#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace bankwise {

namespace {

constexpr std::pair<int, std::string_view> names[] = {
    {SIGABRT, "SIGABRT"},     {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGCHLD, "SIGCHLD"},
    {SIGCONT, "SIGCONT"},     {SIGFPE, "SIGFPE"},   {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},
    {SIGINT, "SIGINT"},       {SIGKILL, "SIGKILL"}, {SIGPIPE, "SIGPIPE"}, {SIGPROF, "SIGPROF"},
    {SIGQUIT, "SIGQUIT"},     {SIGSEGV, "SIGSEGV"}, {SIGSTOP, "SIGSTOP"}, {SIGSYS, "SIGSYS"},
    {SIGTERM, "SIGTERM"},     {SIGTRAP, "SIGTRAP"}, {SIGTSTP, "SIGTSTP"}, {SIGTTIN, "SIGTTIN"},
    {SIGTTOU, "SIGTTOU"},     {SIGURG, "SIGURG"},   {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
    {SIGVTALRM, "SIGVTALRM"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
#ifdef SIGIO
    {SIGIO, "SIGIO"},
#endif
#ifdef SIGPWR
    {SIGPWR, "SIGPWR"},
#endif
#ifdef SIGSTKFLT
    {SIGSTKFLT, "SIGSTKFLT"},
#endif
#ifdef SIGWINCH
    {SIGWINCH, "SIGWINCH"},
#endif
};

}  // namespace

std::string signal_name(int signal) {
  for (const auto& [number, name] : names)
    if (number == signal) return std::string(name);
  return formatted("signal {}", signal);
}

}  // namespace bankwise
