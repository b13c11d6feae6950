// What the terminal can do, and the one line of progress on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "report/style.hpp"

namespace bankwise::cli {

// Colour by --color, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, then whether standard output is a terminal.
result<style> output_style(const arguments& args);

// Why a page cannot be written where the result goes: it is a terminal. `name` is a file to write it to instead.
std::optional<diagnostic> refuse_terminal(const arguments& args, const std::string& name);

// An overprinted line, shown only if standard error is a terminal and the work has taken half a second.
class progress_line {
 public:
  explicit progress_line(std::string what);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  // May be called as often as one likes; draws ten times a second.
  void update(std::uint64_t done, std::uint64_t total, std::string_view detail = {});

 private:
  std::string what_;
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace bankwise::cli
