#include "runtime/clock/host_time.hpp"

#include <dlfcn.h>

#include <chrono>

#include "runtime/clock/clock_library.hpp"

namespace bankwise::cuda {

host_time the_host_time;

long long host_time::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void offer_host_time() {
  void* const take = ::dlsym(RTLD_DEFAULT, take_time_shift);
  if (take == nullptr) return;
  reinterpret_cast<take_time_shift_type>(take)([] { return the_host_time.shift(); });
  the_host_time.is_shown = true;
}

}  // namespace bankwise::cuda
