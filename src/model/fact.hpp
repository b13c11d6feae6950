// The meanings of three columns in the tables of a report (launch.def, site.def). `when`: when the JSON contains the
// fact's key. `tells`: whether launches with different values are different launches of the report. `adds`: how the
// values of several launches become one value.
#pragma once

#include <cstdint>

namespace bankwise {

enum class fact_when : std::uint8_t {
  always,
  added_later,  // the fact is always written, but missing in reports of older versions
  where_set,    // the fact is written if its value differs from the default
  of_recordings,
  of_partial,     // the fact is written for partial launches
  of_checked,     // the fact is written for launches that were checked for hazards
  with_accesses,  // the fact is written for launches whose accesses are kept
  where_it_applies
};

// Whether launches that differ in a fact are different launches. The values are levels, from the weakest to the
// strongest. A comparison at a level considers all facts of this level and of stronger levels.
enum class tells : std::uint8_t {
  nothing,  // launches are equal, and the first value is kept
  of_all,   // launches are equal; the value is a total for all of them, and values of two reports are added
  summed,   // launches are equal, and the values are added
  // launches of saved reports differ; during a run, the fact follows from other facts, or is determined later
  saved,
  accesses,  // launches differ if the accesses of both launches were kept
  result,    // launches differ
  shape      // launches differ, and not even their counts are added up
};

// How the facts of launches are combined if only the data of the launches differ. For example, 50 steps of a loop are
// shown as one launch.
enum class adds : std::uint8_t {
  first,  // the result is the first value
  // The result is the only value that is not empty, because at most one of the combined launches has a value.
  found,
  summed,      // the result is the sum; in a site, each value is multiplied by the number of times that its launch ran
  per_launch,  // the result is the sum, after each value is multiplied by the number of executions of its launch
  any,
  largest,
  of_worst,
  alone,  // launches with this fact are never combined with other launches
  by_hand
};

}  // namespace bankwise
