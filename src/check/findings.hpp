// Findings, each with the number of its kind and a fingerprint that identifies it after other lines have changed.
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

enum class novelty { not_compared, fresh, known, worse };  // against a baseline

// A source line of a kernel, over all its launches, with the count of one kind of finding.
struct finding {
  const finding_kind* what = nullptr;
  std::string kernel, name;  // demangled, bare
  std::string file;          // as it was compiled; empty without a line table or a source
  std::uint32_t line = 0;
  std::string text;      // of the line, if it is known
  std::string path;      // the file as shown, relative to the folder for paths; empty if it is the same as `file`
  std::uint64_t pc = 0;  // of the worst instruction
  std::string sass;
  std::string operation;     // "ld.b32", or "ld.b32, st.b128"
  std::uint64_t amount = 0;  // the count of the kind: wavefronts, rounds, or accesses
  bool estimated = false;    // partly from a sample: the likely range of the amount
  std::uint64_t amount_low = 0, amount_high = 0;
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0;  // over these instructions
  validity holds = validity::unknown;                         // the weakest evidence of these instructions
  std::string message;                                        // a sentence, without the place
  // If the times of all launches of the kernel are predicted: the sum, and what it would be less without this finding.
  predicted_time time;
  std::uint64_t saved_cycles = 0;
  std::string fix, fix_code;  // a sentence and CUDA, if the report has a layout for it
  std::string fingerprint;    // 16 hexadecimal digits
  novelty compared = novelty::not_compared;
  std::uint64_t amount_before = 0;        // in the baseline
  std::optional<std::string> suppressed;  // the reason of the suppression
  bool fails = false;                     // the requested check
  bool of_sectors = false;                // about global or local memory
};

// A check that passed.
struct passed_case {
  std::string group, name;  // a kernel, or "budgets"
};

// Findings of all launches, by kernel in the order of the launches, then those that save most time first, then the
// largest.
std::vector<finding> findings_of(const report& r);

// "transpose.cu:19", or "pc 0x220".
std::string place_of(const finding& i);
// FNV-1a of the parts, as 16 hexadecimal digits. It identifies a finding, but does not protect it.
std::string fingerprint_of(const std::vector<std::string>& parts);
// The text without blanks at its ends, and with single blanks between words.
std::string squeezed(std::string_view text);
// The same without a comment for bankwise, so that a suppression does not change the fingerprint.
std::string code_of(std::string_view text);

}  // namespace bankwise::check
