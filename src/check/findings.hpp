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
  std::string path;      // the file for people, from the folder that paths are relative to; empty if it is `file`
  std::uint64_t pc = 0;  // of the worst instruction
  std::string sass;
  std::string operation;     // "ld.b32", or "ld.b32, st.b128"
  std::uint64_t amount = 0;  // the count of the kind: wavefronts, rounds, or accesses
  bool estimated = false;    // partly from a sample: the likely range of the amount
  std::uint64_t amount_low = 0, amount_high = 0;
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0;  // over these instructions
  validity holds = validity::unknown;                         // the weakest of these instructions
  std::string message;                                        // a sentence, without the place
  std::string fix, fix_code;                                  // a sentence and CUDA, if the report has a layout for it
  std::string fingerprint;                                    // 16 hexadecimal digits
  novelty compared = novelty::not_compared;
  std::uint64_t amount_before = 0;        // in the baseline
  std::optional<std::string> suppressed;  // the reason
  bool fails = false;                     // the requested check
};

// A fact that was checked and holds.
struct passed_case {
  std::string group, name;  // a kernel, or "budgets"
};

// For all launches, by kernel in the order of the launches, then the largest first.
std::vector<finding> findings_of(const report& r);

// "transpose.cu:19", or "pc 0x220".
std::string place_of(const finding& i);
// FNV-1a of the parts, 16 hexadecimal digits: a name for a thing, not a seal.
std::string fingerprint_of(const std::vector<std::string>& parts);
// Blanks at the ends gone and those between as one.
std::string squeezed(std::string_view text);
// The same without a comment for bankwise: a suppression must not make another finding of it.
std::string code_of(std::string_view text);

}  // namespace bankwise::check
