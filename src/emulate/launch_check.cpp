#include "emulate/launch_check.hpp"

#include <algorithm>

#include "bankwise/ability.hpp"
#include "base/text.hpp"
#include "cubin/occupancy.hpp"

namespace bankwise::emulate {

namespace {

// Those that nvcc 13 makes code for and that have a rule (bankwise/arch.hpp).
constexpr std::uint32_t executable[] = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

}  // namespace

bool can_execute(std::uint32_t sm) {
  return std::find(std::begin(executable), std::end(executable), sm) != std::end(executable);
}

std::string executable_list() {
  std::string s;
  for (const std::uint32_t sm : executable) s += (s.empty() ? "sm_" : ", sm_") + std::to_string(sm);
  return s;
}

result<done> check(const launch& l) {
  const cubin::kernel& k = *l.kernel;
  const auto wrong = [&](std::string message, std::string hint = {}) {
    return diagnostic{"kernel " + k.name + ": " + std::move(message), {}, std::move(hint)};
  };
  if (!can_execute(l.program->sm))
    return wrong("the code is for sm_" + std::to_string(l.program->sm) + "; bankwise executes " + executable_list(),
                 "compile with -arch=sm_90");
  static constexpr std::uint32_t most_grid[] = {0x7fffffff, 65535, 65535}, most_block[] = {1024, 1024, 64};
  for (unsigned i = 0; i < 3; ++i) {
    if (l.grid[i] == 0 || l.grid[i] > most_grid[i])
      return wrong("a grid of " + triple(l.grid) + " is not possible",
                   "each of --grid X,Y,Z is at least 1; at most 2147483647, 65535, 65535");
    if (l.block[i] == 0 || l.block[i] > most_block[i])
      return wrong("a block of " + triple(l.block) + " is not possible",
                   "each of --block X,Y,Z is at least 1; at most 1024, 1024, 64");
  }
  const std::uint64_t threads = std::uint64_t{l.block[0]} * l.block[1] * l.block[2];
  if (threads > 1024)
    return wrong("a block of " + triple(l.block) + " has " + std::to_string(threads) +
                 " threads; at most 1024 are possible");
  if (threads > k.max_threads)
    return wrong("a block of " + triple(l.block) + " has " + std::to_string(threads) +
                     " threads, but the kernel was compiled for at most " + std::to_string(k.max_threads),
                 "__launch_bounds__ in the source says so");
  const std::uint64_t shared = std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes;
  const std::string arch = "sm_" + std::to_string(l.program->sm);
  const cubin::multiprocessor* on = cubin::find_multiprocessor(arch);
  if (on != nullptr && shared > on->shared_a_block_optin)
    return wrong(grouped(shared) + " bytes of shared memory for a block (" + grouped(k.static_shared_bytes) +
                 " static, " + grouped(l.dynamic_shared_bytes) + " dynamic) are more than the " +
                 grouped(on->shared_a_block_optin) + " of " + arch);
  std::uint64_t parameter_bytes = 0;
  for (const cubin::parameter& p : k.params)
    parameter_bytes = std::max<std::uint64_t>(parameter_bytes, std::uint64_t{p.offset} + p.bytes);
  if (l.parameters.size() != parameter_bytes)
    return wrong("its parameters are " + std::to_string(parameter_bytes) + " bytes, not " +
                 std::to_string(l.parameters.size()));
  if (k.frame_bytes > most_local_bytes || k.stack_bytes > most_local_bytes || l.stack_bytes > most_local_bytes)
    return wrong("it asks for more than " + grouped(most_local_bytes) + " bytes of local memory for a thread");
  return done{};
}

std::array<std::uint32_t, 3> cluster_of(const launch& l) {
  if (l.cluster[0] != 0) return l.cluster;
  return l.kernel->cluster[0] != 0 ? l.kernel->cluster : std::array<std::uint32_t, 3>{1, 1, 1};
}

result<done> check_cluster(const launch& l) {
  const cubin::kernel& k = *l.kernel;
  const std::array<std::uint32_t, 3> c = cluster_of(l);
  const auto wrong = [&](std::string message, std::string hint = {}) {
    return diagnostic{"kernel " + k.name + ": " + std::move(message), {}, std::move(hint)};
  };
  if (has_clusters(l) && !can(l.program->sm, ability::cluster))
    return wrong("clusters of " + triple(c) + " blocks: sm_" + std::to_string(l.program->sm) + " has no clusters",
                 "compile with -arch=sm_90");
  if (l.cluster[0] != 0 && k.cluster[0] != 0 && l.cluster != k.cluster)
    return wrong(
        "clusters of " + triple(c) + " blocks, but the kernel was compiled for clusters of " + triple(k.cluster),
        "__cluster_dims__ in the source says so");
  const std::uint64_t blocks = std::uint64_t{c[0]} * c[1] * c[2];
  const std::uint32_t most = l.large_clusters ? most_cluster_blocks : portable_cluster_blocks;
  if (c[1] == 0 || c[2] == 0 || c[0] > most || c[1] > most || c[2] > most || blocks > most)
    return wrong("clusters of " + triple(c) + " blocks; at most " + std::to_string(most) + " are possible",
                 l.large_clusters ? std::string{}
                                  : "cudaFuncAttributeNonPortableClusterSizeAllowed makes that " +
                                        std::to_string(most_cluster_blocks));
  for (unsigned i = 0; i < 3; ++i)
    if (l.grid[i] % c[i] != 0)
      return wrong("a grid of " + triple(l.grid) + " blocks is not made of clusters of " + triple(c),
                   "each side of the grid must be a multiple of the cluster's");
  return done{};
}

}  // namespace bankwise::emulate
