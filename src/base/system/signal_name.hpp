// The usual name of a signal. glibc's sigabbrev_np would need glibc 2.32.
#pragma once

#include <string>

namespace bankwise {

// "SIGTERM"; "signal 40" for signals without a name.
std::string signal_name(int signal);

}  // namespace bankwise
