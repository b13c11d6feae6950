// What the tables of a report (launch.def, site.def) say about a fact: when its key is in the JSON, whether two
// launches that differ in it are different, and how the facts of several launches become one.
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
  where_it_applies  // its form in src/report decides
};

// How launches compare if they differ in it. A comparison starts at one of these levels.
enum class tells : std::uint8_t {
  nothing,   // equal: the first value is kept
  of_all,    // equal: the value is for all equal launches; for two reports it is the sum
  summed,    // equal, and become one with the sum
  saved,     // different in saved reports; in a run it follows from others, or is found later
  accesses,  // different, if the accesses of both were kept
  result,    // different ones
  shape      // these are not even added up
};

// How launches that differ in their data are added up: 50 steps of a loop are read as one thing.
enum class adds : std::uint8_t {
  first,       // the first value is kept
  found,       // the first's that has some, and no two have
  summed,      // of a site: each as often as its launch was
  per_launch,  // summed, each as often as it was
  any,
  largest,
  of_worst,  // the value of the launch with the worst access
  alone,     // a launch with this fact is never merged
  by_hand
};

}  // namespace bankwise
