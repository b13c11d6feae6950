#include "emulate/launch/launch_check.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "cubin/launch_limits.hpp"
#include "emulate/launch/launch_constants.hpp"

namespace bankwise::emulate {

namespace {

using cubin::launch_limit;

constexpr std::uint32_t most_local_bytes = 512u << 10;  // largest local memory of one thread, in bytes

bool is_of_clusters(launch_limit l) {
  return l == launch_limit::no_clusters || l == launch_limit::kernel_cluster || l == launch_limit::cluster ||
         l == launch_limit::cluster_grid;
}

cubin::launch_limits limits_of(const launch& l) {
  cubin::launch_limits most = cubin::limits_of(*l.kernel, l.program->sm);
  most.cluster_blocks = l.large_clusters ? most_cluster_blocks : portable_cluster_blocks;
  return most;
}

cubin::launch_request request_of(const launch& l) {
  return {l.grid, l.block, l.cluster, l.dynamic_shared_bytes, l.cooperative};
}

}  // namespace

diagnostic describe_beyond(launch_limit beyond, const launch& l, const cubin::launch_limits& most) {
  const cubin::kernel& k = *l.kernel;
  const std::string arch = formatted("sm_{}", l.program->sm), block = formatted("a block of {}", triple(l.block)),
                    threads = std::to_string(cubin::threads_of(request_of(l))),
                    clusters = formatted("clusters of {}", triple(cluster_of(l)));
  switch (beyond) {
    case launch_limit::grid:
      return {formatted("a grid of {} is not possible", triple(l.grid)),
              {},
              formatted("X of {} must be 1 to 2147483647, and Y and Z must be 1 to 65535", worded(setting::grid))};
    case launch_limit::block:
      return {formatted("{} is not possible", block),
              {},
              formatted("X and Y of {} must be 1 to 1024, and Z must be 1 to 64", worded(setting::block))};
    case launch_limit::threads:
      return {formatted("{} has {} threads, but at most {} threads are possible", block, threads, most.threads)};
    case launch_limit::kernel_threads:
      return {formatted("{} has {} threads, but the kernel was compiled for at most {} threads", block, threads,
                        most.kernel_threads),
              {},
              "__launch_bounds__ in the source sets the limit"};
    case launch_limit::dynamic_shared:
    case launch_limit::shared:
      return {formatted(
          "a block needs {} bytes of shared memory ({} static, {} dynamic), more than the limit of {} bytes for {}",
          grouped(std::uint64_t{k.static_shared_bytes} + l.dynamic_shared_bytes), grouped(k.static_shared_bytes),
          grouped(l.dynamic_shared_bytes), grouped(most.on->one.shared_a_block_optin), arch)};
    case launch_limit::registers:
      return {formatted("{} has {} threads with {} registers each, which are too many for a multiprocessor of {}",
                        block, threads, k.registers, arch),
              {},
              formatted("__launch_bounds__({}) in the source reduces the registers of each thread", threads)};
    case launch_limit::no_clusters:
      return {formatted("{} blocks are not possible, because {} has no clusters", clusters, arch),
              {},
              "compile with -arch=sm_90"};
    case launch_limit::kernel_cluster:
      return {formatted("{} blocks do not match the kernel, which was compiled for clusters of {} "
                        "blocks",
                        clusters, triple(k.cluster)),
              {},
              "__cluster_dims__ in the source sets the size of clusters"};
    case launch_limit::cluster:
      return {
          formatted("{} blocks are too large, because a cluster has at most {} blocks", clusters, most.cluster_blocks),
          {},
          l.large_clusters ? std::string{}
                           : formatted("cudaFuncAttributeNonPortableClusterSizeAllowed allows up to {} blocks",
                                       most_cluster_blocks)};
    case launch_limit::cluster_grid:
      return {formatted("a grid of {} blocks cannot be divided into {}", triple(l.grid), clusters),
              {},
              "each side of the grid must be a multiple of the same side of the cluster"};
    case launch_limit::cooperative:
      return {formatted("the launch is cooperative and has {} blocks, but only {} blocks can be resident at the same "
                        "time",
                        grouped(blocks_of(l)), grouped(resident_blocks(l))),
              {},
              formatted("launch at most as many blocks as cudaOccupancyMaxActiveBlocksPerMultiprocessor returns, "
                        "multiplied by {} multiprocessors",
                        cubin::multiprocessors_of(l.program->sm))};
    case launch_limit::none: break;
  }
  return {};
}

bool can_execute(std::uint32_t sm) { return cubin::is_executed(sm); }
std::string executable_list() { return std::string(cubin::executed_list()); }

std::array<std::uint32_t, 3> cluster_of(const launch& l) {
  if (l.cluster[0] != 0) return l.cluster;
  return l.kernel->cluster[0] != 0 ? l.kernel->cluster : std::array<std::uint32_t, 3>{1, 1, 1};
}

std::uint64_t resident_blocks(const launch& l) { return cubin::resident_blocks(request_of(l), limits_of(l)); }

result<done> check(const launch& l, fault_kind& kind) {
  const cubin::kernel& k = *l.kernel;
  const auto wrong = [&](diagnostic why) {
    why.message = formatted("kernel {}: {}", k.name, why.message);
    return why;
  };
  const std::string arch = formatted("sm_{}", l.program->sm);
  kind = fault_kind::invalid_launch;
  if (!can_execute(l.program->sm))
    return wrong({formatted("the code is for {}, but bankwise executes only code for {}", arch, executable_list()),
                  {},
                  "compile with -arch=sm_90"});
  const cubin::launch_limits most = limits_of(l);
  const launch_limit beyond = cubin::first_beyond(request_of(l), most);
  if (is_of_clusters(beyond)) kind = fault_kind::invalid_cluster;
  if (beyond != launch_limit::none && beyond != launch_limit::cooperative) return wrong(describe_beyond(beyond, l, most));
  if (l.warps != warp_shape{} && !covers(l.warps, static_cast<std::uint32_t>(cubin::threads_of(request_of(l)))))
    return wrong(
        {formatted("a block of {} cannot be divided into warps that take {} threads from each row of {} threads",
                   triple(l.block), l.warps.along, l.warps.row)});
  std::uint64_t parameter_bytes = 0;
  for (const cubin::parameter& p : k.params)
    parameter_bytes = std::max<std::uint64_t>(parameter_bytes, std::uint64_t{p.offset} + p.bytes);
  if (l.parameters.size() != parameter_bytes)
    return wrong({formatted("the kernel has {} bytes of parameters, but the launch passes {} bytes", parameter_bytes,
                            l.parameters.size())});
  if (k.frame_bytes > most_local_bytes || k.stack_bytes > most_local_bytes || l.stack_bytes > most_local_bytes)
    return wrong({formatted("a thread needs more than {} bytes of local memory", grouped(most_local_bytes))});
  if (l.cooperative && !has_grid_workspace(l.program->sm))
    return wrong({formatted("a cooperative launch of code for {} is not supported", arch),
                  {},
                  "compile the kernel with -arch=sm_90"});
  if (beyond == launch_limit::cooperative) {
    kind = fault_kind::cooperative_too_large;
    return wrong(describe_beyond(beyond, l, most));
  }
  return done{};
}

}  // namespace bankwise::emulate
