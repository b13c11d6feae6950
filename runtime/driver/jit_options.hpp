// Options of the driver's PTX compiler. A program passes two arrays: one with the numbers of the options, one with
// their values. A value is a number or a pointer.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "runtime/device/driver_abi.hpp"
#include "runtime/launch/jit.hpp"

namespace bankwise::cuda {

// The program's buffers for the messages of the compiler.
struct jit_report {
  char *info = nullptr, *error = nullptr;
  std::size_t info_room = 0, error_room = 0;
  void **info_used = nullptr, **error_used = nullptr, **wall_time = nullptr;
};

struct jit_request {
  jit_options options;
  jit_report report;
  std::string log;
};

void read_options(jit_request& r, unsigned count, const jit_option* options, void** values);
// Copies the compiler's messages to the buffers of the program: information after success, errors after a failure.
void answer(const jit_request& r, bool went_well, std::chrono::steady_clock::time_point began);

}  // namespace bankwise::cuda
