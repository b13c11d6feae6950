// Reads our traces for Accel-Sim by the rules of its parser (gpu-simulator/trace-parser/trace_parser.cc in its
// repository).
#include "timing/trace/accel_sim_trace.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "emulate/listener.hpp"
#include "support/files.hpp"

namespace bankwise::timing {
namespace {

// --- a reader that follows the simulator's rules; if an assertion of the simulator would fail, the reader returns an
// error

struct read_instruction {
  unsigned pc = 0, mask = 0;
  std::string opcode;
  std::vector<int> destinations, sources;
  unsigned width = 0;
  std::array<std::uint64_t, 32> address{};
  long long immediate = 0;
};
struct read_block {
  std::array<unsigned, 3> index{};
  std::vector<std::vector<read_instruction>> warps;
};
struct read_trace {
  std::map<std::string, std::string> head;
  std::vector<read_block> blocks;
  std::string wrong;
};

constexpr unsigned most_destinations = 1, most_sources = 4;

std::string parse_line(const std::string& line, read_instruction& i) {
  std::stringstream ss(line);
  unsigned n = 0, mode = 0;
  std::string word;
  ss >> std::hex >> i.pc >> i.mask >> std::dec >> n;
  if (!ss || n > most_destinations) return "destinations: " + line;
  for (unsigned k = 0; k < n; ++k) {
    int r = -1;
    ss >> word;
    if (std::sscanf(word.c_str(), "R%d", &r) != 1) return "destination: " + line;
    i.destinations.push_back(r);
  }
  ss >> i.opcode >> n;
  if (!ss || n > most_sources) return "sources: " + line;
  for (unsigned k = 0; k < n; ++k) {
    int r = -1;
    ss >> word;
    if (std::sscanf(word.c_str(), "R%d", &r) != 1) return "source: " + line;
    i.sources.push_back(r);
  }
  ss >> i.width;
  const std::bitset<32> mask(i.mask);
  if (i.width > 0) {
    ss >> mode;
    if (mode == 0) {
      for (unsigned s = 0; s < 32; ++s)
        if (mask.test(s)) ss >> std::hex >> i.address[s];
    } else if (mode == 1) {
      unsigned long long base = 0;
      int stride = 0;
      ss >> std::hex >> base >> std::dec >> stride;
      bool first = false, last = false;
      unsigned long long at = base;
      for (unsigned s = 0; s < 32; ++s) {
        if (mask.test(s) && !first) {
          first = true;
          i.address[s] = base;
        } else if (first && !last) {
          if (mask.test(s))
            i.address[s] = at += static_cast<unsigned long long>(static_cast<long long>(stride));
          else
            last = true;
        } else if (mask.test(s)) {
          return "lanes after a gap: " + line;
        }
      }
    } else {
      return "a mode that is not written: " + line;
    }
  }
  ss >> std::dec >> i.immediate;
  if (!ss) return "cut off: " + line;
  return {};
}

read_trace parse(const std::string& path) {
  read_trace t;
  std::ifstream in(path);
  std::string line;
  bool is_open = false;
  unsigned warp = 0, left = 0;
  while (std::getline(in, line) && t.wrong.empty()) {
    if (line.empty() || line[0] == '#') {
      if (line == "#BEGIN_TB") {
        if (is_open) t.wrong = "a block begins in a block";
        is_open = true;
        t.blocks.emplace_back();
      }
      if (line == "#END_TB") {
        if (!is_open || left != 0) t.wrong = "a block ends early";
        is_open = false;
      }
      continue;
    }
    if (line[0] == '-') {
      const std::size_t equal = line.find('=');
      t.head[line.substr(1, equal - 2)] = line.substr(equal + 2);
      continue;
    }
    if (!is_open) {
      t.wrong = "outside of a block: " + line;
      break;
    }
    read_block& b = t.blocks.back();
    if (line.starts_with("thread block")) {
      if (std::sscanf(line.c_str(), "thread block = %u,%u,%u", b.index.data(), &b.index[1], &b.index[2]) != 3)
        t.wrong = line;
    } else if (line.starts_with("warp")) {
      if (left != 0 || std::sscanf(line.c_str(), "warp = %u", &warp) != 1) t.wrong = line;
      if (b.warps.size() <= warp) b.warps.resize(warp + 1);
    } else if (line.starts_with("insts")) {
      if (std::sscanf(line.c_str(), "insts = %u", &left) != 1) t.wrong = line;
    } else {
      if (left-- == 0) t.wrong = "more than it says: " + line;
      t.wrong += parse_line(line, b.warps[warp].emplace_back());
    }
  }
  if (is_open) t.wrong = "a block does not end";
  return t;
}

// --- instructions

TEST(AccelSimTrace, ReadsTheTextOfInstructions) {
  const auto load = accel_sim_instruction_of("@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10]");
  EXPECT_EQ(load.opcode, "LDG.E.128");
  EXPECT_EQ(load.destination, 4u);
  EXPECT_EQ(load.sources, std::vector<unsigned>{2});
  EXPECT_EQ(load.width_bytes, 16u);
  EXPECT_TRUE(load.accesses && load.is_guarded);

  const auto store = accel_sim_instruction_of("STS.U16 [R5+0x20], R7");
  EXPECT_FALSE(store.destination);
  EXPECT_EQ(store.sources, (std::vector<unsigned>{5, 7}));
  EXPECT_EQ(store.width_bytes, 2u);

  const auto sum = accel_sim_instruction_of("FFMA R9, -R8.reuse, |R7|, RZ");
  EXPECT_EQ(sum.destination, 9u);
  EXPECT_EQ(sum.sources, (std::vector<unsigned>{8, 7, 255}));
  EXPECT_FALSE(sum.accesses);

  EXPECT_EQ(accel_sim_instruction_of("DEPBAR.LE SB0, 0x3").immediate, 3u);
  EXPECT_EQ(accel_sim_instruction_of("MOV R1, c[0x0][0x28]").sources, std::vector<unsigned>{});
  EXPECT_EQ(accel_sim_instruction_of("EXIT").opcode, "EXIT");
}

// --- whole launches

std::string folder_of_test() { return testing::TempDir() + "bankwise_accel_sim"; }

read_trace trace_of_kernel(const std::string& cubin, const std::string& kernel, std::array<std::uint32_t, 3> grid,
                           std::array<std::uint32_t, 3> block, const std::string& args) {
  std::filesystem::remove_all(folder_of_test());
  const std::string command = std::string(BANKWISE_PROGRAM) + " run " + test::source_path(cubin) + " -k " + kernel +
                              " --grid " + std::to_string(grid[0]) + "," + std::to_string(grid[1]) + " --block " +
                              std::to_string(block[0]) + "," + std::to_string(block[1]) + " " + args +
                              " --time-model off --trace accel-sim " + folder_of_test() + " >/dev/null";
  if (std::system(command.c_str()) != 0) return {.head = {}, .blocks = {}, .wrong = command};
  std::ifstream list(folder_of_test() + "/kernelslist.g");
  std::string line;
  std::getline(list, line);
  if (line != "kernel-1.traceg") return {.head = {}, .blocks = {}, .wrong = "kernelslist.g: " + line};
  return parse(folder_of_test() + "/" + line);
}

TEST(AccelSimTrace, AKernelComesBackByTheParsersRules) {
  const read_trace t = trace_of_kernel("examples/transpose.cubin", "transpose_plain", {2, 2, 1}, {32, 8, 1},
                                       "--arg 'out:f32[64*64]' --arg 'f32[64*64]=iota' --arg i32=64");
  ASSERT_EQ(t.wrong, "");
  EXPECT_EQ(t.head.at("grid dim"), "(2,2,1)");
  EXPECT_EQ(t.head.at("block dim"), "(32,8,1)");
  EXPECT_EQ(t.head.at("binary version"), "90");
  EXPECT_EQ(t.head.at("accelsim tracer version"), "5");
  ASSERT_EQ(t.blocks.size(), 4u);
  std::size_t loads = 0, stores = 0, conflicts = 0;
  for (const read_block& b : t.blocks) {
    ASSERT_EQ(b.warps.size(), 8u);
    for (const auto& w : b.warps) {
      ASSERT_FALSE(w.empty());
      EXPECT_EQ(w.back().opcode, "EXIT");
      for (const read_instruction& i : w) {
        EXPECT_NE(i.mask, 0u);
        loads += i.opcode.starts_with("LDG");
        stores += i.opcode.starts_with("STS");
        if (i.opcode.starts_with("LDS")) conflicts += i.address[1] - i.address[0] == 128;
      }
    }
  }
  EXPECT_EQ(loads, 4u * 8 * 4);
  EXPECT_EQ(stores, 4u * 8 * 4);
  EXPECT_EQ(conflicts, 4u * 8 * 4) << "the elements of a column are 32 words apart";
}

TEST(AccelSimTrace, LanesThatLeaveEarlyEndOnce) {
  const read_trace t = trace_of_kernel("examples/histogram.cubin", "histogram_weighted", {2, 1, 1}, {256, 1, 1},
                                       "--arg 'out:u32[256]' --arg 'u8[4096]=random:1' --arg i32=300");
  ASSERT_EQ(t.wrong, "");
  for (const read_block& b : t.blocks)
    for (const auto& w : b.warps) {
      std::uint32_t ended = 0;
      for (const read_instruction& i : w) {
        EXPECT_EQ(i.mask & ended, 0u) << "lanes that have ended execute " << i.opcode;
        if (i.opcode == "EXIT") ended |= i.mask;
      }
      EXPECT_EQ(ended, ~0u);
    }
}

}  // namespace
}  // namespace bankwise::timing
