// Measures how long the search for the layout of a tile takes. The question contains the accesses to the tile.
//
//     build/release/bench/advise_bench
//
// Each row is a question of `bankwise fix`, from the problem to the ranked answers. The goal is 50 ms. The last row is
// the trace of a kernel with 2,000 different accesses, for which no single layout is good. This search is as thorough
// as the search of `run --fix`, and takes 5 s.
#include <benchmark/benchmark.h>

#include <random>

#include "advise/advice.hpp"
#include "advise/tile_question.hpp"

namespace bankwise::advise {
namespace {

void search(benchmark::State& state, const char* array, std::vector<std::string> accesses) {
  flag_values flags;
  flags.values["array"] = {array};
  flags.values["block"] = {"256"};
  const auto tiles = read_tiles(flags, accesses);
  if (!tiles) return state.SkipWithError(tiles.error().message.c_str());
  for (auto _ : state) benchmark::DoNotOptimize(advise(tiles->front().what));
  const advice a = advise(tiles->front().what);
  state.counters["before"] = static_cast<double>(a.before.wavefronts);
  state.counters["after"] = static_cast<double>(a.answers.empty() ? a.before.wavefronts : a.answers.front().wavefronts);
}

BENCHMARK_CAPTURE(search, column, "float tile[32][32]", {"st tile[tid / 32][t]", "ld tile[t][tid / 32]"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, ldmatrix, "half A[64][64]",
                  {"cp.async.16 A[i * 32 + tid / 8][t % 8 * 8] for i < 2",
                   "ldmatrix.x4 A[16 * i + t % 16][16 * k + t / 16 * 8] for i < 4, k < 4"})
    ->Unit(benchmark::kMillisecond);
// No layout reaches the lower bound, so the search completes every family.
BENCHMARK_CAPTURE(search, wide_rows_narrow_columns, "float tile[64][64]",
                  {"st.b128 tile[tid / 16 + 16 * i][tid % 16 * 4] for i < 4",
                   "ld tile[t + 32 * (tid / 128)][tid / 32 + 8 * i] for i < 8"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, odd_pitch, "float tile[48][80]",
                  {"st.b64 tile[tid / 32][t * 2]", "ld.b128 tile[t][tid / 32 * 4]", "ld tile[t][tid / 32]"})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, bytes, "char tile[64][64]",
                  {"st.b32 tile[tid / 16][tid % 16 * 4]", "ld tile[t][tid / 32]",
                   "ld tile[t * 2][tid / 32] where t < 32"})
    ->Unit(benchmark::kMillisecond);

void trace(benchmark::State& state) {
  problem p;
  p.on = *parse_machine("sm_90");
  p.bytes = 16384;
  p.element_bytes = 4;
  p.groups = {{"store", *parse_operation("st")}, {"load", *parse_operation("ld")}};
  std::mt19937 engine(3);
  const auto below = [&](u32 n) { return static_cast<u32>(engine()) % n; };
  for (u32 n = 0; n < 2000; ++n) {
    const u32 a = below(128), b = below(128), c = below(4096);
    p.accesses.push_back(
        {make_access(n % 2 == 0 ? st(4) : ld(4), [&](u32 t) { return (a * (t / 8) + b * (t % 8) + c) % 4096 * 4; }),
         1 + below(100), n % 2});
  }
  for (auto _ : state) benchmark::DoNotOptimize(advise(p, {.accesses = 12'000'000, .words = 100'000'000}));
}
BENCHMARK(trace)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bankwise::advise
