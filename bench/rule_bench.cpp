// Measures how many accesses per second one core can evaluate. The accesses have any width and any mask. `judge` uses
// the best vector instructions of the CPU, `avx2` uses AVX2, and `plain` calls analyze().
//
//     build/release/bench/rule_bench
//
// Each row loops over 4096 different accesses of one family: random addresses, random masks, strides and broadcasts, as
// in the measured tables. items_per_second is the number of accesses per second.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "rule/fast_rule.hpp"

namespace bankwise {
namespace {

std::vector<access> accesses(operation op, bool random_masks) {
  std::mt19937 engine(7);
  const auto r = [&] { return static_cast<u32>(engine()); };
  std::vector<access> list;
  for (int i = 0; i < 4096; ++i) {
    access a{op, random_masks ? r() : full_mask, {}};
    const u32 span = 1u << (r() % 12), stride = r() % 65, shape = r() % 3;
    for (u32 lane = 0; lane < 32; ++lane)
      a.address[lane] = (shape == 0 ? r() % span : shape == 1 ? lane * stride : lane / 2 * stride) * op.width_bytes;
    list.push_back(a);
  }
  return list;
}

template <class Count>
void count(benchmark::State& state, operation op, bool random_masks, const Count& cost_of) {
  const std::vector<access> list = accesses(op, random_masks);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(cost_of(list[i]));
    i = (i + 1) % list.size();
  }
  state.SetItemsProcessed(state.iterations());
}
void judge(benchmark::State& state, operation op, bool random_masks, bank_model m) {
  count(state, op, random_masks, fast_rule(m));
}
void avx2(benchmark::State& state, operation op, bool random_masks, bank_model m) {
  if (best_rule_vectors() < rule_vectors::avx2) return state.SkipWithError("this CPU has no AVX2");
  count(state, op, random_masks, fast_rule(m, rule_vectors::avx2));
}
void plain(benchmark::State& state, operation op, bool random_masks, bank_model m) {
  count(state, op, random_masks, [&](const access& a) { return analyze(a, m); });
}

BENCHMARK_CAPTURE(judge, ld_b8, ld(1), false, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b32, bankwise::ld(4), false, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b32_masked, ld(4), true, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b64, ld(8), false, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b64_masked, ld(8), true, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b128, ld(16), false, maxwell_model());
BENCHMARK_CAPTURE(judge, ld_b128_masked, ld(16), true, maxwell_model());
BENCHMARK_CAPTURE(judge, st_b32, bankwise::st(4), false, maxwell_model());
BENCHMARK_CAPTURE(judge, st_b128, bankwise::st(16), false, maxwell_model());
BENCHMARK_CAPTURE(judge, ldmatrix_x4, ldmatrix(4), false, maxwell_model());
BENCHMARK_CAPTURE(judge, atom_b32, atom(4), false, maxwell_model());
BENCHMARK_CAPTURE(judge, cas_b64_masked, cas(8), true, maxwell_model());
BENCHMARK_CAPTURE(judge, cp_async_16, cp_async(16), false, maxwell_model());
BENCHMARK_CAPTURE(judge, kepler_ld_b64, ld(8), false, kepler_model(8));
BENCHMARK_CAPTURE(avx2, ld_b32, bankwise::ld(4), false, maxwell_model());
BENCHMARK_CAPTURE(avx2, ld_b64_masked, ld(8), true, maxwell_model());
BENCHMARK_CAPTURE(avx2, ld_b128_masked, ld(16), true, maxwell_model());
BENCHMARK_CAPTURE(avx2, atom_b32, atom(4), false, maxwell_model());
BENCHMARK_CAPTURE(plain, ld_b32, bankwise::ld(4), false, maxwell_model());
BENCHMARK_CAPTURE(plain, ld_b128_masked, ld(16), true, maxwell_model());
BENCHMARK_CAPTURE(plain, atom_b32, atom(4), false, maxwell_model());
BENCHMARK_CAPTURE(plain, kepler_ld_b64, ld(8), false, kepler_model(8));

void conflicted_column(benchmark::State& state) {
  const access a = make_access(ld(4), [](u32 t) { return t * 128; });
  const fast_rule cost_of(maxwell_model());
  const access* at = &a;
  for (auto _ : state) {
    benchmark::DoNotOptimize(at);
    benchmark::DoNotOptimize(cost_of(*at));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(conflicted_column);

}  // namespace
}  // namespace bankwise
