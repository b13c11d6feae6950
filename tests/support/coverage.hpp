// Counts how many intervals of a sample contain the counts of the complete launch.
#pragma once

#include <string>

#include "base/text.hpp"
#include "model/report.hpp"

namespace bankwise::test {

struct coverage {
  std::size_t intervals = 0, held = 0;
  std::size_t unseen = 0;    // number of sites that no block of the sample reached; these sites have no interval
  double relative_half = 0;  // sum of the half widths of the wavefronts' intervals, relative to the estimates
  std::size_t launches = 0;

  void add(const interval& i, std::uint64_t whole) {
    if (whole == 0 && i.high == 0) return;  // an interval from 0 to 0 does not count
    ++intervals;
    held += i.low <= whole && whole <= i.high ? 1 : 0;
  }
  void add(const launch_report& whole, const launch_report& sample) {
    ++launches;
    for (std::size_t n = 0; n < std::size(total_rows); ++n) {
      const total_row& t = total_rows[n];
      add(sample.within.at(n), whole.sum.*t.member);
      if (std::string_view(t.name) == "wavefronts" && sample.sum.wavefronts != 0)
        relative_half += static_cast<double>(sample.within[n].high - sample.within[n].low) / 2 /
                         static_cast<double>(sample.sum.wavefronts);
    }
    add(sample.within.at(std::size(total_rows)), whole.sum.warp_instructions);
    for (const site& w : whole.sites) {
      const site* same = nullptr;
      for (const site& s : sample.sites)
        if (s.pc == w.pc && s.function == w.function) same = &s;
      if (same == nullptr) {
        ++unseen;
        continue;
      }
      for (std::size_t n = 0; n < std::size(total_rows); ++n) add(same->within.at(n), total_rows[n].of(w));
    }
  }
  void add(const coverage& other) {
    intervals += other.intervals;
    held += other.held;
    unseen += other.unseen;
    relative_half += other.relative_half;
    launches += other.launches;
  }
  double share() const { return intervals == 0 ? 1 : static_cast<double>(held) / static_cast<double>(intervals); }
  std::string text() const {
    return grouped(held) + " of " + grouped(intervals) + " intervals hold (" + fixed(100 * share(), 1) +
           "%), launches within " + fixed(100 * relative_half / static_cast<double>(launches == 0 ? 1 : launches), 1) +
           "%, " + grouped(unseen) + " sites unseen";
  }
};

}  // namespace bankwise::test
