// The data that the host got from the device, as a digest of each copy. Two runs with equal results write equal
// digests.
//
//     cudaMemcpy(h, d, 4096, cudaMemcpyDeviceToHost)     "copy 4096 9f3c..."
//     memory that host and device share, at its end      "shared 65536 01ab..."
//
// If BANKWISE_HOST_COPIES names a file, a line for each copy is written to it when the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

struct state;
struct copy;

struct host_copies {
  std::string file;  // empty if no list was requested
  std::vector<std::string> lines;
  std::uint64_t more = 0;  // number of copies without their own line
};

// Records a copy. `from` is the host's address of the copied bytes.
void note_copy(state& s, const copy& c, const std::byte* from);
// Records memory that the host can read. Call this while the allocation still exists.
void note_shared_memory(state& s, const std::byte* at, std::size_t bytes);
// Call this at the end of the program. The list includes shared memory that is still allocated.
void write_host_copies(state& s);

}  // namespace bankwise::cuda
