// Executes each operation in each rounding mode, on operands whose results are inexact.
extern "C" __global__ void kernel(unsigned* f, unsigned long long* d, const float* x, const double* y) {
  const int t = threadIdx.x;
  const float a = x[t], b = x[t + 32], c = x[t + 64];
  const double p = y[t], q = y[t + 32], r = y[t + 64];
  const float g[] = {__fadd_rn(a, b),      __fadd_rd(a, b),      __fadd_ru(a, b),      __fadd_rz(a, b),
                     __fmul_rn(a, b),      __fmul_rd(a, b),      __fmul_ru(a, b),      __fmul_rz(a, b),
                     __fmaf_rn(a, b, c),   __fmaf_rd(a, b, c),   __fmaf_ru(a, b, c),   __fmaf_rz(a, b, c),
                     __double2float_rn(p), __double2float_rd(p), __double2float_ru(p), __double2float_rz(p)};
  const double h[] = {__dadd_rn(p, q),   __dadd_rd(p, q),   __dadd_ru(p, q),   __dadd_rz(p, q),
                      __dmul_rn(p, q),   __dmul_rd(p, q),   __dmul_ru(p, q),   __dmul_rz(p, q),
                      __fma_rn(p, q, r), __fma_rd(p, q, r), __fma_ru(p, q, r), __fma_rz(p, q, r)};
  for (int i = 0; i < 16; ++i) f[i * 32 + t] = __float_as_uint(g[i]);
  for (int i = 0; i < 12; ++i) d[i * 32 + t] = __double_as_longlong(h[i]);
}
