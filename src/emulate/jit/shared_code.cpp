// Loads and stores of shared memory by whole warps. Compiled code executes accesses that repeat a remembered access.
// For all other accesses, compiled code calls the handler.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate::jit {

bool piece_code::is_shared_access(const micro_op& u) const {
  if (!wide_ || !whole_ || !is_table_handler(u)) return false;
  if (u.op != opcode::LDS && u.op != opcode::STS && u.op != opcode::STS_U) return false;
  const auto& f = u.as<sass::memory_access>();
  const bool loads = u.op == opcode::LDS;
  const unsigned first = loads ? f.result : f.data, words = f.bytes / 4u;
  return words != 0 && (first + words <= zero_row || (first == sass::register_zero && (loads || words == 1)));
}

void piece_code::shared_access(std::size_t i) {
  const micro_op& u = op(i);
  const auto& f = u.as<sass::memory_access>();
  slow_.push_back({i, {}, {}});
  slow_access& other = slow_.back();
  load_mask(u);
  if (!is_unguarded(u)) {
    cmp(edx, -1);
    jne(other.begin, T_NEAR);
  }
  if (u.b.kind == source_kind::uniform || u.a.kind == source_kind::uniform)
    mov(r11, ptr[r15 + offsetof(piece_frame, uniform)]);
  const auto offset = static_cast<u32>(f.address.offset);
  for (int half = 0; half < 2; ++half) {
    const Xbyak::Zmm z(half);
    if (u.a.kind == source_kind::uniform)
      vpbroadcastd(z, ptr[r11 + 4 * u.a.index]);
    else if (const auto base = word_of(u.a))
      vpbroadcastd(z, word_at(*base));
    else
      vmovdqa32(z, ptr[rbx + 128 * u.a.index + 64 * half]);
    if (f.address.shift != 0) vpslld(z, z, static_cast<u8>(f.address.shift));
    if (offset != 0) vpaddd(z, z, ptr_b[rip + words_[offset]]);
    if (u.b.kind == source_kind::uniform) vpaddd(z, z, ptr_b[r11 + 4 * u.b.index]);
  }
  mov(esi, static_cast<u32>(u.memo * sizeof(void*)));
  Xbyak::CodeGenerator::call(check_);
  jc(other.begin, T_NEAR);
  if (u.op == opcode::LDS) {
    lea(rdi, ptr[rbx + 128 * written_row(f.result)]);
    Xbyak::CodeGenerator::call(load_[f.bytes / 4]);
  } else {
    store(f, other);
  }
  inc(qword[rsi + offsetof(access_memo, times)]);
  L(other.back);
  ++compiled_;
}

void piece_code::store(const sass::memory_access& f, slow_access& other) {
  const auto at = [&](unsigned k) { return static_cast<int>(128 * register_source(f.data, k).index); };
  const unsigned words = f.bytes / 4u;
  Xbyak::Label rows, done;
  cmp(ecx, static_cast<u32>(load_plan::one_place));
  jne(words == 1 ? rows : other.begin, T_NEAR);
  for (unsigned k = 0; k < words; ++k) {
    mov(ecx, dword[rbx + at(k) + 124]);
    mov(dword[rax + 4 * k], ecx);
  }
  if (words != 1) return;
  jmp(done);
  L(rows);
  cmp(ecx, static_cast<u32>(load_plan::side_by_side));
  jne(other.begin, T_NEAR);
  for (int half = 0; half < 2; ++half) {
    vmovdqa32(Xbyak::Zmm(half), ptr[rbx + at(0) + 64 * half]);
    vmovdqu32(ptr[rax + 64 * half], Xbyak::Zmm(half));
  }
  L(done);
}

void piece_code::slow_accesses() {
  for (slow_access& s : slow_) {
    L(s.begin);
    if (is_unguarded(op(s.at))) mov(edx, -1);
    call_with_mask(s.at, s.back);
    jmp(s.back, T_NEAR);
  }
}

