// tcgen05.mma of sm_103a with K = 96: a product uses 48 bytes of each row. A row may continue in a second buffer.
#include <cstdint>

// If bit 52 is set, the descriptor's leading offset is an address.
#define PLACED placed_with_leading
__device__ uint64_t placed_with_leading(uint64_t descriptor, uint32_t base) {
  return descriptor + (base >> 4) + (descriptor >> 52 & 1) * (static_cast<uint64_t>(base >> 4) << 16);
}
#include "../blackwell/forms.cuh"

#define SCALED(block) "mxf4nvf4.block_scale." block
FORM(wide_block16, MMA("1", SCALED("block16"), " [%0], %1, %2, %3, [%6], [%7], p;"))
FORM(wide_block32, MMA("1", SCALED("block32"), " [%0], %1, %2, %3, [%6], [%7], p;"))
FORM(wide_mxf4, MMA("1", "mxf4.block_scale.block32", " [%0], %1, %2, %3, [%6], [%7], p;"))
FORM(wide_from_tensors, MMA("1", SCALED("block16"), " [%0], [%5], %2, %3, [%6], [%7], p;"))
FORM(copies, "tcgen05.cp.cta_group::1.128x256b [%5], %1;")
PAIR(wide_pair_block16, MMA("2", SCALED("block16"), " [%0], %1, %2, %3, [%6], [%7], p;"))
PAIR(wide_pair_block32, MMA("2", SCALED("block32"), " [%0], %1, %2, %3, [%6], [%7], p;"))
