// Measures the time of `bankwise explain` from its start to the last byte of its output.
//
//     build/release/bench/start_bench
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

namespace {

void Explain(benchmark::State& state) {
  char program[] = BANKWISE_TOOL, verb[] = "explain", array[] = "--array", declaration[] = "float tile[32][32]",
       expression[] = "tile[t][0]";
  char* argv[] = {program, verb, array, declaration, expression, nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
  for (auto _ : state) {
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, program, &quiet, nullptr, argv, environ) != 0 || waitpid(child, &status, 0) != child ||
        status != 0)
      return state.SkipWithError("bankwise explain did not run");
  }
  posix_spawn_file_actions_destroy(&quiet);
}
BENCHMARK(Explain)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
