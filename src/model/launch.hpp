// One launch of a kernel: the costs of its instructions, and other facts about it. The members are the rows of
// launch.def.
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
#include "model/parts/out_of_bounds.hpp"
#include "model/parts/place.hpp"
#include "model/time/predicted_time.hpp"
#include "model/site.hpp"

namespace bankwise {

using xyz = std::array<std::uint32_t, 3>;

inline std::uint64_t blocks_of(const xyz& grid) { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }

// A part of a block's shared memory that belongs together. Offsets are from the start of the kernel's own memory.
struct shared_array {
  std::string name;  // as declared; empty if unknown
  std::uint64_t begin = 0, end = 0;
  bool dynamic = false;
  std::uint64_t declared_bytes = 0;  // 0 if unknown
  std::vector<std::size_t> sites;    // sites that access it: indices into launch_report::sites
  // Only for a declared array whose sites form several sets that use separate values: these sets. The array may be
  // memory that several arrays use in turn, as in a union.
  std::vector<std::vector<std::size_t>> phases;

  friend bool operator==(const shared_array&, const shared_array&) = default;
};

// Why a launch, or the program that made it, did not finish.
struct early_end {
  enum class reason : std::uint8_t {
    none,         // it did
    interrupted,  // by a signal, to bankwise or to the program
    budget,
    total_budget,  // for all launches of the program
    time,          // its share of the time was over before enough blocks had run for a sample
    fault,         // of a kernel: nothing was executed after it
    full,          // the report has no room for more executed launches
  };
  reason why = reason::none;
  std::string signal;  // the signal that interrupted it: "SIGTERM"; empty if unknown

  explicit operator bool() const { return why != reason::none; }
  friend bool operator==(const early_end&, const early_end&) = default;
};
// "interrupted", "budget", "total_budget", "time", "fault". "full" is never written, because it applies to launches
// that are missing
const char* name_of(early_end::reason r);
// "stopped by SIGTERM", "stopped by --budget", "stopped by a fault"
std::string words_of(const early_end& c);

struct launch_report {
#define MEMBER(type, name, initial, tells, adds) type name{initial};
#include "model/launch.def"
};

// Whether they are equal in all facts that distinguish launches, from `least` on.
bool same(const launch_report& a, const launch_report& b, tells least);
// Merges two equal launches, of one report or of two: adds the facts that are summed.
enum class found_in : std::uint8_t { one_report, two_reports };
void add_equal(launch_report& to, const launch_report& more, found_in where);
// Whether it has no facts except counts, so that it can be added to others of its shape.
bool is_plain(const launch_report& l);
// Adds a launch of the same shape with other data: all counts become the sum of both. `multiply` first multiplies the
// counts by the number of represented launches.
void add_launch(launch_report& to, launch_report more);
void multiply(launch_report& l);

// How reliable its counts are, with the names that all output uses.
enum class exactness : std::uint8_t {
  exact,      // every block was executed
  estimated,  // from a sample
  partial,    // it was stopped: counts cover what was executed until then
};
exactness exactness_of(const launch_report& l);
// How many of 100 intervals of estimated counts contain the true count.
inline constexpr unsigned confidence_percent = 90;
const char* name_of(exactness e);

// Whether the number of executions only includes those that a recording received.
bool is_lower_bound(const launch_report& l);

}  // namespace bankwise
