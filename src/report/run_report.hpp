// The answer of `bankwise run`: what each source line and instruction of a launch costs, as text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "report/launch_note.hpp"
#include "report/style.hpp"
#include "report/write_report.hpp"

namespace bankwise {

struct run_text_options {
  bool all = false;          // every instruction, not only those with a finding
  bool suggest_fix = false;  // say that there is --fix
  // The text of a source line, or nothing.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

std::string to_text(const report& r, const style& s, const run_text_options& options);
// What is said of a launch beside its costs; a launch with a note is not one without findings.
std::vector<launch_note> notes_of(const launch_report& l);

}  // namespace bankwise
