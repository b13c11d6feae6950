// Which blocks do the same as the running one. The class is found while the block runs, from the dependence of its
// values on blockIdx.
//
//     S2UR UR4, SR_CTAID.X                       UR4 = b.x
//     IMAD R2, UR4, 0x80, R0                     R2 = 128 * b.x + a number by lane
//     ISETP.GE.AND P0, PT, R2, c[0x0][0x218]     the same lanes as here while b.x stays in some range: the class is cut to it
//     @P0 EXIT
//
// A register is known as a number for each lane plus blockIdx times a factor. Every condition on such a register is a
// half space, and the block's class, a box of the grid, is reduced to it. A value that is neither linear nor monotone
// reduces the box to blocks with equal blockIdx on its axes. So all blocks of the box provably execute the same
// instructions with the same lanes and the same shared addresses. Only instructions that can see blockIdx are followed;
// the others run as usual (block_flow.hpp).
//
// In some blocks, the result of a shift or mask is a number plus blockIdx times a factor. In the other blocks, this is
// true only for its low bits. Often it is only used for addresses of global memory: the class is reduced to those
// blocks only when something needs more than the low bits.
//
//     USHF.R.U32.HI UR5, URZ, 0x6, UR4           UR5 = 0 while b.x < 64
//     USHF.L.U32 UR5, UR5, 0x7, URZ              UR5 = 0 while b.x < 64, and its low 7 bits are 0 in all blocks
#pragma once

#include <array>
#include <vector>

#include "emulate/code/micro_op.hpp"
#include "emulate/counting/block_box.hpp"
#include "emulate/counting/block_flow.hpp"

namespace bankwise::emulate {

class block_class {
 public:
  // The part of a register that depends on blockIdx.
  struct form {
    block_factors by{};
    std::uint32_t lanes = 0;  // lanes to which it applies; 0 if nothing depends on the block
    bool is_part = false;     // the upper word of a sum, or a carry: `by` only says on which axes it depends
    // Where this form is valid: all 32 bits in the blocks up to `last` of the box, and this number of low bits in the
    // whole box.
    std::uint8_t low = 32;
    bool alike = true;  // the added value is the same for all lanes, in the whole box
    std::array<std::uint32_t, 3> last = everywhere;

    friend bool operator==(const form&, const form&) = default;
  };
  static constexpr std::array<std::uint32_t, 3> everywhere{~0u, ~0u, ~0u};

  // `followed`: by instruction.
  void start(const block_box& all, std::size_t warps, const std::vector<struct followed>* followed);
  const block_box& box() const { return box_; }

  // Places that no followed instruction names do not vary.
  const form& form_at(const warp& w, followed::place p) const {
    static constexpr form nothing;
    const file_range& in = files_[static_cast<std::size_t>(p.file)];
    return p.number < in.count ? forms_[w.id][in.first + p.number] : nothing;
  }
  bool varies(const form& f, std::uint32_t lanes) const;
  // Whether only low bits are known in some of the box's blocks.
  bool is_loose(const form& f) const;
  // Reduces the box to blocks in which all bits are known.
  void tighten(const form& f);
  // The lanes `now.lanes` of the register get a new value.
  void set(const warp& w, followed::place p, const form& now);

  void keep(std::int64_t at_first, const block_factors& by) { keep_at_least_zero(box_, at_first, by); }
  // Reduces the class so that blockIdx does not change on the axes in `f`.
  void pin(const form& f);
  void pin(unsigned axis) { box_.last[axis] = box_.first[axis]; }

 private:
  void number_places(const std::vector<struct followed>& all);

  // The places of a file, up to the last one that is named.
  struct file_range {
    std::size_t first = 0, count = 0;
  };
  block_box box_;
  std::vector<std::vector<form>> forms_;  // by warp and place
  std::array<file_range, static_cast<std::size_t>(sass::file::stack) + 1> files_;
  std::size_t places_ = 0;  // of all files
};

}  // namespace bankwise::emulate
