// Executing a kernel on one core, in warp instructions per second.
//
//     build/release/bench/emulate_bench
//
// With every shared-memory access judged by the rule, as `bankwise run` does. The kernel is examples/gemm.cu.
#include <benchmark/benchmark.h>

#include "support/kernel_run.hpp"

namespace bankwise {
namespace {

test::kernel_launch gemm(unsigned threads) {
  return {.cubin = "examples/gemm.cubin",
          .kernel = "gemm",
          .grid = {8, 8, 1},
          .block = {16, 16, 1},
          .arguments = {"out:f32[512*512]", "f32[512*256]=iota", "f32[256*512]=iota", "i32=512", "i32=512", "i32=256"},
          .threads = threads};
}

void run_gemm(benchmark::State& state, const test::kernel_launch& launch) {
  std::uint64_t instructions = 0, accesses = 0;
  for (auto _ : state) {
    const auto run = test::run_kernel(launch);
    if (!run) return state.SkipWithError(to_text(run.error()).c_str());
    instructions += run->launch().sum.warp_instructions;
    accesses += run->launch().sum.executed;
  }
  state.counters["warp_instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["shared_accesses/s"] = benchmark::Counter(static_cast<double>(accesses), benchmark::Counter::kIsRate);
}

void OneCore(benchmark::State& state) { run_gemm(state, gemm(1)); }
BENCHMARK(OneCore)->Unit(benchmark::kMillisecond)->UseRealTime();
void AllCores(benchmark::State& state) { run_gemm(state, gemm(0)); }
BENCHMARK(AllCores)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace bankwise
