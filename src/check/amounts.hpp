// The amounts of all measures in a launch, a line or a report.
//
//     amounts sum = amounts_of(launch);
//     sum[measure::removable].is        63488
//     sum[measure::removable].within    60000 to 70000, if only a sample of the blocks was executed
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "model/measures.hpp"

namespace bankwise::check {

struct amount {
  std::uint64_t is = 0;
  interval within;          // the likely range; equal ends if every block was executed
  std::uint64_t apart = 0;  // the possible error: the sum of the distances to the farther ends of the added ranges
};

class amounts {
 public:
  amount& operator[](measure m) { return all_[static_cast<std::size_t>(m)]; }
  const amount& operator[](measure m) const { return all_[static_cast<std::size_t>(m)]; }

  amounts& operator+=(const amounts& more);
  // Adds an instruction that was executed in `launches` equal launches.
  void add(const launch_report& l, const site& s, std::uint64_t launches = 1);
  void add(const launch_report& l, const global_site& s, std::uint64_t launches = 1) {
    add(l, s, record_of(memory_of(s.kind)), launches);
  }
  // Adds the numbers to another record than that of the instruction's memory.
  void add(const launch_report& l, const global_site& s, measure_record as, std::uint64_t launches);
  // Sets the measures of a record to 0.
  void clear(measure_record of);
  // Compares the numbers that a diff shows, but not their ranges.
  friend bool operator==(const amounts& a, const amounts& b);

 private:
  std::array<amount, measures> all_;
};

// Returns the amounts of one execution of a launch. If there is a predicate, only instructions are added for which it
// is true. The ranges of a whole launch are narrower than the sums of the ranges of its instructions.
amounts amounts_of(const launch_report& l, const std::function<bool(const instruction_place&)>& is_wanted = {});

// Returns a quotient of amounts; 1 if the divisor is 0.
double ratio_of(std::uint64_t is, std::uint64_t ideal);

}  // namespace bankwise::check
