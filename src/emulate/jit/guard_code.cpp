// Guards and predicates. Compiled code represents them as one bit for each lane of a part (piece_code.hpp).
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate::jit {

void piece_code::load_part(const Xbyak::Reg32& to, const Xbyak::Address& wide, const Xbyak::Address& narrow) {
  movzx(to, wide_ ? wide : narrow);
}

void piece_code::load_predicate(const Xbyak::Reg32& to, unsigned n, u32 flip) {
  if (n == 7) {
    mov(to, flip == 0 ? 0xffff : 0);
    return;
  }
  load_part(to, word[rbp + r10 + 4 * n], byte[rbp + r10 + 4 * n]);
  if (flip != 0) not_(to);
}

void piece_code::load_lanes_to(const Xbyak::Reg32& to) {
  load_part(to, word[r15 + r10 + offsetof(piece_frame, lanes)], byte[r15 + r10 + offsetof(piece_frame, lanes)]);
}

void piece_code::set_mask(const Xbyak::Reg32& from) {
  mov(r8d, from);
  if (wide_)
    kmovw(k1, from);
  else
    spread_bits(guard_vector(), from);
}

void piece_code::spread_bits(const vec& to, const Xbyak::Reg32& from) {
  vmovd(Xbyak::Xmm(to.getIdx()), from);
  vpbroadcastb(to, Xbyak::Xmm(to.getIdx()));
  uses_bits_ = true;
  vpand(to, to, ptr[rip + bits_]);
  vpcmpeqd(to, to, ptr[rip + bits_]);
}

void piece_code::load_guard(const micro_op& u) {
  load_predicate(ecx, u.guard, u.guard_flip);
  if (!whole_) {
    load_lanes_to(eax);
    and_(ecx, eax);
  }
  set_mask(ecx);
}

void piece_code::load_lanes() {
  load_lanes_to(ecx);
  set_mask(ecx);
}

void piece_code::put_predicate(unsigned n, const Xbyak::Reg32& from) {
  if (n == 7) return;
  const auto at = wide_ ? word[rbp + r10 + 4 * n] : byte[rbp + r10 + 4 * n];
  if (masked_) {
    // (old & ~mask) | (from & mask) = old ^ ((old ^ from) & mask)
    load_part(eax, word[rbp + r10 + 4 * n], byte[rbp + r10 + 4 * n]);
    xor_(from, eax);
    and_(from, r8d);
    xor_(from, eax);
  }
  wide_ ? mov(at, from.cvt16()) : mov(at, from.cvt8());
}

void piece_code::put_comparison(const micro_op& u, sass::logic how) {
  const bool both = u.p1 != 7;
  load_predicate(ecx, u.q0, u.q0_flip);
  if (both) {
    mov(edi, edx);
    not_(edi);
    combine(edi, ecx, how);
  }
  combine(edx, ecx, how);
  put_predicate(u.p0, edx);
  if (both) put_predicate(u.p1, edi);
}

void piece_code::combine(const Xbyak::Reg32& a, const Xbyak::Reg32& b, sass::logic how) {
  switch (how) {
    case sass::logic::conjunction: and_(a, b); break;
    case sass::logic::disjunction: or_(a, b); break;
    default: xor_(a, b); break;
  }
}

bool piece_code::plop3(const micro_op& u, bool makes) {
  const auto& f = u.as<sass::predicate_logic>();
  if (f.c_is_uniform) return false;
  if (!makes) return true;
  load_predicate(ecx, u.q0, u.q0_flip);
  load_predicate(esi, u.q1, u.q1_flip);
  load_predicate(edi, u.q2, u.q2_flip);
  const auto result_of = [&](unsigned table, const Xbyak::Reg32& to) {
    // Each bit of a selects the upper or the lower half of the table.
    xor_(to, to);
    for (unsigned entry = 0; entry < 8; ++entry) {
      if ((table >> entry & 1) == 0) continue;
      mov(eax, ecx);
      if ((entry & 4) == 0) not_(eax);
      mov(r9d, esi);
      if ((entry & 2) == 0) not_(r9d);
      and_(eax, r9d);
      mov(r9d, edi);
      if ((entry & 1) == 0) not_(r9d);
      and_(eax, r9d);
      or_(to, eax);
    }
  };
  if (u.p0 != 7) result_of(f.table, edx), put_predicate(u.p0, edx);
  if (u.p1 != 7) result_of(f.second_table, edx), put_predicate(u.p1, edx);
  return true;
}

}  // namespace bankwise::emulate::jit
#endif
