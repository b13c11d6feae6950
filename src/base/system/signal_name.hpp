// The usual name of a signal. glibc has such a function, sigabbrev_np, only since version 2.32.
#pragma once

#include <string>

namespace bankwise {

// Returns a name such as "SIGTERM", or "signal 40" for a signal without a name.
std::string signal_name(int signal);

}  // namespace bankwise
