// The findings of a report. Each has the number of its kind, and a fingerprint that still identifies it when other
// lines change.
//
//     BW101  transpose_plain  transpose.cu:19  out[...] = tile[threadIdx.x][row];   63,488 wavefronts   9f3c...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check/finding_kinds.hpp"
#include "model/report.hpp"

namespace bankwise::check {

enum class novelty { not_compared, fresh, known, worse };  // the comparison with a baseline

// A finding: a source line of a kernel, and the count of one kind of finding over all launches.
struct finding {
  const finding_kind* what = nullptr;
  std::string kernel, name;  // demangled name and bare name
  std::string file;          // path as it was compiled; empty without a line table or a source
  std::uint32_t line = 0;
  std::string text;      // text of the line, if it is known
  std::string path;      // the path that is shown, relative to the folder for paths; empty if it equals `file`
  std::uint64_t pc = 0;  // pc of the worst instruction
  std::string sass;
  std::string operation;     // examples: "ld.b32", "ld.b32, st.b128"
  std::uint64_t amount = 0;  // count of the kind: wavefronts, rounds, or accesses
  bool estimated = false;    // whether a part is from a sample; the next two members are its likely range
  std::uint64_t amount_low = 0, amount_high = 0;
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0;  // sums over the instructions of the finding
  validity holds = validity::unknown;                         // the weakest evidence for these instructions
  std::string message;                                        // a sentence that does not name the source line
  // If the times of all launches of the kernel are predicted: their sum, and the time that is saved without this
  // finding.
  predicted_time time;
  std::uint64_t saved_cycles = 0;
  std::string fix, fix_code;  // a sentence and CUDA code, if the report contains a layout
  std::string fingerprint;    // 16 hexadecimal digits
  novelty compared = novelty::not_compared;
  std::uint64_t amount_before = 0;        // amount in the baseline
  std::optional<std::string> suppressed;  // reason of the suppression
  bool fails = false;                     // whether the finding makes the requested check fail
  bool of_sectors = false;                // whether the finding is about global or local memory
};

// A part of a check that passed.
struct passed_case {
  std::string group, name;  // the group is a kernel, or "budgets"
};

// Findings of all launches, by kernel in the order of the launches. For a kernel, findings that save most time are
// first, then the largest.
std::vector<finding> findings_of(const report& r);

// The place of a finding: "transpose.cu:19", or "pc 0x220".
std::string place_of(const finding& i);
// FNV-1a of the parts, as 16 hexadecimal digits. It identifies a finding, but is not cryptographic.
std::string fingerprint_of(const std::vector<std::string>& parts);
// The text with single blanks between words, and no blanks at its ends.
std::string squeezed(std::string_view text);
// The squeezed text without a comment for bankwise. A suppression therefore does not change the fingerprint.
std::string code_of(std::string_view text);

}  // namespace bankwise::check
