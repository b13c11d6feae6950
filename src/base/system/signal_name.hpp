// What people call a signal: glibc's sigabbrev_np came with 2.32.
#pragma once

#include <string>

namespace bankwise {

// "SIGTERM"; "signal 40" for those that have a number alone.
std::string signal_name(int signal);

}  // namespace bankwise
