// Starts an additional thread. The caller must be able to work without this thread, because the system may refuse to
// start it.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bankwise {

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
