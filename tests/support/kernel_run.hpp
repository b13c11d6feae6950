// Runs a kernel of a cubin on the CPU for tests, as the command line does.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/run/kernel_arguments.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/memory/memory.hpp"
#include "model/report.hpp"

namespace bankwise::test {

struct kernel_launch {
  std::string cubin;  // absolute path, or path below the source folder
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t shared = 0;
  std::vector<std::string> arguments;        // arguments in the form of --arg
  std::map<std::string, std::string> files;  // name -> contents, for file:NAME in an argument
  unsigned threads = 0;
  emulate::instruction_use use = emulate::instruction_use::best;
  std::size_t keep_accesses = 0;  // as in profile_launch
  bool cooperative = false;
  std::array<std::uint32_t, 3> cluster{};
  std::uint64_t ctas = 0;  // number of blocks as in --ctas, or 0 for all blocks
  std::optional<emulate::time_limit> time;
  checks wanted;
  std::uint64_t seed = 0;
  std::uint64_t budget = emulate::launch{}.budget;
  std::string* printed = nullptr;  // gets the text that the kernel prints, also after an error
  emulate::fault_kind* fault = nullptr;
  bool with_code = true;  // whether the report also has the kernel's instructions, as for a page
};

struct kernel_run {
  report whole;                      // report with this launch and its code
  std::vector<std::string> buffers;  // bytes of each argument after the launch, empty for values
  std::string printed;

  const launch_report& launch() const { return whole.launches.at(0); }
  template <class T>
  std::vector<T> buffer(std::size_t argument) const {
    std::vector<T> out(buffers.at(argument).size() / sizeof(T));
    std::memcpy(out.data(), buffers[argument].data(), out.size() * sizeof(T));
    return out;
  }
};

result<kernel_run> run_kernel(const kernel_launch& what);

using kernel_use =
    std::function<result<done>(const emulate::launch&, emulate::device_memory&, const placed_arguments&)>;
// Sets how the launch's instructions are executed, from two environment variables: BANKWISE_CHECK_OPERANDS, and
// BANKWISE_TEST_USE with the values interpret, plain, best and avx2. best and avx2 compile all possible code before its
// first execution.
void set_instruction_use(emulate::launch& l);
// Prepares a launch as run_kernel does, and calls `use`, which can run the launch with a different listener.
result<done> prepare_kernel(const kernel_launch& what, const kernel_use& use);

template <class T>
std::string bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

}  // namespace bankwise::test
