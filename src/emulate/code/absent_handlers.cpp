// Handlers of the instruction sets that scripts/demo does not compile, because the CPU of its machine does not need
// them. If the program is copied to a machine that needs them, it says so and ends.
#include <cstdio>
#include <cstdlib>

#include "emulate/code/handler_table.hpp"

namespace bankwise::emulate {

namespace {

[[noreturn]] [[maybe_unused]] void refuse() {
  std::fputs(
      "bankwise: scripts/demo compiled the emulator only for the CPU of another machine. Run scripts/setup here\n",
      stderr);
  std::exit(2);
}

}  // namespace

#if !defined(BANKWISE_COMPILED_baseline)
namespace baseline {
void add_all(handler_table&);
void add_all(handler_table&) { refuse(); }
}  // namespace baseline
#endif

#if !defined(BANKWISE_COMPILED_avx2)
namespace avx2 {
void add_all(handler_table&);
void add_all(handler_table&) { refuse(); }
}  // namespace avx2
#endif

#if !defined(BANKWISE_COMPILED_avx512)
namespace avx512 {
void add_matrix(handler_table&);
void add_matrix(handler_table&) { refuse(); }
void add_scaled_products(handler_table&);
void add_scaled_products(handler_table&) { refuse(); }
void add_warp_group(handler_table&);
void add_warp_group(handler_table&) { refuse(); }
}  // namespace avx512
#elif defined(BANKWISE_COMPILED_avx2)
// avx2::add_all() adds products of matrices, and then the handlers for AVX-512 replace them.
namespace avx2 {
void add_matrix(handler_table&);
void add_matrix(handler_table&) {}
void add_scaled_products(handler_table&);
void add_scaled_products(handler_table&) {}
void add_warp_group(handler_table&);
void add_warp_group(handler_table&) {}
}  // namespace avx2
#endif

}  // namespace bankwise::emulate
