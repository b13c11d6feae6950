// redux.sync of floats: the minimum and maximum over the member lanes, also of absolute values, and with NaN.
#include <cstdint>

// Lane t of warp w is a member if bit t of word w is set. Lanes that are not members store 0.
#define REDUCED(name, operation)                                                                                     \
  extern "C" __global__ void name(const uint32_t* in, const uint32_t* members, uint32_t* out) {                      \
    const uint32_t lane = threadIdx.x % 32, mask = members[threadIdx.x / 32];                                        \
    uint32_t found = 0;                                                                                              \
    if ((mask >> lane & 1) != 0)                                                                                     \
      asm volatile("redux.sync." operation ".f32 %0, %1, %2;" : "=r"(found) : "r"(in[threadIdx.x]), "r"(mask));      \
    out[threadIdx.x] = found;                                                                                        \
  }
REDUCED(least, "min")
REDUCED(greatest, "max")
REDUCED(least_magnitude, "min.abs")
REDUCED(greatest_magnitude, "max.abs")
REDUCED(least_or_nan, "min.NaN")
REDUCED(greatest_or_nan, "max.NaN")
REDUCED(least_magnitude_or_nan, "min.abs.NaN")
REDUCED(greatest_magnitude_or_nan, "max.abs.NaN")
