// The command line, parsed: a verb, its flags and what stands beside them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bankwise::cli {

struct arguments {
  std::string verb;
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by long name without dashes
  std::vector<std::string> positional;

  bool has(std::string_view flag) const { return values.contains(flag); }
  // The last value given, or nothing.
  std::optional<std::string> value(std::string_view flag) const;
  const std::vector<std::string>& all(std::string_view flag) const;
};

// What main() should do with the command line.
struct command {
  arguments args;
  std::optional<std::string> text;  // help or version: print it and stop
};

result<command> parse_command_line(int argc, const char* const* argv);

// Checked readings of flags. Errors name the flag.
result<std::uint64_t> number(const arguments& args, std::string_view flag, std::uint64_t otherwise, std::uint64_t least,
                             std::uint64_t most);
result<std::array<std::uint32_t, 3>> triple(const arguments& args, std::string_view flag,
                                            std::array<std::uint32_t, 3> otherwise);
// One of the words, or an error that lists them.
result<std::string> choice(const arguments& args, std::string_view flag, std::string_view otherwise,
                           const std::vector<std::string>& words);

}  // namespace bankwise::cli
