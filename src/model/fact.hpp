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
  // Launches are equal. Equal launches of one report have the same value, a total for all of them, which is kept. The
  // totals of two reports are added.
  of_all,
  summed,  // launches are equal, and the values are added
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
  // The result is the sum of the values. A fact of a site is for one execution of its launch, so its values are first
  // multiplied by launch_report::count.
  summed,
  // Only for facts of launches: the value is for one execution of the launch. Each value is multiplied by
  // launch_report::count, and the products are added.
  per_launch,
  any,
  largest,
  of_worst,
  alone,  // launches with this fact are never combined with other launches
  by_hand
};

}  // namespace bankwise
