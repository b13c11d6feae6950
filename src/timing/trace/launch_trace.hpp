// The instructions and memory accesses of a few blocks, in the order of execution. This is the only input of a
// prediction of time.
//
// A warp executes runs of consecutive instructions of the code. The accesses to memory are a list in the order of
// execution. Each access contains the index of its instruction.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timing/trace/touched_memory.hpp"

namespace bankwise::timing {

enum class memory_space : std::uint8_t {
  shared,
  global,
  local,
  asynchronous,  // access to shared memory by an mbarrier's instruction
  host,          // memory of the host, which the GPU accesses over PCIe
  bulk,          // global memory that a bulk copy or a tensor copy accesses
  mbarrier,      // a store is an arrival at an mbarrier, and a load is a test that found the phase complete
  sleep,         // no access, but a NANOSLEEP; `lines` has its nanoseconds
};
enum class memory_action : std::uint8_t {
  load,
  store,
  update,
  copy,
  prefetch,  // brings lines into L2; no instruction waits for it
};

// Sectors of a line of 128 bytes: the number of the line times 16, plus a bit for each sector.
using line_sectors = std::uint64_t;
inline constexpr std::uint64_t line_number(line_sectors l) { return l >> 4; }
inline constexpr unsigned sectors_of(line_sectors l) { return static_cast<unsigned>(l & 15); }

struct traced_access {
  std::uint32_t code = 0;  // index of the instruction in launch_trace::code
  memory_space space = memory_space::shared;
  memory_action does = memory_action::load;
  std::uint16_t wavefronts = 0;  // wavefronts in the data stage of shared memory and L1
  std::uint8_t bytes = 4;        // bytes for each lane; 0 if fewer_sectors has removed the access
  // For an update: number of lanes that update the most wanted word. For a store of bytes or halves: 0 if the store
  // fills whole words.
  std::uint8_t same_word = 1;
  std::uint16_t lines = 0;       // number of lines, from `first_line` in launch_trace::lines
  std::uint32_t first_line = 0;  // for an update, `wanted` follows these lines
};

struct traced_run {
  std::uint32_t code = 0, count = 0;
  std::uint32_t first_access = 0;
  std::uint16_t accesses = 0;
  std::uint16_t lanes = 32;
};

struct traced_warp {
  std::vector<traced_run> runs;
  std::uint64_t instructions = 0;
};

struct traced_block {
  std::uint64_t linear = 0;
  bool is_cut = false;  // whether the trace ends before the end of the block
  std::uint64_t instructions = 0;
  std::vector<traced_warp> warps;
};

// The first access of a block to a line. Such accesses are recorded for blocks that run at the same time as the traced
// blocks.
struct touched_line {
  line_sectors what = 0;
  std::uint32_t block = 0;  // index in launch_trace::touching
  std::uint32_t at = 0;     // instructions that the block executed before this access
  bool stores = false;
  std::array<std::uint8_t, 7> filled{};  // replaces padding, because a trace is written byte by byte
};

struct traced_code {
  std::uint64_t pc = 0;
  std::uint64_t low = 0, high = 0;  // the 128 bits of the instruction
};

// The instructions of the kernel, or of a function that the kernel calls.
struct traced_section {
  std::string function;                // name of the function; empty for the kernel
  std::uint64_t offset = 0;            // offset of the kernel's first instruction in the code of the section
  std::uint32_t first = 0, count = 0;  // range of the section in launch_trace::code
};

// The smallest groups of warps, each twice as large as the one before, in which two warps are together.
constexpr std::uint32_t most_warps_of_block = 32;
constexpr std::uint32_t group_with(std::uint32_t group, std::uint32_t a, std::uint32_t b) {
  while (group < most_warps_of_block && a / group != b / group) group *= 2;
  return group;
}

struct launch_trace {
  std::string kernel;
  std::uint32_t sm = 90;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t cluster_blocks = 1;
  // registers of a thread, and shared bytes of a block (static and dynamic)
  std::uint32_t registers = 0, shared_bytes = 0;
  std::uint32_t blocks_per_multiprocessor = 1;
  std::uint32_t multiprocessors = 132;
  bool in_order = false;           // whether the traced blocks are the first blocks of the grid
  std::uint64_t instructions = 0;  // instructions of the whole launch; 0 if unknown
  // Only warps of one group of so many warps exchange values in shared memory. 1: none does. All of them do if the block
  // used an mbarrier or a bulk copy. Files do not tell, so it is most_warps_of_block for a trace from a file.
  std::uint32_t sharing_warps = most_warps_of_block;
  bool lanes_share = true;  // whether threads exchange values in shared memory
  // If a block waited for a time: the clocks from the begin of its multiprocessor's blocks to their end. Not in files.
  double least_cycles = 0;
  std::vector<traced_code> code;
  std::vector<traced_section> sections;  // sections of `code`
  std::vector<traced_access> accesses;
  std::vector<line_sectors> lines;
  std::vector<traced_block> blocks;     // blocks of one multiprocessor, in the order of their start
  std::vector<std::uint64_t> touching;  // linear indices of the blocks whose lines are in `touched`
  std::vector<std::uint64_t> executed;  // recorded instructions of each of these blocks; empty if unknown
  std::vector<touched_line> touched;
  std::optional<touched_memory> memory;  // not in files

