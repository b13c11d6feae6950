// The inputs on which an instruction of a kernel may depend. dependence.hpp computes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bankwise::sass {

enum class input : std::uint8_t {
  data = 1,       // values in global memory or in variables
  block = 2,      // blockIdx
  arguments = 4,  // parameters of the kernel, except addresses of loaded data
  time = 8,       // a clock, the number of the multiprocessor, or the order of warps at an atomic
};
struct inputs {
  std::uint8_t bits = 0;

  bool has(input i) const { return (bits & static_cast<std::uint8_t>(i)) != 0; }
  bool any() const { return bits != 0; }
  inputs without(input i) const { return {static_cast<std::uint8_t>(bits & ~static_cast<unsigned>(i))}; }
  friend bool operator==(const inputs&, const inputs&) = default;
};
constexpr inputs operator|(inputs a, inputs b) { return {static_cast<std::uint8_t>(a.bits | b.bits)}; }

struct input_name {
  input what;
  const char* name;
};
// The names of inputs, in the order in which reports list them.
inline constexpr input_name input_names[] = {
    {input::data, "data"}, {input::block, "blockIdx"}, {input::arguments, "arguments"}, {input::time, "time"}};
// names_of() returns a text such as "data, blockIdx". parse_input() converts one name to an input.
std::string names_of(inputs i);
bool parse_input(std::string_view name, input& i);

struct dependence {
  // whether all inputs are known; false if the code calls functions, jumps to computed addresses, does not reach the
  // instruction, or if lanes at different places exchange values
  bool known = false;
  inputs address;
  inputs execution;  // inputs that decide whether the instruction is executed, how often, and in which lanes
};
// Whether the addresses depend on data, or on the order of events.
inline bool is_by_data(const dependence& d) { return d.address.has(input::data) || d.address.has(input::time); }

}  // namespace bankwise::sass
