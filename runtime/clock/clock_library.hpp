// How the driver's replacement and the library that replaces the program's clocks (load/clocks.cpp) find each other.
#pragma once

namespace bankwise::cuda {

// The function of the library that takes the source of the shift. The shift is in nanoseconds.
inline constexpr char take_time_shift[] = "bankwise_take_time_shift";
using take_time_shift_type = void (*)(long long (*shift)());

}  // namespace bankwise::cuda
