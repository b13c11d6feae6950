// Measures how fast kernels are executed, in warp instructions per second. As in `bankwise run`, the rule computes the
// cost of every shared-memory access.
//
//     build/release/bench/emulate_bench
//
// `Interpreted` only executes handlers (--interpret), `OnlyAvx2` compiles for a CPU without AVX-512, and `OneCore`
// compiles for this machine's CPU. These benchmarks measure processor time, which other work on the machine does not
// affect. `AllCores` measures wall-clock time. docs/explanation/emulator.md explains how the emulator works.
#include <benchmark/benchmark.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

// C = A * B with 320 x 320 and 320 x 640 elements, the size of NVIDIA's matrixMul sample.
const test::kernel_launch matrix_mul{
    .cubin = "bench/kernels/speed.cubin",
    .kernel = "matrix_mul",
    .grid = {20, 10, 1},
    .block = {32, 32, 1},
    .arguments = {"out:f32[320*640]", "f32[320*320]=iota", "f32[320*640]=iota", "i32=320", "i32=640"}};
const test::kernel_launch ffma_loop{.cubin = "bench/kernels/speed.cubin",
                                    .kernel = "ffma_loop",
                                    .grid = {16, 1, 1},
                                    .block = {256, 1, 1},
                                    .arguments = {"out:f32[16*256]", "f32=0.5", "i32=200"}};
const test::kernel_launch gemm{
    .cubin = "examples/gemm.cubin",
    .kernel = "gemm",
    .grid = {8, 8, 1},
    .block = {16, 16, 1},
    .arguments = {"out:f32[512*512]", "f32[512*256]=iota", "f32[256*512]=iota", "i32=512", "i32=512", "i32=256"}};
// A product on tensor cores that is so small that most of the time is spent on reading, decoding and reporting the
// kernel. The second product is 64 times as large.
const test::kernel_launch tensor_gemm{.cubin = "examples/fixes/tensor_gemm.cubin",
                                      .kernel = "tensor_gemm_after",
                                      .grid = {4, 1, 1},
                                      .block = {256, 1, 1},
                                      .shared = 69632,
                                      .arguments = {"out:f32[256*256]", "f16[256*256]=random:1",
                                                    "f16[256*256]=random:2", "f32[256*256]=random:3", "i32=256"}};
const test::kernel_launch large_tensor_gemm{
    .cubin = "examples/fixes/tensor_gemm.cubin",
    .kernel = "tensor_gemm_after",
    .grid = {16, 1, 1},
    .block = {256, 1, 1},
    .shared = 69632,
    .arguments = {"out:f32[1M]", "f16[1M]=random:1", "f16[1M]=random:2", "f32[1M]=random:3", "i32=1024"}};
// A quarter of a million blocks with very little work. Measures the cost of starting and ending a block.
const test::kernel_launch many_blocks{.cubin = "bench/kernels/speed.cubin",
                                      .kernel = "one_store",
                                      .grid = {1u << 18, 1, 1},
                                      .block = {64, 1, 1},
                                      .arguments = {"out:i32[1]", "i32=1"}};

// Blocks that run in parallel and add to bins. The numbers of the bins are loaded from memory.
const test::kernel_launch reductions{.cubin = "tests/kernels/reductions.cubin",
                                     .kernel = "histogram",
                                     .grid = {512, 1, 1},
                                     .block = {256, 1, 1},
                                     .arguments = {"out:i32[1024]", "i32[512*16*256]=random:1", "i32=16"}};
// A mixture of operations on integers and floats.
const test::kernel_launch random_reductions{
    .cubin = "tests/kernels/reductions.cubin",
    .kernel = "reduces",
    .grid = {512, 1, 1},
    .block = {64, 1, 1},
    .arguments = {"i32[256]=random:1", "f32[256]=random:1", "f64[256]=random:2", "i64[256]=random:3",
                  "i32[512*64]=random:4", "i32=1", "i32=60"}};

// Integer code in large blocks. Its lanes diverge all the time.
const test::kernel_launch lanes{.cubin = "tests/kernels/diverging.cubin",
                                .kernel = "lanes",
                                .grid = {16, 1, 1},
                                .block = {1024, 1, 1},
                                .arguments = {"out:i32[16*1024*12*5]", "i32=1", "i32=12"}};
// Warps whose order depends on the clock. These warps are executed one instruction at a time.
const test::kernel_launch swaps{.cubin = "tests/kernels/diverging.cubin",
                                .kernel = "swaps",
                                .grid = {16, 1, 1},
                                .block = {1024, 1, 1},
                                .arguments = {"out:i32[2*16*1024]", "i32=1", "i32=4", "i32=256"}};

void measure(benchmark::State& state, test::kernel_launch launch, unsigned threads) {
  launch.threads = threads;
  launch.with_code = false;  // as in `bankwise run` without --format html
  std::uint64_t instructions = 0, accesses = 0, blocks = 0;
  for (auto _ : state) {
    const auto run = test::run_kernel(launch);
    if (!run) return state.SkipWithError(to_text(run.error()).c_str());
    instructions += run->launch().sum.warp_instructions;
    accesses += run->launch().sum.executed;
    blocks += run->launch().ctas_executed;
  }
  const auto rate = [](std::uint64_t n) {
    return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsRate);
  };
  state.counters["warp_instructions/s"] = rate(instructions);
  state.counters["shared_accesses/s"] = rate(accesses);
  state.counters["blocks/s"] = rate(blocks);
}

void OneCore(benchmark::State& state, const test::kernel_launch& launch) { measure(state, launch, 1); }
void Interpreted(benchmark::State& state, test::kernel_launch launch) {
  launch.use = emulate::instruction_use::interpret;
  measure(state, std::move(launch), 1);
}
void OnlyAvx2(benchmark::State& state, test::kernel_launch launch) {
  launch.use = emulate::instruction_use::avx2;
  measure(state, std::move(launch), 1);
}
void AllCores(benchmark::State& state, const test::kernel_launch& launch) { measure(state, launch, 0); }

#define BANKWISE_BENCH(kernel)                                                                            \
  BENCHMARK_CAPTURE(Interpreted, kernel, kernel)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime(); \
  BENCHMARK_CAPTURE(OnlyAvx2, kernel, kernel)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();    \
  BENCHMARK_CAPTURE(OneCore, kernel, kernel)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();     \
  BENCHMARK_CAPTURE(AllCores, kernel, kernel)->Unit(benchmark::kMillisecond)->UseRealTime()
BANKWISE_BENCH(matrix_mul);
BANKWISE_BENCH(ffma_loop);
BANKWISE_BENCH(gemm);
BANKWISE_BENCH(tensor_gemm);
BANKWISE_BENCH(large_tensor_gemm);
BANKWISE_BENCH(many_blocks);
BANKWISE_BENCH(reductions);
BANKWISE_BENCH(random_reductions);
BANKWISE_BENCH(lanes);
BANKWISE_BENCH(swaps);

}  // namespace
}  // namespace bankwise
