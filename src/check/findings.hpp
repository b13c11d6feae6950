// The findings of a report. Each finding has the number of its kind, and a fingerprint. The fingerprint does not change
// when other lines of the source change:
//
//     BW101  transpose_plain  transpose.cu:19  out[...] = tile[threadIdx.x][row];   63,488 wavefronts   9f3c...
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/finding_kinds.hpp"
#include "model/report.hpp"

namespace bankwise::check {

enum class novelty { not_compared, fresh, known, worse };  // the result of comparing the finding with a baseline

// A finding: a source line of a kernel, and an amount for one kind of finding. The amount is a sum over all launches.
struct finding {
  const finding_kind* what = nullptr;
  std::string kernel, instance;  // demangled name, and short name
  std::string file;              // path of the source when it was compiled; empty without a line table or a source
  std::uint32_t line = 0;
  std::string text;      // text of the source line; empty if it is unknown
  std::string path;      // path for messages, relative to the folder for paths; empty if it equals `file`
  std::uint64_t pc = 0;  // pc of the worst instruction
  // The line in the kernel from which the finding's line was inlined; empty and 0 if it was not inlined.
  std::string outer_file;
  std::uint32_t outer_line = 0;
  std::string sass;
  std::string
      elsewhere;  // words instead of a place, such as "the program"; empty if the finding is about an instruction
  std::string_view found_by;  // of a call of the program: the word of --check that reports it
  // The other line of each hazard in the finding, such as the earlier access of a race. It may be empty and 0.
  std::set<std::pair<std::string, std::uint32_t>> also_at;
  std::string operation;     // examples: "ld.b32", "ld.b32, st.b128"
  std::uint64_t amount = 0;  // number of wavefronts, rounds, accesses or cycles, depending on the kind
  bool estimated = false;    // whether a part of the amount is an estimate; the next two members are its likely range
  std::uint64_t amount_low = 0, amount_high = 0;
  std::uint64_t executed = 0, wavefronts = 0, reachable = 0;  // sums over all instructions of the finding
  validity holds = validity::unknown;                         // the weakest validity of these instructions
  std::string message;                                        // a sentence about the finding, without the source line
  // The total time of all launches of the kernel, and the time that a fix of this finding saves. These times are empty
  // if a launch has no prediction.
  predicted_time time;
  std::uint64_t saved_cycles = 0;
  std::uint64_t order_cycles = 0;  // the same, or an estimate by a rule of thumb; only for the order
  std::string fix, fix_code;       // a sentence and CUDA code; empty if the report has no layout for this finding
  std::string fingerprint;         // 16 hexadecimal digits
  novelty compared = novelty::not_compared;
  std::uint64_t amount_before = 0;        // amount in the baseline
  std::optional<std::string> suppressed;  // the reason from the comment or the [[ignore]] that suppresses the finding
  bool is_suppressed_by_config = false;   // whether an [[ignore]] suppresses it
  bool fails = false;                     // whether this finding makes the check fail
  bool of_sectors = false;                // whether the finding is about global or local memory
  bool is_delay = false;                  // whether the amount is a number of elapsed cycles
  std::string cause;  // the same for findings of a kernel that one change removes; empty if there is only one
  std::uint64_t sectors = 0, sectors_left = 0;  // of global or local memory: all, and those that remain with the remedy
  std::string remedy;                           // of sectors: the remedy without its numbers
  std::vector<finding> also;                    // other findings of the same cause (joined())
};

// A part of a check without failures.
struct passed_case {
  std::string group, name;  // `group` is the name of a kernel, or "budgets"
};

// Returns the number of the kind of a finding that a check of a run makes.
std::string_view kind_of(const hazard& h);
std::string_view kind_of(const program_fault& p);
// Returns the word of --check that reports a fault of the program.
std::string_view check_of(const program_fault& p);
// Returns the findings of all launches, grouped by kernel. Kernels are in the order of their launches. The findings of
// a kernel are sorted by the time that they save, and then by their amounts.
std::vector<finding> findings_of(const report& r);
// Joins the findings with one cause, as far as a check treats them alike. The one that saves the most is first, and
// contains the amounts and the saved time of all. Each keeps its own fingerprint, so that baselines stay valid.
std::vector<finding> joined(std::vector<finding> list);
// Sorts findings of all kernels: notes last, then by the time that they save, and then by their amounts.
std::vector<finding> by_saving(std::vector<finding> list);

// Returns the place of a finding: "transpose.cu:19", or "pc 0x220".
std::string place_of(const finding& i);
// Returns the FNV-1a hash of the parts as 16 hexadecimal digits. The hash identifies a finding, but is not
// cryptographic.
std::string fingerprint_of(const std::vector<std::string>& parts);
// Returns the text with single blanks between words, and without blanks at its ends.
std::string squeezed(std::string_view text);
// Returns the text without bankwise's comment and without repeated blanks, so that a suppression does not change the
// fingerprint.
std::string code_of(std::string_view text);

}  // namespace bankwise::check
