// Writes an access as C++ code for the source of a kernel. If the access takes more wavefronts, the code does not
// compile.
//
//     #include <bankwise/bankwise.hpp>
//
//     // tile[t][0]: 32 wavefronts, 1 is reachable.
//     constexpr auto shared_access =
//         bankwise::make_access(bankwise::ld(4), [](bankwise::u32 lane) { return lane * 128; });
//     BANKWISE_ASSERT_WAVEFRONTS(shared_access, 32);
#pragma once

#include <string>

#include "report/picture/access_report.hpp"

namespace bankwise {

std::string to_cpp(const access_report& r);

}  // namespace bankwise
