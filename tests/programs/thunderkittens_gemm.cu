// Runs the matrix product of ThunderKittens (kernels/gemm/bf16_h100 of HazyResearch/ThunderKittens) with a small size.
// Includes the source unchanged, but renames its main, which has one large size. A plain kernel computes the product
// again. The program prints the largest difference, and fails if an element differs by more than the rounding of C to
// bfloat16.
#include <iostream>
#include <sstream>

#define main main_of_benchmark
#include SOURCE
#undef main

int main() {
  std::ostringstream said;
  std::streambuf* const before = std::cout.rdbuf(said.rdbuf());
  run_benchmark<matmul_template<2, 4, 8>>(512, 768, 320);
  std::cout.rdbuf(before);
  const std::string text = said.str();
  const auto number = [&](const char* name) {
    const std::size_t at = text.find(name);
    return at == std::string::npos ? INFINITY : std::stod(text.substr(at + std::string(name).size()));
  };
  const double greatest = number("abs max:"), off = number("err max:");
  const bool right = greatest > 1 && off <= greatest / 128;
  std::cout << text << (right ? "PASSED" : "FAILED") << '\n';
  return right ? 0 : 1;
}
