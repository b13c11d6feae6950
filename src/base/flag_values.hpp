// The values of flags by name, and functions that read and check the values. The command line and the page both use
// this form:
//
//     --type float --let pitch=33 --let n=4        {"type": {"float"}, "let": {"pitch=33", "n=4"}}
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise {

struct flag_values {
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // key: long name without dashes

  bool has(std::string_view flag) const { return values.contains(flag); }
  // Returns the last value of the flag, or nothing if the flag was not given.
  std::optional<std::string> value(std::string_view flag) const;
  const std::vector<std::string>& all(std::string_view flag) const;
};

// Adds the name of the flag to the diagnostic, unless the diagnostic already contains one.
diagnostic about(std::string_view flag, diagnostic d);

// Returns the value as a number between `least` and `most`, or `otherwise` if the flag was not given. Errors contain
// the name of the flag.
result<std::uint64_t> number(const flag_values& flags, std::string_view flag, std::uint64_t otherwise,
                             std::uint64_t least, std::uint64_t most);
// Returns three numbers from a value such as "32,16" or "32x16". Missing numbers are 1.
result<std::array<std::uint32_t, 3>> triple(const flag_values& flags, std::string_view flag,
                                            std::array<std::uint32_t, 3> otherwise);
// Returns the value, which must be one of the words. The error lists the words.
result<std::string> choice(const flag_values& flags, std::string_view flag, std::string_view otherwise,
                           const std::vector<std::string>& words);

}  // namespace bankwise
