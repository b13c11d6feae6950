#include "model/parts/other_result.hpp"

#include <bit>
#include <cstdio>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

// The value of a word, as an integer and as a float.
std::string value_of(std::uint32_t word) {
  char number[32];
  std::snprintf(number, sizeof number, "%g", static_cast<double>(std::bit_cast<float>(word)));
  return formatted("0x{} ({} as a float)", hex(word, 8), number);
}

}  // namespace

std::string title_of(const other_result& o) {
  if (!o.failure.empty()) return formatted("the launch fails: {}", o.failure);
  return formatted("other values in {} of global memory{}", count_of(o.bytes, "byte"),
                   o.only_rounding ? ", but only because floats are rounded in another order" : "");
}

std::string order_of(const other_result& o) {
  const std::string repeats =
      formatted("{} {} repeats it", worded(setting::seed, std::to_string(o.seed)), worded(setting::threads, "1"));
  if (!o.failure.empty()) return repeats;
  return formatted("{}. At byte {} of {}: {} instead of {}", repeats, grouped(o.offset),
                   o.memory.empty() ? "memory" : o.memory, value_of(o.other), value_of(o.usual));
}

}  // namespace bankwise
