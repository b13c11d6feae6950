# The instruction sets that the emulator's handlers need on the CPU of this machine, in `bankwise_cpu_sets`. The
# conditions are those of src/emulate/code/handler_table.cpp.
include(CheckCXXSourceRuns)

check_cxx_source_runs([[
#include <cpuid.h>
int main() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0 && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? 0 : 1;
}]] BANKWISE_CPU_HAS_AVX2)
check_cxx_source_runs([[
int main() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") ? 0 : 1;
}]] BANKWISE_CPU_HAS_AVX512)
if(BANKWISE_CPU_HAS_AVX2 AND BANKWISE_CPU_HAS_AVX512)
  set(bankwise_cpu_sets avx2 avx512)
elseif(BANKWISE_CPU_HAS_AVX2)
  set(bankwise_cpu_sets avx2)
else()
  set(bankwise_cpu_sets baseline)
endif()
