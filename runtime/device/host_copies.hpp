// A list with a digest of the data of each copy from the device to the host. Two runs with equal results write equal
// lists.
//
//     cudaMemcpy(h, d, 4096, cudaMemcpyDeviceToHost)     "copy 4096 9f3c..."
//     shared host/device memory, when it is released     "shared 65536 01ab..."
//
// If BANKWISE_HOST_COPIES names a file, the list is written to this file when the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bankwise::cuda {

struct state;
struct copy;

struct host_copies {
  std::string file;  // name of the list's file; empty if no list was requested
  std::vector<std::string> lines;
  std::uint64_t more = 0;  // number of copies after the list became full
};

// Records a copy. `from` is the address of the copied bytes on the host.
void note_copy(state& s, const copy& c, const std::byte* from);
// Records memory that the host can read. Call this before the memory is released.
void note_shared_memory(state& s, const std::byte* at, std::size_t bytes);
// Writes the list, including shared memory that is still allocated. Call this at the end of the program.
void write_host_copies(state& s);

}  // namespace bankwise::cuda
