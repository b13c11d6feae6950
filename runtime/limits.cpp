#include "limits.hpp"

#include <algorithm>

#include "device.hpp"

namespace bankwise::cuda {

using cubin::blocks_per_multiprocessor;

std::uint32_t most_threads(const function& f) {
  std::uint32_t threads = std::min(f.kernel->max_threads, cubin::most_threads_a_block);
  while (threads > 32 &&
         blocks_per_multiprocessor(device_multiprocessor(), {threads, f.kernel->registers, 0}).blocks == 0)
    threads -= 32;
  return threads;
}

int blocks_that_fit(const function& f, int threads, std::size_t dynamic_shared_bytes) {
  const std::size_t shared = f.kernel->static_shared_bytes + dynamic_shared_bytes;
  if (threads <= 0 || static_cast<std::uint32_t>(threads) > f.kernel->max_threads ||
      shared > device_multiprocessor().shared_a_block_optin)
    return 0;
  return static_cast<int>(
      blocks_per_multiprocessor(device_multiprocessor(), {static_cast<std::uint32_t>(threads), f.kernel->registers,
                                                          static_cast<std::uint32_t>(shared)})
          .blocks);
}

error shared_that_fits(const function& f, int blocks, int threads, std::size_t& bytes) {
  if (blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
  const cubin::multiprocessor& m = device_multiprocessor();
  if (blocks_that_fit(f, threads, 0) < blocks) return cudaErrorInvalidValue;
  std::size_t most = m.shared_a_block_optin - f.kernel->static_shared_bytes;
  while (blocks_that_fit(f, threads, most) < blocks)
    most -= most % m.shared_unit != 0 ? most % m.shared_unit : m.shared_unit;
  bytes = most;
  return cudaSuccess;
}

error set_max_dynamic_shared(function& f, int bytes) {
  const std::uint32_t most = device_multiprocessor().shared_a_block_optin;
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

std::size_t constant_bytes(const module& m) {
  for (const auto& [bank, bytes] : m.program->banks)
    if (bank == cubin::variable_bank) return bytes.size();
  return 0;
}

}  // namespace bankwise::cuda
