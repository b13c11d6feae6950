// One launch of a kernel: the costs of its instructions, and other facts. The members are the rows of launch.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "model/fact.hpp"
#include "model/fix.hpp"
#include "model/global_site.hpp"
#include "model/parts/block_race.hpp"
#include "model/parts/code_meaning.hpp"
#include "model/parts/hazard.hpp"
#include "model/parts/other_result.hpp"
#include "model/parts/out_of_bounds.hpp"
#include "model/parts/place.hpp"
#include "model/site.hpp"
#include "model/time/predicted_time.hpp"

namespace bankwise {

using xyz = std::array<std::uint32_t, 3>;

inline std::uint64_t blocks_of(const xyz& grid) { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }

// A range of a block's shared memory that is one array. Offsets start at the beginning of the kernel's own shared
// memory.
struct shared_array {
  std::string name;  // name in the declaration; empty if unknown
  std::uint64_t begin = 0, end = 0;
  bool dynamic = false;
  std::uint64_t declared_bytes = 0;  // 0 if unknown
  std::vector<std::size_t> sites;    // indices in launch_report::sites: the sites that access the array
  // The array's sites, divided into sets. The sites of a set write and read the same values. If there are several sets,
  // several arrays may use this memory at different times, as in a union. The list is empty if there is only one set.
  std::vector<std::vector<std::size_t>> phases;

  friend bool operator==(const shared_array&, const shared_array&) = default;
};

// Why a launch did not finish, or why the program with this launch did not finish.
struct early_end {
  enum class reason : std::uint8_t {
    none,         // the launch or program finished
    interrupted,  // a signal to bankwise or to the program interrupted it
    budget,
    total_budget,  // the program used up the budget for all of its launches
    time,          // the time for this launch ended before enough blocks had run for a sample
    fault,         // a kernel caused a fault, and nothing was executed after it
    full,          // the report was full, so further launches that differ from its launches were not recorded
  };
  reason why = reason::none;
  std::string signal;  // the signal that interrupted the launch or program, such as "SIGTERM"; empty if unknown

  explicit operator bool() const { return why != reason::none; }
  friend bool operator==(const early_end&, const early_end&) = default;
};
// Returns the name in JSON: "interrupted", "budget", "total_budget", "time", "fault". The reason `full` is not written,
// because it applies to launches outside of the report.
const char* name_of(early_end::reason r);
// Returns words such as "stopped by SIGTERM", "stopped by --budget", "stopped by a fault".
std::string words_of(const early_end& c);

struct launch_report {
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/launch.def"
};

// Whether two launches are equal in all facts whose level in `tells` is at least `least`.
bool same(const launch_report& a, const launch_report& b, tells least);
// Merges two equal launches, of one report or of two reports. Adds the facts that are summed.
enum class found_in : std::uint8_t { one_report, two_reports };
void add_equal(launch_report& to, const launch_report& more, found_in where);
// Whether the launch has no facts except counts. Such a launch can be added to other launches of its shape.
bool is_plain(const launch_report& l);
// Adds a launch of the same shape with different data, so that counts become sums. Call `multiply` for both launches
// first. It multiplies the counts by the number of launches that the launch represents.
void add_launch(launch_report& to, launch_report more);
void multiply(launch_report& l);

// How reliable the counts of a launch are. All output uses these names.
enum class exactness : std::uint8_t {
  exact,      // every block was executed
  estimated,  // counts are estimated from a sample
  partial,    // the launch was stopped; the counts include only the part that was executed
};
exactness exactness_of(const launch_report& l);
// How often the interval of an estimated count contains the true count, in percent.
inline constexpr unsigned confidence_percent = 90;
const char* name_of(exactness e);

// Whether the number of executions is too low, because a recording did not receive all executions.
bool is_lower_bound(const launch_report& l);

}  // namespace bankwise
