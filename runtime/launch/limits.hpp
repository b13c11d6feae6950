// The limits for the launches of a kernel, and the number of its blocks that fit on a multiprocessor.
#pragma once

#include "cubin/launch_limits.hpp"
#include "runtime/launch/launch.hpp"
#include "runtime/launch/module.hpp"

namespace bankwise::cuda {

cubin::launch_limits limits_of(const function& f);
std::uint32_t most_threads(const function& f);  // largest number of threads in a block
// Number of blocks with `threads` threads that fit on a multiprocessor at the same time.
int blocks_that_fit(const function& f, int threads, std::size_t dynamic_shared_bytes);
// Sets `bytes` to the dynamic shared memory that each block can have if `blocks` blocks are to fit on a multiprocessor.
error shared_that_fits(const function& f, int blocks, int threads, std::size_t& bytes);
// Returns the block size that gives the most resident threads on a multiprocessor, and the number of resident blocks.
// If several sizes give the same number of threads, returns the largest of these sizes. `dynamic_shared(threads)`
// returns the bytes of dynamic shared memory that a block of this size needs.
template <class Shared>
std::pair<int, int> best_block(const function& f, int most, Shared dynamic_shared) {
  std::pair<int, int> best{0, 0};
  const int limit = static_cast<int>(most_threads(f));
  for (int threads = most <= 0 || most > limit ? limit : most; threads > 0; threads = (threads - 1) / 32 * 32) {
    const int blocks = blocks_that_fit(f, threads, dynamic_shared(threads));
    if (blocks * threads > best.first * best.second) best = {threads, blocks};
  }
  return best;
}

error set_max_dynamic_shared(function& f, int bytes);
error set_carveout(function& f, int percent);
// Sets `value` to the cluster attribute with the number `which`. The runtime and the driver use the same numbers.
// Returns false if `which` is not a cluster attribute.
bool cluster_attribute(const function& f, int which, int& value);
error set_cluster_attribute(function& f, int which, int value);

// Number of clusters of this launch that are resident on the device at the same time.
int clusters_that_fit(const function& f, const launch_shape& shape);
// Number of blocks in the largest cluster that fits on the device. The cluster size in `shape` is ignored.
int largest_cluster(const function& f, const launch_shape& shape);
std::size_t constant_bytes(const module& m);  // total size of the module's __constant__ variables

}  // namespace bankwise::cuda
