// The counts of all instructions of a launch, a block or a cluster. The members are the rows of whole_counts.def.
#pragma once

#include <cstdint>

namespace bankwise {

struct whole_counts {
#define WHOLE(when, name, meaning) std::uint64_t name = 0;
#include "model/parts/whole_counts.def"

  whole_counts& operator+=(const whole_counts& other) {
#define WHOLE(when, name, meaning) name += other.name;
#include "model/parts/whole_counts.def"
    return *this;
  }
  whole_counts& operator-=(const whole_counts& other) {
#define WHOLE(when, name, meaning) name -= other.name;
#include "model/parts/whole_counts.def"
    return *this;
  }
  whole_counts& operator*=(std::uint64_t times) {
#define WHOLE(when, name, meaning) name *= times;
#include "model/parts/whole_counts.def"
    return *this;
  }
  friend bool operator==(const whole_counts&, const whole_counts&) = default;
};

}  // namespace bankwise
