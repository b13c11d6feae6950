// Sets the host's rounding mode for one instruction.
#pragma once

#include <cfenv>

#include "base/float_bits.hpp"

namespace bankwise::emulate::BANKWISE_ISA {

// Sets the host's rounding mode while this object exists.
class rounding_scope {
 public:
  explicit rounding_scope(rounding mode) : mode_(mode) {
    // in the order of enum `rounding`
    static constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (mode_ != rounding::nearest_even) std::fesetround(modes[static_cast<unsigned>(mode_)]);
  }
  ~rounding_scope() {
    if (mode_ != rounding::nearest_even) std::fesetround(FE_TONEAREST);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  rounding mode_;
};

}  // namespace bankwise::emulate::BANKWISE_ISA
