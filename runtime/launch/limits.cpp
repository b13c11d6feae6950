#include "runtime/launch/limits.hpp"

#include <algorithm>

#include "runtime/device/device.hpp"

namespace bankwise::cuda {

using cubin::blocks_per_multiprocessor;

cubin::launch_limits limits_of(const function& f) {
  cubin::launch_limits most = cubin::limits_of(*f.kernel, the_device().sm);
  most.dynamic_shared_bytes = f.max_dynamic_shared_bytes;
  most.cluster_blocks = f.large_clusters ? cubin::most_cluster_blocks : cubin::portable_cluster_blocks;
  return most;
}

std::uint32_t most_threads(const function& f) {
  std::uint32_t threads = std::min(f.kernel->max_threads, cubin::most_threads_a_block);
  while (threads > 32 && blocks_per_multiprocessor(the_device().one, {threads, f.kernel->registers, 0}).blocks == 0)
    threads -= 32;
  return threads;
}

int blocks_that_fit(const function& f, int threads, std::size_t dynamic_shared_bytes) {
  const std::size_t shared = f.kernel->static_shared_bytes + dynamic_shared_bytes;
  if (threads <= 0 || static_cast<std::uint32_t>(threads) > f.kernel->max_threads ||
      shared > the_device().one.shared_a_block_optin)
    return 0;
  return static_cast<int>(
      blocks_per_multiprocessor(the_device().one, {static_cast<std::uint32_t>(threads), f.kernel->registers,
                                                   static_cast<std::uint32_t>(shared)})
          .blocks);
}

error shared_that_fits(const function& f, int blocks, int threads, std::size_t& bytes) {
  if (blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
  const cubin::multiprocessor& m = the_device().one;
  if (blocks_that_fit(f, threads, 0) < blocks) return cudaErrorInvalidValue;
  std::size_t most = m.shared_a_block_optin - f.kernel->static_shared_bytes;
  while (blocks_that_fit(f, threads, most) < blocks)
    most -= most % m.shared_unit != 0 ? most % m.shared_unit : m.shared_unit;
  bytes = most;
  return cudaSuccess;
}

error set_max_dynamic_shared(function& f, int bytes) {
  const std::uint32_t most = the_device().one.shared_a_block_optin;
  if (bytes < 0 || f.kernel->static_shared_bytes > most ||
      static_cast<std::uint32_t>(bytes) > most - f.kernel->static_shared_bytes)
    return cudaErrorInvalidValue;
  f.max_dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
  return cudaSuccess;
}

error set_carveout(function& f, int percent) {
  if (percent < -1 || percent > 100) return cudaErrorInvalidValue;
  f.carveout = percent;
  return cudaSuccess;
}

bool cluster_attribute(const function& f, int which, int& value) {
  const std::array<std::uint32_t, 3>& needed = f.kernel->cluster[0] != 0 ? f.kernel->cluster : f.cluster;
  switch (which) {
    case needs_cluster_attribute: value = f.kernel->cluster[0] != 0 ? 1 : 0; return true;
    case cluster_width_attribute: value = static_cast<int>(needed[0]); return true;
    case cluster_height_attribute: value = static_cast<int>(needed[1]); return true;
    case cluster_depth_attribute: value = static_cast<int>(needed[2]); return true;
    case large_clusters_attribute: value = f.large_clusters ? 1 : 0; return true;
    case cluster_policy_attribute: value = 0; return true;
    default: return false;
  }
}

error set_cluster_attribute(function& f, int which, int value) {
  switch (which) {
    case cluster_width_attribute:
    case cluster_height_attribute:
    case cluster_depth_attribute:
      if (value < 0 || f.kernel->cluster[0] != 0) return cudaErrorInvalidValue;
      f.cluster[static_cast<unsigned>(which - cluster_width_attribute)] = static_cast<std::uint32_t>(value);
      return cudaSuccess;
    case large_clusters_attribute: f.large_clusters = value != 0; return cudaSuccess;
    default: return cudaSuccess;
  }
}

namespace {

std::uint32_t product(const dim3& d) { return d.x * d.y * d.z; }

constexpr int most_clusters_on_one = 8;  // limit of the number of one-block clusters on a multiprocessor

// Returns how many clusters of `blocks` blocks can be resident at the same time. A cluster of more than two blocks must
// fit into one GPC of the device.
int clusters_of(const function& f, const launch_shape& shape, std::uint32_t blocks) {
  const int on_one = std::min(most_clusters_on_one,
                              blocks_that_fit(f, static_cast<int>(product(shape.block)), shape.dynamic_shared_bytes));
  if (blocks == 0) return 0;
  if (blocks <= 2) return static_cast<int>(the_device().gpu.multiprocessors) * on_one / static_cast<int>(blocks);
  int sum = 0;
  for (const std::uint32_t multiprocessors : device_parts())
    sum += static_cast<int>(multiprocessors * static_cast<unsigned>(on_one) / blocks);
  return sum;
}

}  // namespace

int clusters_that_fit(const function& f, const launch_shape& shape) {
  emulate::launch l;
  l.kernel = f.kernel;
  l.cluster = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
  if (l.cluster[0] == 0) l.cluster = f.cluster;
  const std::array<std::uint32_t, 3> c = emulate::cluster_of(l);
  return clusters_of(f, shape, c[0] * c[1] * c[2]);
}

int largest_cluster(const function& f, const launch_shape& shape) {
  std::uint32_t blocks = limits_of(f).cluster_blocks;
  while (blocks > 1 && clusters_of(f, shape, blocks) == 0) --blocks;
  return static_cast<int>(blocks);
}

std::size_t constant_bytes(const module& m) {
  for (const auto& [bank, bytes] : m.program->banks)
    if (bank == cubin::variable_bank) return bytes.size();
  return 0;
}

}  // namespace bankwise::cuda
