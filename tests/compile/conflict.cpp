// Must not compile, and the message must show both numbers: 32 wavefronts where 1 is allowed.
#include <bankwise/bankwise.hpp>

struct column {
  BANKWISE_HD constexpr bankwise::u32 operator()(bankwise::u32 lane) const { return lane * 128; }
};
BANKWISE_ASSERT_WAVEFRONTS(bankwise::make_access(bankwise::ld(4), column{}), 1);
