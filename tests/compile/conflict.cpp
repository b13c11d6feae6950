// Must not compile. The message must show both numbers: the access takes 32 wavefronts, but 1 is allowed.
#include <bankwise/bankwise.hpp>

struct column {
  BANKWISE_HD constexpr bankwise::u32 operator()(bankwise::u32 lane) const { return lane * 128; }
};
BANKWISE_ASSERT_WAVEFRONTS(bankwise::make_access(bankwise::ld(4), column{}), 1);
