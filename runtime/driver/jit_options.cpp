#include "runtime/driver/jit_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bankwise::cuda {

namespace {

void write_text(const std::string& text, char* to, std::size_t room, void** used) {
  const std::size_t n = to != nullptr && room > 0 ? std::min(text.size(), room - 1) : 0;
  if (to != nullptr && room > 0) {
    std::memcpy(to, text.data(), n);
    to[n] = '\0';
  }
  if (used != nullptr) *used = reinterpret_cast<void*>(static_cast<std::uintptr_t>(n));
}

}  // namespace

void read_options(jit_request& r, unsigned count, const jit_option* options, void** values) {
  for (unsigned i = 0; options != nullptr && values != nullptr && i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    switch (options[i]) {
      case jit_max_registers: r.options.most_registers = static_cast<unsigned>(number); break;
      case jit_optimization: r.options.optimization = static_cast<int>(number); break;
      case jit_info_buffer: r.report.info = static_cast<char*>(values[i]); break;
      case jit_info_bytes:
        r.report.info_room = static_cast<unsigned>(number);
        r.report.info_used = &values[i];
        break;
      case jit_error_buffer: r.report.error = static_cast<char*>(values[i]); break;
      case jit_error_bytes:
        r.report.error_room = static_cast<unsigned>(number);
        r.report.error_used = &values[i];
        break;
      case jit_wall_time: r.report.wall_time = &values[i]; break;
      default: break;  // options for the target device and cache modes are ignored
    }
  }
}

void answer(const jit_request& r, bool went_well, std::chrono::steady_clock::time_point began) {
  write_text(went_well ? r.log : std::string(), r.report.info, r.report.info_room, r.report.info_used);
  write_text(went_well ? std::string() : r.log, r.report.error, r.report.error_room, r.report.error_used);
  if (r.report.wall_time != nullptr) {
    const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - began;
    const float milliseconds = time.count();
    std::memcpy(r.report.wall_time, &milliseconds, sizeof milliseconds);
  }
}

}  // namespace bankwise::cuda