void piece_code::check_repeated() {
  Xbyak::Label no;
  L(check_);
  mov(rdi, ptr[r15 + offsetof(piece_frame, memos)]);
  test(rdi, rdi);
  jz(no, T_NEAR);
  mov(rsi, ptr[rdi + rsi]);
  test(rsi, rsi);
  jz(no, T_NEAR);
  // computes memo_way()
  vmovd(eax, xmm0);
  mov(ecx, eax);
  shr(eax, 2);
  shr(ecx, 5);
  xor_(eax, ecx);
  and_(eax, memo_ways - 1);
  imul(eax, eax, sizeof(access_memo));
  add(rsi, rax);
  movzx(ecx, byte[rsi + offsetof(access_memo, plan)]);
  test(ecx, ecx);
  jz(no, T_NEAR);
  vpsubd(zmm0, zmm0, ptr[rsi + offsetof(access_memo, address)]);
  vpsubd(zmm1, zmm1, ptr[rsi + offsetof(access_memo, address) + 64]);
  vpbroadcastd(zmm2, xmm0);
  vpcmpeqd(k2, zmm0, zmm2);
  vpcmpeqd(k3, zmm1, zmm2);
  kandw(k2, k2, k3);
  kortestw(k2, k2);
  jnc(no);
  vmovd(eax, xmm0);
  test(dword[r15 + offsetof(piece_frame, repeat_mask)], eax);
  jnz(no);
  add(eax, dword[rsi + offsetof(access_memo, lowest)]);
  cmp(dword[rsi + offsetof(access_memo, highest)], eax);
  jb(no);
  add(rax, qword[r15 + offsetof(piece_frame, shared)]);
  clc();
  ret();
  L(no);
  stc();
  ret();
}

void piece_code::load_words(unsigned words) {
  Xbyak::Label rows, windows, two;
  L(load_[words]);
  cmp(ecx, static_cast<u32>(load_plan::side_by_side));
  je(rows);
  ja(windows);
  for (unsigned k = 0; k < words; ++k) {
    vpbroadcastd(zmm0, ptr[rax + 4 * k]);
    for (unsigned half = 0; half < 2; ++half) vmovdqa32(ptr[rdi + 128 * k + 64 * half], zmm0);
  }
  ret();
  L(rows);
  for (unsigned half = 0; half < 2; ++half) {
    vmovdqu32(Xbyak::Zmm(static_cast<int>(half)), ptr[rax + 64 * half]);
    vmovdqa32(ptr[rdi + 64 * half], Xbyak::Zmm(static_cast<int>(half)));
  }
  ret();
  L(windows);
  if (words != 1) vpbroadcastd(zmm6, word_at(1));
  cmp(ecx, static_cast<u32>(load_plan::two_windows));
  je(two, T_NEAR);
  pick(words, false);
  ret();
  L(two);
  pick(words, true);
  ret();
}

void piece_code::pick(unsigned words, bool two) {
  if (two) vpbroadcastd(zmm7, word_at(window_words));
  for (unsigned half = 0; half < 2; ++half) {
    mov(edx, dword[rsi + offsetof(access_memo, window) + 4 * half]);
    for (int n = 0; n < (two ? 4 : 2); ++n) vmovdqu32(Xbyak::Zmm(n), ptr[rax + rdx + 64 * n]);
    vmovdqa32(zmm4, ptr[rsi + offsetof(access_memo, word) + 64 * half]);
    for (unsigned k = 0; k < words; ++k) {
      vmovdqa32(zmm5, zmm4);
      vpermi2d(zmm5, zmm0, zmm1);
      if (two) {
        vptestmd(k2, zmm4, zmm7);
        vmovdqa32(zmm8, zmm4);
        vpermi2d(zmm8, zmm2, zmm3);
        vmovdqa32(zmm5 | k2, zmm8);
      }
      vmovdqa32(ptr[rdi + 128 * k + 64 * half], zmm5);
      if (k + 1 != words) vpaddd(zmm4, zmm4, zmm6);
    }
  }
}

}  // namespace bankwise::emulate::jit
#endif