  // In `lines`, one more element follows the lines of a load of the space `bulk`: the shared address of the mbarrier that
  // counts the bytes, or no_mbarrier. An access of the space `mbarrier` has one element instead of lines. Its lower 32
  // bits are the shared address of the mbarrier. For a test, the upper 32 bits are the number of arrivals and copies that
  // the mbarrier has seen before.
  static constexpr std::uint64_t no_mbarrier = ~std::uint64_t{0};
  // In `lines`, one more element follows the lines of an update. wanted() returns this element. Its lower address_bits
  // bits are the address of the word that most lanes want. Its upper bits are the number of requests that the update
  // sends to L2.
  static constexpr unsigned address_bits = 57;
  static constexpr std::uint64_t wanted(std::uint64_t address, unsigned requests) {
    return (address & ((std::uint64_t{1} << address_bits) - 1)) | std::uint64_t{requests} << address_bits;
  }
  // Returns the address of the word that most lanes of an update access. Returns 0 if the trace does not contain this
  // address.
  std::uint64_t word_of(const traced_access& a) const {
    return after_lines(a) & ((std::uint64_t{1} << address_bits) - 1);
  }
  // Returns the number of requests of an update. Returns 0 if the trace does not contain this number.
  unsigned requests_of(const traced_access& a) const { return static_cast<unsigned>(after_lines(a) >> address_bits); }
  std::uint64_t after_lines(const traced_access& a) const {
    const std::size_t at = std::size_t{a.first_line} + a.lines;
    return at < lines.size() ? lines[at] : 0;
  }
  // Returns the index of the traced block with the most instructions. At least one block must be traced.
  std::size_t longest_block() const {
    const auto longest = std::max_element(blocks.begin(), blocks.end(),
                                          [](const auto& a, const auto& b) { return a.instructions < b.instructions; });
    return static_cast<std::size_t>(longest - blocks.begin());
  }
  // Whether warps copy data to shared memory and continue meanwhile.
  bool copies_ahead() const {
    return std::any_of(accesses.begin(), accesses.end(), [](const traced_access& a) {
      return a.does == memory_action::copy || (a.space == memory_space::bulk && a.does == memory_action::load);
    });
  }
  std::uint64_t grid_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  // Returns the index in `code` of the instruction at `pc` in `function`. For the kernel itself, `function` is empty.
  std::optional<std::uint32_t> code_at(std::string_view function, std::uint64_t pc) const {
    for (const traced_section& s : sections)
      if (s.function == function && (pc + s.offset) / 16 < s.count)
        return s.first + static_cast<std::uint32_t>((pc + s.offset) / 16);
    return std::nullopt;
  }
};

}  // namespace bankwise::timing
