// tcgen05.ld.red of sm_103a: each thread loads cells, and also gets their minimum or maximum.
#include <cstdint>

// The 64 cells of a lane are words of the image. Thread t stores the result, then the last word that it loaded.
#define REDUCED(name, shape, offset, type)                                                                             \
  extern "C" __global__ void name(const uint32_t* image, uint32_t* out) {                                            \
    __shared__ uint32_t word;                                                                                        \
    if (threadIdx.x < 32)                                                                                            \
      asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(                        \
                       static_cast<uint32_t>(__cvta_generic_to_shared(&word)))                                       \
                   : "memory");                                                                                      \
    __syncthreads();                                                                                                 \
    const uint32_t first = word | (threadIdx.x / 32 * 32) << 16;                                                     \
    _Pragma("unroll 1") for (uint32_t c = 0; c < 64; ++c)                                                            \
      asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(first + c), "r"(image[threadIdx.x * 64 + c])); \
    asm volatile("tcgen05.wait::st.sync.aligned;");                                                                  \
    uint32_t r[8], found;                                                                                            \
    asm volatile("tcgen05.ld.red.sync.aligned." shape ".x8." type " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, [%9]" offset ";" \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]), "=r"(found) \
                 : "r"(first));                                                                                      \
    asm volatile("tcgen05.wait::ld.sync.aligned;");                                                                  \
    out[2 * threadIdx.x] = found;                                                                                    \
    out[2 * threadIdx.x + 1] = r[7];                                                                                 \
    __syncthreads();                                                                                                 \
    if (threadIdx.x < 32) {                                                                                          \
      asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");                                    \
      asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(word));                             \
    }                                                                                                                \
  }
REDUCED(least_u32, "32x32b", "", "min.u32")
REDUCED(greatest_u32, "32x32b", "", "max.u32")
REDUCED(least_s32, "32x32b", "", "min.s32")
REDUCED(greatest_s32, "32x32b", "", "max.s32")
REDUCED(least_f32, "32x32b", "", "min.f32")
REDUCED(greatest_f32, "32x32b", "", "max.f32")
REDUCED(greatest_magnitude, "32x32b", "", "max.abs.f32")
REDUCED(least_with_nan, "32x32b", "", "min.NaN.f32")
REDUCED(greatest_of_halves, "16x32bx2", ", 16", "max.u32")
