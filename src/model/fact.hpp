// The columns of the tables of a report (launch.def, site.def): when the fact's key is in the JSON, whether two launches
// with different values become two entries of the report, and how the values of several launches are combined.
#pragma once

#include <cstdint>

namespace bankwise {

enum class fact_when : std::uint8_t {
  always,
  added_later,  // always, except in reports of older versions
  where_set,    // if the value differs from the default
  of_recordings,
  of_partial,       // for partial launches
  of_checked,       // for launches that were checked for hazards
  with_accesses,    // for launches whose accesses are kept
  where_it_applies  // if a function in src/report decides so
};

// How launches compare if they differ in a fact. A comparison starts at one of these levels.
enum class tells : std::uint8_t {
  nothing,   // launches are equal, and the first value is kept
  of_all,    // launches are equal; the value applies to all of them, and values of two reports are added
  summed,    // launches are equal, and the values are added
  saved,     // saved launches differ; during a run, the fact follows from others, or is found later
  accesses,  // launches differ if the accesses of both were kept
  result,    // they differ
  shape      // launches differ, and their counts are not even added up
};

// How the facts of launches that differ only in their data are combined. For example, 50 steps of a loop are shown as
// one launch.
enum class adds : std::uint8_t {
  first,       // the first value is kept
  found,       // the first value that is not empty; two launches with a value are never combined
  summed,      // the sum; in a site, each value is multiplied by the number of times that its launch ran
  per_launch,  // the sum, with each value multiplied by the number of times that its launch ran
  any,
  largest,
  of_worst,  // the value of the launch with the worst access
  alone,     // a launch with this fact is never combined with others
  by_hand
};

}  // namespace bankwise
