// Starts an additional thread. The work must also be possible without this thread, because the system may not have any
// more threads.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bankwise {

// Returns whether the thread was started.
template <class Work>
bool start_thread(std::vector<std::jthread>& threads, Work&& work) {
  try {
    threads.emplace_back(std::forward<Work>(work));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace bankwise
