// Entry points of the driver: how many blocks and clusters are resident together.
#include "runtime/device/device.hpp"
#include "runtime/device/limits.hpp"
#include "runtime/driver/handles.hpp"
#include "runtime/driver/launch_config.hpp"

using namespace bankwise;
using namespace bankwise::cuda;

namespace {

using shared_of_block = std::size_t (*)(int threads);

// What a launch would be, for a question about clusters.
template <class Answer>
driver_status ask_clusters(int* to, const function* handle, const driver_launch_config* config, Answer answer) {
  return with_function(handle, [&](state&, const function& f) {
    launch_shape shape;
    const error e = read_config(config, shape);
    return e != cudaSuccess ? e : put(to, answer(f, shape));
  });
}

}  // namespace

CUDA_API driver_status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, function* handle, int threads,
                                                                            std::size_t shared, unsigned) {
  return with_function(handle, [&](state&, const function& f) {
    return threads > 0 ? put(blocks, blocks_that_fit(f, threads, shared)) : cudaErrorInvalidValue;
  });
}
CUDA_API driver_status cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, function* handle, int threads,
                                                                   std::size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, handle, threads, shared, 0);
}
CUDA_API driver_status cuOccupancyMaxActiveClusters(int* clusters, function* handle,
                                                    const driver_launch_config* config) {
  return ask_clusters(clusters, handle, config, clusters_that_fit);
}
CUDA_API driver_status cuOccupancyMaxPotentialClusterSize(int* blocks, function* handle,
                                                          const driver_launch_config* config) {
  return ask_clusters(blocks, handle, config, largest_cluster);
}
CUDA_API driver_status cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, function* handle,
                                                                 shared_of_block shared_of, std::size_t shared,
                                                                 int most_threads_of_block, unsigned) {
  return with_function(handle, [&](state&, const function& f) {
    if (grid == nullptr || block == nullptr) return cudaErrorInvalidValue;
    const auto [threads, blocks] =
        best_block(f, most_threads_of_block, [&](int n) { return shared_of != nullptr ? shared_of(n) : shared; });
    *block = threads;
    *grid = blocks * static_cast<int>(the_device().gpu.multiprocessors);
    return cudaSuccess;
  });
}
CUDA_API driver_status cuOccupancyMaxPotentialBlockSize(int* grid, int* block, function* handle,
                                                        shared_of_block shared_of, std::size_t shared,
                                                        int most_threads_of_block) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, handle, shared_of, shared, most_threads_of_block, 0);
}
CUDA_API driver_status cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, function* handle, int blocks,
                                                               int threads) {
  return with_function(handle, [&](state&, const function& f) {
    return bytes != nullptr ? shared_that_fits(f, blocks, threads, *bytes) : cudaErrorInvalidValue;
  });
}
