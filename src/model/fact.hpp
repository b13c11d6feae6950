// What the tables of a report (launch.def, site.def) say about a fact: when its key is in the JSON, whether two
// launches that differ in it are different, and how the facts of several launches are combined.
#pragma once

#include <cstdint>

namespace bankwise {

enum class fact_when : std::uint8_t {
  always,
  added_later,  // always, except in reports of older versions
  where_set,    // if it differs from the default
  of_recordings,
  of_partial,       // launches
  of_checked,       // launches
  with_accesses,    // for launches whose accesses are kept
  where_it_applies  // a function in src/report decides
};

// How launches compare if they differ in the fact. A comparison starts at one of these levels.
enum class tells : std::uint8_t {
  nothing,   // equal: the first value is kept
  of_all,    // equal: the value applies to all equal launches; for two reports it is the sum
  summed,    // equal, and merged by adding the values
  saved,     // different in saved reports; during a run, it follows from others, or is found later
  accesses,  // different, if the accesses of both were kept
  result,    // different ones
  shape      // different, and not even added up
};

// How the facts of launches that differ in their data are combined: 50 steps of a loop are shown as one launch.
enum class adds : std::uint8_t {
  first,       // the first value is kept
  found,       // the first value that is not empty; two launches never both have one
  summed,      // for a site: summed, each as often as its launch ran
  per_launch,  // summed, each launch as often as it ran
  any,
  largest,
  of_worst,  // the value of the launch with the worst access
  alone,     // a launch with this fact is never merged
  by_hand
};

}  // namespace bankwise
