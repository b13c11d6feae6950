// The data that the host got from the device, as a digest of each copy: two runs with equal results have equal copies.
//
//     cudaMemcpy(h, d, 4096, cudaMemcpyDeviceToHost)     "copy 4096 9f3c..."
//     memory that host and device share, at its end      "shared 65536 01ab..."
//
// Only if BANKWISE_HOST_COPIES names a file, which gets a line for each copy when the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

struct state;
struct copy;

struct host_copies {
  std::string file;  // empty if not requested
  std::vector<std::string> lines;
  std::uint64_t more = 0;  // copies without their own line
};

// `from`: the host's address of the copied bytes.
void note_copy(state& s, const copy& c, const std::byte* from);
// Call it for an allocation that the host can read, while it still exists.
void note_shared_memory(state& s, const std::byte* at, std::size_t bytes);
// Call it at the end of the program. Includes shared memory that is still allocated.
void write_host_copies(state& s);

}  // namespace bankwise::cuda
