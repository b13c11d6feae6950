// Chooses one of the compiled sets of handlers for this machine.
#include "emulate/code/handler_table.hpp"

#if defined(BANKWISE_HAS_AVX2)
#include <cpuid.h>
#endif

namespace bankwise::emulate {

namespace baseline {
void add_all(handler_table& t);
}
#if defined(BANKWISE_HAS_AVX2)
namespace avx2 {
void add_all(handler_table& t);
}
namespace avx512 {
void add_matrix(handler_table& t);
void add_scaled_products(handler_table& t);
void add_warp_group(handler_table& t);
}  // namespace avx512
#endif

namespace {

#if defined(BANKWISE_HAS_AVX2)
bool has_avx2() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  // clang's __builtin_cpu_supports does not know F16C
  const bool converts_halves = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  return converts_halves && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

handler_table table_of(instruction_use use) {
  handler_table t{};
#if defined(BANKWISE_HAS_AVX2)
  if (use != instruction_use::plain && has_avx2()) {
    avx2::add_all(t);
    if (use == instruction_use::avx2 || !has_avx512()) return t;
    avx512::add_matrix(t);
    avx512::add_scaled_products(t);
    avx512::add_warp_group(t);
    return t;
  }
#endif
  (void)use;
  baseline::add_all(t);
  return t;
}

}  // namespace

const handler_table& handlers(instruction_use use) {
  // A program of scripts/demo has only the handlers of its machine, so a table is made only when it is asked for.
  if (use == instruction_use::plain) {
    static const handler_table plain = table_of(instruction_use::plain);
    return plain;
  }
  if (use == instruction_use::avx2) {
    static const handler_table avx2 = table_of(instruction_use::avx2);
    return avx2;
  }
  static const handler_table best = table_of(instruction_use::best);
  return best;
}

step leave_out(worker&, const micro_op&, std::uint32_t) { return step::next; }

}  // namespace bankwise::emulate
