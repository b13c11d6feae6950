// A finding about a launch: a source line that costs more than necessary for one reason, or several lines that one change
// makes cheaper. It contains only values.
// report/sections/finding_words.hpp has the sentences.
//
//     conflict     transpose.cu:18   4,063,232 of 4,325,376 wavefronts   saves 23,414 cycles   sites 4, 5, 6, 7
//     uncoalesced  sectors.cu:35       458,752 of   524,288 sectors      saves  5,810 cycles   global site 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/fold.hpp"
#include "model/measures.hpp"

namespace bankwise::findings {

// What is wrong. The last problems are the delays of delays.def. check::finding_kinds() has a number and a page for each of these problems.
enum class problem : std::uint8_t {
  conflict,      // a layout can remove wavefronts
  word_queue,    // lanes queue for one word
  copy_past_l1,  // a cp.async that bypasses L1 takes more wavefronts than its bytes need
  lane_retries,  // lanes repeat a compare-and-swap
  warp_retries,  // warps repeat a compare-and-swap because other warps changed the word
  uncoalesced,
  misaligned,
  strided,
  used_in_parts,
  loaded_again,
  local_memory,
  local_in_loop,
#define DELAY(name, id) name,
#include "model/time/delays.def"
};

// The measure that a problem wastes: wavefronts, rounds, sectors or cycles.
measure measure_of(problem p);
// The measure that is the wasted part, or none if no single measure is this part.
measure waste_of(problem p);
// Whether a replay of a launch predicts the time that a problem costs.
bool is_timed(problem p);
// Whether a problem is only a hint. A check does not fail because of such problems.
bool is_minor(problem p);

// Whether lanes are too far apart in memory, for one of several reasons.
bool is_distance(problem p);

struct finding {
  problem what = problem::conflict;
  // Indices in launch_report::global_sites if is_of_sectors(), in predicted_time::delays if is_delay(), otherwise in
  // launch_report::sites. The site with the largest amount is first.
  std::vector<std::size_t> sites;
  std::uint64_t amount = 0;        // what a remedy removes in this launch, in units of the measure
  std::uint64_t whole = 0;         // the measure of these sites in this launch
  std::uint64_t saved_cycles = 0;  // elapsed cycles that the launch saves without the amount, if times are predicted
  std::uint64_t order_cycles = 0;  // the same, or an estimate by a rule of thumb, for the order of findings
  // The other lines and problems that the same change removes. `sites`, amount and whole include these lines if they have
  // the same measure. The cycles include all of them.
  std::vector<finding> also;

  bool is_minor() const { return findings::is_minor(what); }
  bool is_of(measure m) const { return measure_of(what) == m; }
  bool is_delay() const { return is_of(measure::elapsed_cycles); }
  bool is_of_sectors() const { return row_of(measure_of(what)).is_of_sectors(); }
  std::uint64_t left() const { return whole - amount; }
};

// The part of a site's cost that a problem causes, in units of the problem's measure. 0 for problems with sectors.
std::uint64_t amount_of(const site& s, problem p);
// Returns the findings of a launch: first the findings that are not minor, then those that save the most time, then
// those with the largest amounts. An instruction without a line is a separate finding. Findings with one cause are one
// finding, whose first line saves the most.
std::vector<finding> of(const launch_report& l);
// Returns the findings of each line, without others of the same cause.
std::vector<finding> of_lines(const launch_report& l);
// Returns the number of a finding's cause in the launch; 0 if it has no other place in common with it.
std::uint32_t cause_of(const launch_report& l, const finding& f);

// The place of a finding is the place of its first site. It is empty if the finding is about the whole launch.
const instruction_place& place_of(const launch_report& l, const finding& f);

const delay& delay_of(const launch_report& l, const finding& f);

// A finding of one of several launches.
struct finding_in {
  const launch_report* launch = nullptr;
  std::uint64_t launches = 1;  // number of launches with this finding
  finding what;
};
// Returns the findings of all launches in the order of of(). The number of launches multiplies time and amount.
std::vector<finding_in> of_all(const std::vector<added_launches>& launches);

// Changes that were found for a finding. Null if none was found.
struct known_changes {
  const known_fix* layout = nullptr;
  const known_move* instructions = nullptr;  // the replacement that saves the most wavefronts

  // Whether other instructions save more wavefronts than the layout, or the launch is predicted to be slower with it.
  bool are_instructions_better() const;
};
known_changes changes_for(const launch_report& l, const finding& f);

}  // namespace bankwise::findings
