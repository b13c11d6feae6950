// Shuffles whose source lanes are known at compile time. A shuffle permutes the two halves of a row. Shuffles are not
// part of a run, because their lanes interact.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/code/shuffle_lanes.hpp"
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate::jit {

bool piece_code::is_shuffle(const micro_op& u) const { return wide_ && is_table_handler(u) && u.op == opcode::SHFL_II; }

void piece_code::shuffle(std::size_t i) {
  const micro_op& u = op(i);
  Xbyak::Label skip;
  load_mask(u);
  if (!is_unguarded(u)) {
    test(edx, edx);
    jz(skip, T_NEAR);
  }
  const auto mode = u.as<sass::lane_shuffle>().mode;
  std::array<u32, 32> from{};
  u32 inside = 0;
  for (u32 lane = 0; lane < 32; ++lane) {
    const shuffled_lane s = shuffled(mode, lane, u.b.lanes[0], u.c.lanes[0]);
    from[lane] = s.from;
    inside |= static_cast<u32>(s.in_range) << lane;
  }
  Xbyak::Label& table = tables_[from];
  for (int half = 0; half < 2; ++half) vmovdqa32(Xbyak::Zmm(half), ptr[rbx + 128 * u.a.index + 64 * half]);
  kmovd(k1, edx);
  kshiftrd(k2, k1, 16);
  for (int half = 0; half < 2; ++half) {
    const Xbyak::Zmm z(2 + half);
    vmovdqu32(z, ptr[rip + table + 64 * half]);
    vpermi2d(z, Xbyak::Zmm(0), Xbyak::Zmm(1));
  }
  vmovdqa32(ptr[rbx + 128 * u.d] | k1, Xbyak::Zmm(2));
  vmovdqa32(ptr[rbx + 128 * u.d + 64] | k2, Xbyak::Zmm(3));
  if (u.p0 != 7) {
    mov(eax, edx);
    not_(eax);
    and_(eax, dword[rbp + 4 * u.p0]);
    and_(edx, inside);
    or_(eax, edx);
    mov(dword[rbp + 4 * u.p0], eax);
  }
  L(skip);
  ++compiled_;
}

void piece_code::tables() {
  for (auto& [words, label] : tables_) {
    align(64);
    L(label);
    for (const u32 value : words) dd(value);
  }
}

}  // namespace bankwise::emulate::jit
#endif
