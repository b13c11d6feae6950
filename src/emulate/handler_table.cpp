// Which of the compiled sets of handlers this machine runs.
#include "emulate/handler_table.hpp"

namespace bankwise::emulate {

namespace baseline {
void add_all(handler_table& t);
}
#if defined(BANKWISE_HAS_AVX2)
namespace avx2 {
void add_all(handler_table& t);
}
#endif

const handler_table& handlers() {
  static const handler_table table = [] {
    handler_table t{};
#if defined(BANKWISE_HAS_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
      avx2::add_all(t);
      return t;
    }
#endif
    baseline::add_all(t);
    return t;
  }();
  return table;
}

}  // namespace bankwise::emulate
