// The instructions and accesses of a few blocks' warps, in order: the only input of a prediction of time.
//
// A warp's instructions are runs of consecutive instructions in the code. Accesses to memory are listed in the order of
// execution, each with the instruction that made it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankwise::timing {

enum class memory_space : std::uint8_t {
  shared,
  global,
  local,
  asynchronous,  // what shared memory sees of a copy, a barrier or a product
  host,          // memory of the host that the kernel accesses over PCIe
};
enum class memory_action : std::uint8_t { load, store, update, copy };

// Sectors of a line of 128 bytes: the line's number times 16, and a bit for each of its sectors.
using line_sectors = std::uint64_t;
inline constexpr std::uint64_t line_number(line_sectors l) { return l >> 4; }
inline constexpr unsigned sectors_of(line_sectors l) { return static_cast<unsigned>(l & 15); }

struct traced_access {
  std::uint32_t code = 0;  // the instruction, in launch_trace::code
  memory_space space = memory_space::shared;
  memory_action does = memory_action::load;
  std::uint16_t wavefronts = 0;  // of the data stage, which shared memory and L1 share
  std::uint8_t bytes = 4;        // for each lane
  std::uint8_t same_word = 1;    // for an update: the number of lanes at the most wanted word
  std::uint16_t lines = 0;       // from `first_line` in launch_trace::lines
  std::uint32_t first_line = 0;  // after them, for an update, is the address of that word
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
  bool is_cut = false;  // the block executed more than the trace contains
  std::uint64_t instructions = 0;
  std::vector<traced_warp> warps;
};

// The first access of a block of the same wave to a line.
struct touched_line {
  line_sectors what = 0;
  std::uint32_t block = 0;  // in launch_trace::touching
  std::uint32_t at = 0;     // instructions of the block before this access
  bool stores = false;
  std::array<std::uint8_t, 7> filled{};  // instead of padding, because a trace is written byte by byte
};

struct traced_code {
  std::uint64_t pc = 0;
  std::uint64_t low = 0, high = 0;  // the instruction
};

// The instructions of the kernel, or of a function that it calls.
struct traced_section {
  std::string function;                // empty: the kernel
  std::uint64_t offset = 0;            // of the kernel's first instruction within the section's code
  std::uint32_t first = 0, count = 0;  // in launch_trace::code
};

struct launch_trace {
  std::string kernel;
  std::uint32_t sm = 90;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t cluster_blocks = 1;
  std::uint32_t registers = 0, shared_bytes = 0;  // of a thread; of a block, static and dynamic
  std::uint32_t blocks_per_multiprocessor = 1;
  std::uint32_t multiprocessors = 132;
  bool in_order = false;           // the traced blocks are the first of the grid, not those of one multiprocessor
  std::uint64_t instructions = 0;  // for the whole launch; 0 if not known
  std::vector<traced_code> code;
  std::vector<traced_section> sections;  // of the code
  std::vector<traced_access> accesses;
  std::vector<line_sectors> lines;
  std::vector<traced_block> blocks;     // of one multiprocessor, in the order in which they begin
  std::vector<std::uint64_t> touching;  // linear numbers of blocks whose lines are in `touched`
  std::vector<touched_line> touched;

  // The word that most lanes of an update want; 0 in traces that do not have it.
  std::uint64_t word_of(const traced_access& a) const {
    const std::size_t at = std::size_t{a.first_line} + a.lines;
    return at < lines.size() ? lines[at] : 0;
  }
  std::uint64_t grid_blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  // The instruction of a function (empty: the kernel) at its pc, in `code`.
  std::optional<std::uint32_t> code_at(std::string_view function, std::uint64_t pc) const {
    for (const traced_section& s : sections)
      if (s.function == function && (pc + s.offset) / 16 < s.count)
        return s.first + static_cast<std::uint32_t>((pc + s.offset) / 16);
    return std::nullopt;
  }
};

}  // namespace bankwise::timing
