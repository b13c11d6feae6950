// One thread more for work that goes on without it, too: the system may have no more of them.
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bankwise {

// Whether there is one.
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
