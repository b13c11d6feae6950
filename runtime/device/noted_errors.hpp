// The errors that CUDA returned to the program. The report lists launches that failed, and errors that the program did
// not look at.
//
// A program has looked at an error if its code uses the value that the call returned (result_use.hpp), if it got an
// error from cudaGetLastError or cudaPeekAtLastError later in the same thread, or if it asked for the name or text of
// this error. The value of a launch with <<<...>>> is not visible to the program.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::cuda {

struct state;

// A launch that failed during its call.
struct refused_launch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{}, block{};
  std::uint64_t dynamic_shared_bytes = 0;
  std::string why, hint;
  std::uint64_t number = 0;  // number of the launch in the process, from 1
  bool by_arrows = false;    // whether the program launched with <<<...>>>
};

struct noted_error {
  std::string function;
  int status = 0;
  std::vector<std::uint64_t> sites;  // call sites of the call
  std::uint64_t calls = 0;
  std::uint64_t unseen = 0;  // number of calls whose error the program has not looked at
  std::optional<refused_launch> launch;
  std::vector<std::string> trail;  // names of the call sites; found when the report needs them
  bool has_trail = false;
};

struct noted_errors {
  std::vector<noted_error> all;                      // equal errors of one place are one element
  std::vector<std::pair<std::size_t, long>> unseen;  // index of the error and thread, for each error not looked at
  std::optional<refused_launch> refused;             // the launch of the running call, if the launch failed
  std::uint64_t launches = 0;                        // number of launches that the program asked for
  long last_thread = 0;                              // thread of the last noted call
};

// Records an error of the entry point `function`. If the entry point of the runtime only called the driver's, the
// error counts once.
void note_error(state& s, std::string_view function, int status);
// The program got an error of its thread from cudaGetLastError or cudaPeekAtLastError, or asked for the name or text of
// `status`. 0 stands for all errors of the thread.
void see_errors(state& s, int status = 0);
// Lists the errors in the report.
void report_errors(state& s);
// The name of a status of a function of the runtime or the driver, such as "cudaErrorInvalidValue".
std::string name_of_status(std::string_view function, int status);

}  // namespace bankwise::cuda
