// Writes a launch in the text format of Accel-Sim's trace-driven simulator. It is version 5 of the format. The
// simulator's own tracer writes the same format on a GPU.
//
//     -kernel name = transpose                     what was launched
//     #BEGIN_TB
//     thread block = 0,0,0
//     warp = 0
//     insts = 2
//     0000 ffffffff 1 R1 MOV 0 0 0                 pc, lanes, destination, opcode, sources, access bytes, immediate
//     0090 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f00 4 0     addresses of an access: first and stride, or all
//     #END_TB
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cubin/program.hpp"
#include "emulate/launch/launch.hpp"
#include "emulate/listener.hpp"

namespace bankwise::timing {

// An instruction in the form that a trace contains.
struct accel_sim_instruction {
  std::string opcode;  // example: "LDG.E.128"
  std::optional<unsigned> destination;
  std::vector<unsigned> sources;  // source registers, at most four
  std::uint64_t immediate = 0;
  bool is_guarded = false;
  bool accesses = false;     // whether the instruction accesses memory
  unsigned width_bytes = 4;  // bytes of an access for each lane, which follow from the opcode
};
// Parses the text of an instruction, such as "@!P0 LDG.E R4, [R2.64+0x10]".
accel_sim_instruction accel_sim_instruction_of(std::string text);

// Listens to a launch, and writes each block when it ends. The launch must run completely, in one thread, and without
// compiled code.
class accel_sim_recorder : public emulate::listener {
 public:
  accel_sim_recorder(const emulate::launch& l, std::FILE* to);

  emulate::wanted_events wants() const override {
    return {.accesses = true,
            .asynchronous = true,
            .instructions = true,
            .block_ends = true,
            .global = true,
            .warps = true};
  }
  void on_block(std::uint64_t block) override { block_ = &blocks_[block]; }
  void on_block_end(std::uint64_t times) override;
  void on_warp(std::uint32_t warp) override { warp_ = warp; }
  void on_access(const emulate::shared_access& a) override;
  void on_async(const emulate::async_event& e) override;
  void on_global(const emulate::global_access_event& a) override;
  void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) override;

  // Returns the text of an instruction that cannot be written in a trace, or an empty string if there is none.
  const std::string& refused() const { return refused_; }
  bool failed_to_write() const { return failed_; }

 private:
  struct access {
    std::uint64_t pc = 0;
    std::uint32_t mask = 0;
    std::array<std::uint64_t, 32> address{};
  };
  struct run {
    std::uint64_t pc = 0, count = 0;
    std::uint32_t lanes = 0;
    std::vector<access> accesses;
  };
  struct traced_block_runs {
    std::map<std::uint32_t, std::vector<run>> warps;
  };
  struct warp_text {
    std::string lines;
    std::size_t count = 0;
  };
  const accel_sim_instruction& instruction_at(std::uint64_t pc);
  access& access_at(std::uint64_t pc);
  warp_text text_of(const std::vector<run>& runs);
  void write(const std::string& text);

  const emulate::launch& launch_;
  std::FILE* to_;
  std::map<std::uint64_t, traced_block_runs> blocks_;  // blocks that have begun
  traced_block_runs* block_ = nullptr;
  std::uint32_t warp_ = 0;
  std::vector<access> pending_;  // accesses of the current run
  std::map<std::uint64_t, accel_sim_instruction> instructions_;
  std::string refused_;
  bool failed_ = false;
};

// A folder with a file for each launch. The file kernelslist.g lists these files in order.
class accel_sim_folder {
 public:
  static result<accel_sim_folder> open(const std::string& path);

  struct file {
    std::FILE* to = nullptr;
    std::string path;
  };
  // Begins the file of a launch, and writes its head.
  result<file> begin(const emulate::launch& l);
  // Closes the file of a launch and adds it to the list. Returns an error if writing failed.
  result<done> end(file f, const accel_sim_recorder& r);

 private:
  std::string path_;
  unsigned kernels_ = 0;
};

// Sets the options of a launch that its trace requires.
void run_for_accel_sim(emulate::launch& l);

}  // namespace bankwise::timing
