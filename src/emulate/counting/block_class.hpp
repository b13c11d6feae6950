// The class of the running block: all blocks that behave like this block. The class is found while the block runs, from
// the dependence of values on blockIdx.
//
//     S2UR UR4, SR_CTAID.X                       UR4 = b.x
//     IMAD R2, UR4, 0x80, R0                     R2 = 128 * b.x + a number for each lane
//     ISETP.GE.AND P0, PT, R2, c[0x0][0x218]     the class is reduced to blocks with the same P0
//     @P0 EXIT
//
// The value of a register is represented as a number for each lane plus a factor times blockIdx. A condition on this
// value is true in a half space of the grid. The class is a box of blocks, and each condition reduces the box to a part
// of its half space. If a value is neither linear nor monotone, the box is reduced to blocks with equal blockIdx on the
// axes of this value. So all blocks of the box provably execute the same instructions with the same lanes and the same
// shared addresses. Only instructions whose operands can depend on blockIdx are followed. All other instructions run as
// usual (block_flow.hpp).
//
// In some blocks, the result of a shift or mask is a number plus blockIdx times a factor. In the remaining blocks, only
// the low bits of the result have this form. Often the result is used only for addresses of global memory. So the class
// keeps the remaining blocks until an instruction needs more than the low bits.
//
//     USHF.R.U32.HI UR5, URZ, 0x6, UR4           UR5 = 0 while b.x < 64
//     USHF.L.U32 UR5, UR5, 0x7, URZ              UR5 = 0 while b.x < 64, and its low 7 bits are 0 in all blocks
#pragma once

#include <array>
#include <vector>

#include "emulate/block/warp.hpp"
#include "emulate/code/micro_op.hpp"
#include "emulate/counting/block_box.hpp"
#include "emulate/counting/block_flow.hpp"

namespace bankwise::emulate {

class block_class {
 public:
  // How a register depends on blockIdx.
  struct form {
    block_factors by{};
    std::uint32_t lanes = 0;  // lanes to which the form applies; 0 if the register does not depend on blockIdx
    // whether the register is the upper word of a sum, or a carry; in this case, only the axes of `by` are valid
    bool is_part = false;
    // In all blocks of the box, the form is valid for this number of low bits. In the blocks up to `last`, the form is
    // valid for all 32 bits.
    std::uint8_t low = 32;
    // whether the lanes add equal numbers to the blockIdx terms in the whole box
    bool alike = true;
    std::array<std::uint32_t, 3> last = everywhere;

    friend bool operator==(const form&, const form&) = default;
  };
  static constexpr std::array<std::uint32_t, 3> everywhere{~0u, ~0u, ~0u};

  // `followed`: an element for each instruction of the section.
  void start(const block_box& all, std::size_t warps, const std::vector<struct followed>* followed);
  const block_box& box() const { return box_; }

  // The dependence of a register on blockIdx. Registers that no followed instruction names do not depend on blockIdx.
  const form& form_at(const warp& w, followed::place p) const {
    static constexpr form nothing;
    const file_range& in = files_[static_cast<std::size_t>(p.file)];
    return p.number < in.count ? forms_[w.id][in.first + p.number] : nothing;
  }
  bool varies(const form& f, std::uint32_t lanes) const;
  // Whether the form is valid only for the low bits in some blocks of the box.
  bool is_loose(const form& f) const;
  // Reduces the box to the blocks in which the form is valid for all bits.
  void tighten(const form& f);
  // Sets the form of a register in the lanes `now.lanes`.
  void set(const warp& w, followed::place p, const form& now);

  void keep(std::int64_t at_first, const block_factors& by) { keep_at_least_zero(box_, at_first, by); }
  // Reduces the class to blocks with the same blockIdx on all axes of the form.
  void pin(const form& f);
  void pin(unsigned axis) { box_.last[axis] = box_.first[axis]; }

 private:
  void number_places(const std::vector<struct followed>& all);

  // The tracked places of a register file: from number 0 to the last number that an instruction names.
  struct file_range {
    std::size_t first = 0, count = 0;
  };
  block_box box_;
  std::vector<std::vector<form>> forms_;  // one form for each warp and place
  std::array<file_range, static_cast<std::size_t>(sass::file::stack) + 1> files_;
  std::size_t places_ = 0;  // number of places in all register files together
};

}  // namespace bankwise::emulate
