// The rounding mode of the host, for one instruction.
#pragma once

#include <cfenv>

namespace bankwise::emulate::BANKWISE_ISA {

// Rounds as the instruction says while it lives. mode: 0 nearest, 1 down, 2 up, 3 toward zero.
class rounding_scope {
 public:
  explicit rounding_scope(unsigned mode) : mode_(mode) {
    static constexpr int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    if (mode_ != 0) std::fesetround(modes[mode_]);
  }
  ~rounding_scope() {
    if (mode_ != 0) std::fesetround(FE_TONEAREST);
  }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  unsigned mode_;
};

}  // namespace bankwise::emulate::BANKWISE_ISA
