#include "emulate/launch/rehearsal.hpp"

#include <string_view>

namespace bankwise::emulate {

launch rehearsal_of(const launch& l) {
  launch one = l;
  one.rehearses = true;
  one.threads = 1;
  one.counting = nullptr;
  one.racing = nullptr;
  one.kept = nullptr;
  one.time.reset();
  one.fault = nullptr;
  one.executed = nullptr;
  return one;
}

launch_hooks silent_hooks() {
  launch_hooks hooks;
  hooks.print = hooks.print_error = [](std::string_view) {};
  hooks.launch = [](const child_launch&) { return true; };
  hooks.set_condition = [](std::uint64_t, std::uint32_t) { return true; };
  return hooks;
}

}  // namespace bankwise::emulate
