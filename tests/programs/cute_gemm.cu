// Checks the matrix products of CuTe's tutorials (examples/cute/tutorial of NVIDIA/cutlass), which only print their
// speed. Includes the source unchanged, but renames its main. Compares C with a product in double, for both
// transpositions.
//     -DSOURCE='"sgemm_1.cu"' -DELEMENT=float
// The arguments are the sizes, which are multiples of the tile's sizes, and TN if the source only supports TN.
#define main main_of_tutorial
#include SOURCE
#undef main

#include <cmath>

bool run(char a_is, char b_is, int m, int n, int k) {
  thrust::host_vector<ELEMENT> a(std::size_t(m) * k), b(std::size_t(n) * k), c(std::size_t(m) * n);
  std::uint32_t seed = 1;
  const auto fill = [&](thrust::host_vector<ELEMENT>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      seed = seed * 1664525u + 1013904223u;
      values[i] = static_cast<ELEMENT>(float(int(seed >> 28) - 8) / 8);  // a float holds sums of these values exactly
    }
  };
  fill(a), fill(b), fill(c);
  thrust::device_vector<ELEMENT> on_a = a, on_b = b, on_c = c;
  const int a_rows = a_is == 'N' ? m : k, b_rows = b_is == 'N' ? k : n;
  gemm(a_is, b_is, m, n, k, static_cast<ELEMENT>(1.f), on_a.data().get(), a_rows, on_b.data().get(), b_rows,
       static_cast<ELEMENT>(0.f), on_c.data().get(), m);
  c = on_c;
  double greatest = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(float(a[a_is == 'N' ? i + std::size_t(l) * m : l + std::size_t(i) * k])) *
               double(float(b[b_is == 'N' ? l + std::size_t(j) * k : j + std::size_t(l) * n]));
      const double off = std::fabs(sum - double(float(c[i + std::size_t(j) * m]))) / (1 + std::fabs(sum));
      if (!(off <= greatest)) greatest = std::isnan(off) ? INFINITY : off;
    }
  const bool right = greatest <= 1e-2;
  std::printf("A^%c B^%c %d x %d x %d: largest difference %.2g: %s\n", a_is, b_is, m, n, k, greatest,
              right ? "PASSED" : "FAILED");
  return right;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
  const bool nt = argc > 4 || run('N', 'T', m, n, k);
  return run('T', 'N', m, n, k) && nt ? 0 : 1;
}
