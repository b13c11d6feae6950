// The usual name of a signal. glibc has sigabbrev_np for this, but only since glibc 2.32.
#pragma once

#include <string>

namespace bankwise {

// For example "SIGTERM". A signal without a name is "signal 40".
std::string signal_name(int signal);

}  // namespace bankwise
