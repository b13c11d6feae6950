// Arithmetic on two floats in a pair of registers, and the minimum and maximum of three floats.

// Each thread computes a * b + c, a * b and a + b. Then it uses one float as both halves, swaps halves, and so on.
__global__ void pairs(const float2* a, const float2* b, const float2* c, float2* out) {
  const int t = threadIdx.x;
  const auto of = [](float2 x) {
    unsigned long long r;
    asm("mov.b64 %0, {%1, %2};" : "=l"(r) : "f"(x.x), "f"(x.y));
    return r;
  };
  const auto store = [&](int n, unsigned long long x) {
    asm("mov.b64 {%0, %1}, %2;" : "=f"(out[n * 32 + t].x), "=f"(out[n * 32 + t].y) : "l"(x));
  };
  const auto fma = [](unsigned long long x, unsigned long long y, unsigned long long z) {
    unsigned long long r;
    asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(r) : "l"(x), "l"(y), "l"(z));
    return r;
  };
  const auto mul = [](unsigned long long x, unsigned long long y) {
    unsigned long long r;
    asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
  };
  const auto add = [](unsigned long long x, unsigned long long y) {
    unsigned long long r;
    asm("add.rn.f32x2 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
  };
  const float2 x = a[t], y = b[t], z = c[t];
  store(0, fma(of(x), of(y), of(z)));
  store(1, mul(of(x), of(y)));
  store(2, add(of(x), of(y)));
  store(3, fma(of({x.x, x.x}), of({y.y, y.y}), of({z.x, z.x})));
  store(4, fma(of({x.y, x.x}), of(y), of({z.y, z.x})));
  store(5, mul(of({x.x, x.x}), of(y)));
  store(6, add(of(x), of({y.y, y.x})));
  store(7, fma(of(x), of({2.5f, 2.5f}), of(z)));
  store(8, fma(of(x), of(y), of({-1.5f, -1.5f})));
  store(9, add(of(x), of({0.25f, 0.25f})));
  // Both halves use z.x. The lower result may be written into the register of z.x before the upper half reads z.x.
  store(10, fma(of({z.x, z.x}), of({z.x, z.x}), of({z.x, z.x})));
}

// Minimum and maximum of three floats. NaN forms return NaN if an operand is NaN. One form uses absolute values.
__global__ void extremes(const float* a, const float* b, const float* c, float* out) {
  const int t = threadIdx.x;
  const float x = a[t], y = b[t], z = c[t];
  float r;
  asm("max.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
  out[t] = r;
  asm("max.NaN.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
  out[32 + t] = r;
  asm("min.NaN.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
  out[64 + t] = r;
  asm("max.NaN.abs.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
  out[96 + t] = r;
}
