// Machine code for straight-line instructions. Those between two calls of handlers are a run: it works on the lanes of one
// vector register at a time, a part of the warp, and keeps rows in registers. No lane sees another one within a run.
#include "emulate/jit/compiler.hpp"

#if defined(BANKWISE_HAS_PIECES)
#define XBYAK_NO_EXCEPTION
#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <deque>
#include <map>
#include <new>
#include <optional>

#include "emulate/decode.hpp"
#include "emulate/handler_table.hpp"
#include "emulate/jit/piece.hpp"
#include "emulate/worker.hpp"

namespace bankwise::emulate {

namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using sass::opcode;

constexpr std::size_t most_instructions = 512, most_code_bytes = std::size_t{1} << 20;
constexpr u32 canonical_nan = 0x7fffffffu;

// Compiled code is not unwound: what a handler throws ends here, and block_runner throws it again.
u32 call_handler(worker* m, const micro_op* u, u32 mask) noexcept {
  try {
    return static_cast<u32>(u->run(*m, *u, mask));
  } catch (const std::bad_alloc&) {
    m->out_of_memory = true;
    return static_cast<u32>(step::fault);
  }
}

bool is_table_handler(const micro_op& u) { return u.run == handlers()[static_cast<std::size_t>(u.op)]; }
bool does_nothing(const micro_op& u) {
  return u.run == handlers()[static_cast<std::size_t>(opcode::NOP)] || u.run == leave_out;
}

// Whether lanes that execute it never come to the instruction behind it.
bool leaves(const micro_op& u) {
  if (u.guard != 7 || u.guard_flip != 0 || u.uniform_guard) return false;
  switch (u.op) {
    case opcode::BAR_RR:
    case opcode::BAR_RI:
    case opcode::BAR_IR:
    case opcode::BAR_II:
    case opcode::WARPSYNC_I:
    case opcode::WARPSYNC_R:
    case opcode::RET:
    case opcode::BRX:
    case opcode::BPT: return true;
    case opcode::BRA: return u.q0 == 7 && u.q0_flip == 0 && u.as<sass::jump>().how.kind == sass::branch_kind::plain;
    case opcode::EXIT: return u.q0 == 7 && u.q0_flip == 0;
    default: return false;
  }
}

// A value that a vector register can hold: a row, or a word in all lanes.
using value_key = u64;
value_key key_of_row(unsigned row) { return row; }
value_key key_of_word(u32 value) { return u64{1} << 40 | value; }
value_key key_of_uniform(unsigned number) { return u64{2} << 40 | number; }
bool is_row(value_key k) { return k < register_rows; }

class compiler : public Xbyak::CodeGenerator {
 public:
  compiler(const decoded_section& section, std::size_t begin, vector_kind kind, bool whole, std::vector<u8>& buffer)
      : CodeGenerator(buffer.size(), buffer.data()),
        section_(section),
        begin_(begin),
        wide_(kind == vector_kind::avx512),
        whole_(whole) {}

  // How many instructions.
  std::size_t run() {
    const std::size_t count = find_end();
    enter();
    for (std::size_t i = 0; i < count;) {
      if (is_shared_access(op(i))) {
        shared_access(i++);
        continue;
      }
      std::size_t end = i;
      while (end < count && is_lanewise(op(end))) ++end;
      if (end == i) {
        call(i++);
        continue;
      }
      lanewise(i, end);
      i = end;
    }
    if (count == 0 || compiled_ == 0) return 0;
    mov(eax, static_cast<u32>(count));
    add_threads(count);
    L(leave_);
    add(qword[r15 + offsetof(piece_frame, threads)], r12);
    vzeroupper();
    add(rsp, 8);
    pop(r15), pop(r14), pop(r13), pop(r12), pop(rbp), pop(rbx);
    ret();
    exits();
    slow_accesses();
    if (!slow_.empty()) {
      check_repeated();
      for (unsigned n : {1u, 2u, 4u}) load_words(n);
    }
    words();
    return Xbyak::GetError() == 0 ? count : 0;
  }

 private:
  struct slow_access {
    std::size_t at;
    Xbyak::Label begin, back;
  };
  using vec = Xbyak::Xmm;  // of the size that is used

  const micro_op& op(std::size_t i) const { return section_.ops[begin_ + i]; }
  std::size_t find_end() {
    std::size_t n = 0;
    const std::size_t most = std::min(most_instructions, section_.ops.size() - begin_);
    while (n < most && !leaves(op(n))) ++n;
    if (n < most) ++n;
    return n;
  }

  // --- around

  void enter() {
    push(rbx), push(rbp), push(r12), push(r13), push(r14), push(r15);
    sub(rsp, 8);
    mov(r15, rdi);
    mov(r13, ptr[r15 + offsetof(piece_frame, m)]);
    mov(rbx, ptr[r15 + offsetof(piece_frame, registers)]);
    mov(rbp, ptr[r15 + offsetof(piece_frame, predicates)]);
    mov(r14, reinterpret_cast<u64>(&op(0)));
    xor_(r12d, r12d);
  }
  // Lanes of the instructions before `count` that no guard of their own decides on.
  void add_threads(std::size_t count) {
    std::size_t unguarded = 0;
    for (std::size_t i = 0; i < count; ++i) unguarded += is_unguarded(op(i)) ? 1 : 0;
    if (unguarded == 0) return;
    if (whole_) {
      add(r12, static_cast<u32>(32 * unguarded));
    } else {
      mov(ecx, dword[r15 + offsetof(piece_frame, lane_count)]);
      imul(rcx, rcx, static_cast<int>(unguarded));
      add(r12, rcx);
    }
  }
  static bool is_unguarded(const micro_op& u) { return u.guard == 7 && u.guard_flip == 0; }
  static bool is_never(const micro_op& u) { return u.guard == 7 && u.guard_flip != 0; }

  // --- calls

  void call(std::size_t i) {
    Xbyak::Label skip;
    load_mask(op(i));
    call_with_mask(i, skip);
    L(skip);
  }
  // The lanes that it is for, in edx, and counted.
  void load_mask(const micro_op& u) {
    if (u.uniform_guard && !is_unguarded(u)) {
      mov(rax, ptr[r15 + offsetof(piece_frame, uniform_predicates)]);
      xor_(edx, edx);
      test(byte[rax], 1 << u.guard);
      whole_ ? mov(ecx, -1) : mov(ecx, dword[r15 + offsetof(piece_frame, lanes)]);
      u.guard_flip == 0 ? cmovnz(edx, ecx) : cmovz(edx, ecx);
      count_lanes_of(edx);
    } else if (is_unguarded(u)) {
      whole_ ? mov(edx, -1) : mov(edx, dword[r15 + offsetof(piece_frame, lanes)]);
    } else {
      mov(edx, dword[rbp + 4 * u.guard]);
      if (u.guard_flip != 0) not_(edx);
      if (!whole_) and_(edx, dword[r15 + offsetof(piece_frame, lanes)]);
      count_lanes_of(edx);
    }
  }
  void call_with_mask(std::size_t i, Xbyak::Label& skip) {
    const micro_op& u = op(i);
    if (!is_unguarded(u) && !u.always) {
      test(edx, edx);
      jz(skip, T_NEAR);
    }
    vzeroupper();
    mov(rdi, r13);
    lea(rsi, ptr[r14 + static_cast<int>(i * sizeof(micro_op))]);
    mov(rax, reinterpret_cast<u64>(&call_handler));
    Xbyak::CodeGenerator::call(rax);
    test(eax, eax);
    exits_.push_back({i, {}});
    jnz(exits_.back().label, T_NEAR);
  }
  void count_lanes_of(const Xbyak::Reg32& mask) {
    popcnt(eax, mask);
    add(r12, rax);
  }
  // Out of the middle: what the handler returned is in eax.
  void exits() {
    for (exit& e : exits_) {
      L(e.label);
      shl(rax, 32);
      or_(rax, static_cast<u32>(e.at));
      add_threads(e.at + 1);
      jmp(leave_, T_NEAR);
    }
  }

  // --- loads from shared memory and stores to it, of whole warps: what repeats the last access is made here

  bool is_shared_access(const micro_op& u) const {
    if (!wide_ || !whole_ || !is_table_handler(u)) return false;
    if (u.op != opcode::LDS && u.op != opcode::STS && u.op != opcode::STS_U) return false;
    const auto& f = u.as<sass::memory_access>();
    const bool loads = u.op == opcode::LDS;
    const unsigned first = loads ? f.result : f.data, words = f.bytes / 4u;
    return words != 0 && (first + words <= zero_row || (first == sass::register_zero && (loads || words == 1)));
  }

  void shared_access(std::size_t i) {
    const micro_op& u = op(i);
    const auto& f = u.as<sass::memory_access>();
    slow_.push_back({i, {}, {}});
    slow_access& other = slow_.back();
    load_mask(u);
    if (!is_unguarded(u)) {
      cmp(edx, -1);
      jne(other.begin, T_NEAR);
    }
    // The addresses.
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
    // rax: the lowest address, ecx: how it is loaded.
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
  // Words side by side, or the last lane's in one place; else the handler stores.
  void store(const sass::memory_access& f, slow_access& other) {
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
  void slow_accesses() {
    for (slow_access& s : slow_) {
      L(s.begin);
      if (is_unguarded(op(s.at))) mov(edx, -1);
      call_with_mask(s.at, s.back);
      jmp(s.back, T_NEAR);
    }
  }

  // zmm0 and zmm1: addresses, rsi: which instruction's. Carry: it is not repeated. Else rax: the lowest address in the host's
  // memory, rsi: what is remembered, ecx: the plan.
  void check_repeated() {
    Xbyak::Label no;
    L(check_);
    mov(rdi, ptr[r15 + offsetof(piece_frame, memos)]);
    test(rdi, rdi);
    jz(no, T_NEAR);
    mov(rsi, ptr[rdi + rsi]);
    test(rsi, rsi);
    jz(no, T_NEAR);
    // memo_way
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

  // From rax on, as ecx and rsi say, to the rows from rdi on.
  void load_words(unsigned words) {
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
  void pick(unsigned words, bool two) {
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

  // --- runs

  bool is_lanewise(const micro_op& u) {
    if (does_nothing(u)) return !u.uniform_guard || is_unguarded(u);
    return is_table_handler(u) && !u.uniform_guard && emit(u, false);
  }

  struct home {
    value_key key = 0;
    bool used = false, dirty = false;
    bool loose = false;   // floats whose NaN may be any: nobody has seen them yet
    unsigned pinned = 0;  // of the instruction that is being made
  };

  void lanewise(std::size_t begin, std::size_t end) {
    run_begin_ = begin, run_end_ = end;
    bool any = false;
    for (std::size_t i = begin; i < end; ++i) any |= !does_nothing(op(i)) || !is_unguarded(op(i));
    if (!any) return;
    homes_ = {};
    note_uses();
    xor_(r10d, r10d);
    mov(r11, ptr[r15 + offsetof(piece_frame, uniform)]);
    vpbroadcastd(nan_vector(), word_at(canonical_nan));
    Xbyak::Label again;
    L(again);
    for (now_ = begin; now_ < end; ++now_) {
      const micro_op& u = op(now_);
      ++instruction_;
      if (!is_unguarded(u)) load_guard(u);
      masked_ = !is_unguarded(u) || !whole_;
      if (masked_ && is_unguarded(u)) load_lanes();
      if (does_nothing(u) || is_never(u)) continue;
      emit(u, true);
      ++compiled_;
    }
    for (unsigned h = 0; h < places(); ++h) save(h);
    add(rbx, static_cast<int>(part_bytes()));
    add(r10d, part_bytes() / 32);
    cmp(r10d, 4);
    jb(again, T_NEAR);
    sub(rbx, 128);
  }

  unsigned part_bytes() const { return wide_ ? 64 : 32; }
  unsigned part_lanes() const { return wide_ ? 16 : 8; }
  unsigned places() const { return wide_ ? 26 : 9; }
  vec v(unsigned n) const {
    return wide_ ? vec(Xbyak::Zmm(static_cast<int>(n))) : vec(Xbyak::Ymm(static_cast<int>(n)));
  }
  vec scratch(unsigned n) const { return v(places() + n); }  // four of them
  vec guard_vector() const { return v(14); }                 // avx2: all ones in the lanes of the guard
  vec nan_vector() const { return v(wide_ ? 31 : 15); }

  Xbyak::Address row_at(unsigned row) { return ptr[rbx + static_cast<int>(128 * row)]; }
  Xbyak::Address word_at(u32 value) { return ptr[rip + words_[value]]; }
  void words() {
    if (uses_bits_) {
      align(32);
      L(bits_);
      for (unsigned lane = 0; lane < 8; ++lane) dd(1u << lane);
    }
    align(4);
    for (auto& [value, label] : words_) {
      L(label);
      dd(value);
    }
  }

  // Where rows are used, so that those that are wanted last are given up first.
  void note_uses() {
    uses_.clear();
    for (std::size_t i = run_begin_; i < run_end_; ++i) {
      const micro_op& u = op(i);
      for (const source* s : {&u.a, &u.b, &u.c, &u.a_high, &u.b_high, &u.c_high}) uses_[key_of(*s)].push_back(i);
      uses_[key_of_row(u.d)].push_back(i);
    }
  }
  static value_key key_of(const source& s) {
    switch (s.kind) {
      case source_kind::constant: return key_of_word(s.lanes[0]);
      case source_kind::uniform: return key_of_uniform(s.index);
      default: return s.index == zero_row ? key_of_word(0) : key_of_row(s.index);
    }
  }
  static std::optional<u32> word_of(const source& s) {
    if (s.kind == source_kind::constant) return s.lanes[0];
    if (s.kind == source_kind::reg && s.index == zero_row) return 0;
    return {};
  }
  std::size_t next_use(value_key k) const {
    const auto at = uses_.find(k);
    if (at == uses_.end()) return ~std::size_t{0};
    const auto next = std::upper_bound(at->second.begin(), at->second.end(), now_);
    return next == at->second.end() ? ~std::size_t{0} : *next;
  }

  void save(unsigned h) {
    home& x = homes_[h];
    if (!x.used || !x.dirty) return;
    settle(h);
    wide_ ? vmovdqa32(row_at(static_cast<unsigned>(x.key)), v(h)) : vmovdqa(row_at(static_cast<unsigned>(x.key)), v(h));
    x.dirty = false;
  }
  // NaN becomes the one that the machine makes.
  void settle(unsigned h) {
    home& x = homes_[h];
    if (!x.loose) return;
    canonicalise(v(h));
    x.loose = false;
  }
  void canonicalise(const vec& x) {
    if (wide_) {
      vcmpps(k7, x, x, unordered);
      vmovdqa32(x | k7, nan_vector());
    } else {
      vcmpps(v(13), x, x, unordered);
      vblendvps(x, x, nan_vector(), v(13));
    }
  }
  // A register that holds nothing that is needed.
  unsigned make_room() {
    unsigned best = places();
    std::size_t farthest = 0;
    for (unsigned h = 0; h < places(); ++h) {
      const home& x = homes_[h];
      if (!x.used) return h;
      if (x.pinned == instruction_) continue;
      const std::size_t next = next_use(x.key);
      const std::size_t distance = next == ~std::size_t{0} ? next - (x.dirty ? 1 : 0) : next;
      if (best == places() || distance > farthest) best = h, farthest = distance;
    }
    save(best);
    homes_[best] = {};
    return best;
  }
  std::optional<unsigned> find(value_key k) const {
    for (unsigned h = 0; h < places(); ++h)
      if (homes_[h].used && homes_[h].key == k) return h;
    return {};
  }
  unsigned load(value_key k) {
    if (const auto known = find(k)) {
      homes_[*known].pinned = instruction_;
      return *known;
    }
    const unsigned h = make_room();
    homes_[h] = {k, true, false, false, instruction_};
    if (is_row(k))
      wide_ ? vmovdqa32(v(h), row_at(static_cast<unsigned>(k))) : vmovdqa(v(h), row_at(static_cast<unsigned>(k)));
    else if (k == key_of_word(0))
      wide_ ? vpxord(v(h), v(h), v(h)) : vpxor(v(h), v(h), v(h));
    else if (k >> 40 == 1)
      vpbroadcastd(v(h), word_at(static_cast<u32>(k)));
    else
      vpbroadcastd(v(h), ptr[r11 + static_cast<int>(4 * (k & 0xff))]);
    return h;
  }
  // The operand as it is; of arithmetic on floats, which takes any NaN: perhaps with another one.
  vec read(const source& s) {
    const unsigned h = load(key_of(s));
    settle(h);
    return v(h);
  }
  vec read_float(const source& s) { return v(load(key_of(s))); }

  vec word_vector(u32 value) { return v(load(key_of_word(value))); }

  // Where a result is made, before `put` says what row it is.
  unsigned result() {
    const unsigned h = make_room();
    homes_[h] = {no_key, true, false, false, instruction_};
    return h;
  }
  // `loose`: of float arithmetic, still to be canonicalised.
  void put(unsigned h, unsigned row, bool loose = false) {
    home& r = homes_[h];
    if (row >= trash_row) {
      r = {};
    } else if (!masked_) {
      if (const auto old = find(key_of_row(row))) homes_[*old] = {};
      r = {key_of_row(row), true, true, loose, instruction_};
    } else {
      if (loose) canonicalise(v(h));
      const unsigned old = load(key_of_row(row));
      settle(old);
      if (wide_)
        vmovdqa32(v(old) | k1, v(h));
      else
        vblendvps(v(old), v(old), v(h), guard_vector());
      homes_[old].dirty = true;
      homes_[h] = {};
    }
  }

  // --- guards and predicates: of the part's lanes

  void load_part(const Xbyak::Reg32& to, const Xbyak::Address& wide, const Xbyak::Address& narrow) {
    movzx(to, wide_ ? wide : narrow);
  }
  // A predicate's lanes, in the low bits; above them is anything.
  void load_predicate(const Xbyak::Reg32& to, unsigned n, u32 flip) {
    if (n == 7) {
      mov(to, flip == 0 ? 0xffff : 0);
      return;
    }
    load_part(to, word[rbp + r10 + 4 * n], byte[rbp + r10 + 4 * n]);
    if (flip != 0) not_(to);
  }
  void load_lanes_to(const Xbyak::Reg32& to) {
    load_part(to, word[r15 + r10 + offsetof(piece_frame, lanes)], byte[r15 + r10 + offsetof(piece_frame, lanes)]);
  }
  // The guard's lanes: as bits in r8d, as a mask in k1 or guard_vector().
  void set_mask(const Xbyak::Reg32& from) {
    mov(r8d, from);
    if (wide_)
      kmovw(k1, from);
    else
      spread_bits(guard_vector(), from);
  }
  // avx2: bits of the low byte to whole lanes.
  void spread_bits(const vec& to, const Xbyak::Reg32& from) {
    vmovd(Xbyak::Xmm(to.getIdx()), from);
    vpbroadcastb(to, Xbyak::Xmm(to.getIdx()));
    uses_bits_ = true;
    vpand(to, to, ptr[rip + bits_]);
    vpcmpeqd(to, to, ptr[rip + bits_]);
  }
  // The lanes that the instruction is for, in k1, and counted.
  void load_guard(const micro_op& u) {
    if (is_never(u)) return;
    load_predicate(ecx, u.guard, u.guard_flip);
    if (!whole_) {
      load_lanes_to(eax);
      and_(ecx, eax);
    }
    wide_ ? movzx(eax, cx) : movzx(eax, cl);
    popcnt(eax, eax);
    add(r12, rax);
    if (!does_nothing(u)) set_mask(ecx);
  }
  void load_lanes() {
    load_lanes_to(ecx);
    set_mask(ecx);
  }
  // The lanes in `from` become the predicate's, where the guard holds. Uses rax.
  void put_predicate(unsigned n, const Xbyak::Reg32& from) {
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
  // What a comparison makes of its result, in edx, and its predicate operand.
  void put_comparison(const micro_op& u, sass::logic how) {
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
  void combine(const Xbyak::Reg32& a, const Xbyak::Reg32& b, sass::logic how) {
    switch (how) {
      case sass::logic::conjunction: and_(a, b); break;
      case sass::logic::disjunction: or_(a, b); break;
      default: xor_(a, b); break;
    }
  }

  // --- the instructions

  // False: it is not known, and its handler is called. `makes`: its code; else only whether it is known.
  bool emit(const micro_op& u, bool makes) {
    switch (u.op) {
      case opcode::FADD:
      case opcode::FMUL:
      case opcode::FFMA: return float_arithmetic(u, makes);
      case opcode::FSETP: return fsetp(u, makes);
      case opcode::FSEL: return fsel(u, makes);
      case opcode::MOV: return move(u, makes);
      case opcode::SEL: return select(u, makes);
      case opcode::IADD3: return iadd3(u, makes);
      case opcode::LEA: return scaled_add(u, makes);
      case opcode::IMAD: return imad(u, makes);
      case opcode::IMAD_WIDE:
      case opcode::IMAD_HI: return imad_wide(u, makes);
      case opcode::ISETP: return isetp(u, makes);
      case opcode::LOP3: return lop3(u, makes);
      case opcode::SHF: return shf(u, makes);
      case opcode::PLOP3: return plop3(u, makes);
      case opcode::HFMA2:
      case opcode::HFMA2_MMA: return constant_result(u, makes);
      case opcode::CS2R: return zeros(u, makes);
      default: return false;
    }
  }

  void and_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpandd(d, a, b) : vpand(d, a, b); }
  void or_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpord(d, a, b) : vpor(d, a, b); }
  void xor_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpxord(d, a, b) : vpxor(d, a, b); }
  void copy(const vec& d, const vec& a) {
    if (d.getIdx() != a.getIdx()) wide_ ? vmovdqa32(d, a) : vmovdqa(d, a);
  }
  // All ones where the part's bits in `from` are set: in k6, or a scratch register.
  void blend(const vec& d, const vec& where_clear, const vec& where_set, const Xbyak::Reg32& from) {
    if (wide_) {
      kmovw(k6, from);
      vpblendmd(d | k6, where_clear, where_set);
    } else {
      spread_bits(scratch(3), from);
      vblendvps(d, where_clear, where_set, scratch(3));
    }
  }
  // The lanes of a comparison as bits, in edx.
  void bits_of(const Xbyak::Opmask& k) { kmovw(edx, k); }
  void bits_of(const vec& condition) { vmovmskps(edx, Xbyak::Ymm(condition.getIdx())); }

  // --- floats

  // The operand with its sign and absolute value; `flush`: subnormals are zeros (avx512).
  vec float_operand(const source& s, u32 keep, u32 flip, bool flush, unsigned n) {
    vec x = read_float(s);
    if (keep != ~0u) and_words(scratch(n), x, word_vector(keep)), x = scratch(n);
    if (flip != 0) xor_words(scratch(n), x, word_vector(flip)), x = scratch(n);
    if (flush) {
      copy(scratch(n), x);
      x = scratch(n);
      flush_zeros(x, x);
    }
    return x;
  }
  // Zeros of their sign where `tiny` has no exponent.
  void flush_zeros(const vec& x, const vec& tiny) {
    vptestnmd(k6, tiny, word_vector(0x7f800000u));
    vpandd(x | k6, x, word_vector(0x80000000u));
  }

  bool float_arithmetic(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::float_arithmetic>();
    if (f.rounding != 0 || f.zero_wins || (f.flushes && !wide_)) return false;
    if (u.op == opcode::FMUL && f.scale != 4) return false;
    if (!makes) return true;
    // Signs go into the operation where they can: what is left of them is xor-ed.
    const bool fused = u.op == opcode::FFMA, product = u.op != opcode::FADD;
    bool negate = false, subtract = false;  // the product, the addend
    u32 fa = u.flip_a, fb = u.flip_b, fc = u.flip_c;
    if (fused) {
      negate = (fa != 0) != (fb != 0), subtract = fc != 0;
      fa = fb = fc = 0;
    } else if (!product) {
      subtract = fb != 0;
      fb = 0;
    } else if (fa != 0 && fb != 0) {
      fa = fb = 0;
    }
    const vec x = float_operand(u.a, u.keep_a, fa, f.flushes, 0), y = float_operand(u.b, u.keep_b, fb, f.flushes, 1);
    const bool adds_in_place = fused && !masked_ && u.c.kind == source_kind::reg && u.c.index == u.d &&
                               u.d < zero_row && u.keep_c == ~0u && !f.flushes && !f.saturates;
    if (adds_in_place) {
      const unsigned h = load(key_of_row(u.d));
      multiply_add(v(h), x, y, negate, subtract);
      homes_[h].dirty = homes_[h].loose = true;
      return true;
    }
    vec z = x;
    if (fused) z = float_operand(u.c, u.keep_c, fc, f.flushes, 2);
    const unsigned h = result();
    const vec d = v(h);
    const auto operate = [&](const vec& to, const vec& how) {
      if (fused) {
        copy(to, z);
        f.flushes&& to.getIdx() == scratch(3).getIdx() ? multiply_add_cut(to, x, y, negate, subtract)
                                                       : multiply_add(to, x, y, negate, subtract);
      } else if (product) {
        vmulps(how, x, y);
      } else {
        subtract ? vsubps(how, x, y) : vaddps(how, x, y);
      }
    };
    operate(d, d);
    if (f.flushes) {
      // What is subnormal before it is rounded is flushed: what is subnormal when it is cut off.
      operate(scratch(3), scratch(3) | T_rz_sae);
      canonicalise(d);
      flush_zeros(d, scratch(3));
    }
    if (f.saturates) {
      // NaN and -0 become +0: of two zeros, and where one is NaN, these take the second.
      vmaxps(d, d, word_vector(0));
      vminps(d, d, word_vector(0x3f800000u));
    }
    put(h, u.d, !f.flushes && !f.saturates);
    return true;
  }
  void multiply_add(const vec& d, const vec& x, const vec& y, bool negate, bool subtract) {
    if (negate)
      subtract ? vfnmsub231ps(d, x, y) : vfnmadd231ps(d, x, y);
    else
      subtract ? vfmsub231ps(d, x, y) : vfmadd231ps(d, x, y);
  }
  void multiply_add_cut(const vec& d, const vec& x, const vec& y, bool negate, bool subtract) {
    if (negate)
      subtract ? vfnmsub231ps(d | T_rz_sae, x, y) : vfnmadd231ps(d | T_rz_sae, x, y);
    else
      subtract ? vfmsub231ps(d | T_rz_sae, x, y) : vfmadd231ps(d | T_rz_sae, x, y);
  }

  bool fsetp(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::float_comparison>();
    if (f.flushes && !wide_) return false;
    if (!makes) return true;
    const vec x = float_operand(u.a, u.keep_a, u.flip_a, f.flushes, 0),
              y = float_operand(u.b, u.keep_b, u.flip_b, f.flushes, 1);
    // By less, equal, greater, unordered.
    static constexpr u8 how[] = {0x0b, 0x11, 0x00, 0x12, 0x1e, 0x0c, 0x1d, 0x07,
                                 0x03, 0x19, 0x08, 0x1a, 0x16, 0x04, 0x15, 0x0f};
    if (wide_) {
      vcmpps(k6, x, y, how[f.comparison & 15]);
      bits_of(k6);
    } else {
      vcmpps(scratch(3), x, y, how[f.comparison & 15]);
      bits_of(scratch(3));
    }
    put_comparison(u, f.combine);
    return true;
  }

  bool fsel(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::float_extreme>();
    if (f.flushes && !wide_) return false;
    if (!makes) return true;
    const auto operand = [&](const source& s, u32 keep, u32 flip, unsigned n) {
      read(s);
      return float_operand(s, keep, flip, false, n);
    };
    const vec x = operand(u.a, u.keep_a, u.flip_a, 0), y = operand(u.b, u.keep_b, u.flip_b, 1);
    load_predicate(edx, u.q0, u.q0_flip);
    const unsigned h = result();
    blend(v(h), y, x, edx);
    if (f.flushes) flush_zeros(v(h), v(h));
    put(h, u.d);
    return true;
  }

  // --- integers

  bool move(const micro_op& u, bool makes) {
    if (u.as<sass::wide_move>().wide) return false;
    if (!makes) return true;
    const vec x = read(u.b);
    const unsigned h = result();
    copy(v(h), x);
    put(h, u.d);
    return true;
  }
  bool select(const micro_op& u, bool makes) {
    if (!makes) return true;
    const vec x = read(u.a), y = read(u.b);
    load_predicate(edx, u.q0, u.q0_flip);
    const unsigned h = result();
    blend(v(h), y, x, edx);
    put(h, u.d);
    return true;
  }

  // Sums of words, with what goes over them.
  class sum {
   public:
    sum(compiler& c, unsigned home, bool carries) : c_(c), d_(c.v(home)), carries_(carries) {}
    void add(const vec& x) {
      if (empty_) {
        c_.copy(d_, x);
        empty_ = false;
        return;
      }
      if (!carries_) return c_.vpaddd(d_, d_, x);
      c_.vpaddd(d_, d_, x);
      c_.vpcmpud(c_.k6, d_, x, 1);  // less than an addend: it went over
      over();
    }
    // One where the bits in edx are set (avx512).
    void add_bits() {
      c_.kmovw(c_.k5, c_.edx);
      c_.vpaddd(d_ | c_.k5, d_, c_.word_vector(1));
      if (!carries_) return;
      c_.vptestnmd(c_.k6 | c_.k5, d_, d_);
      over();
    }
    unsigned times() const { return times_; }

   private:
    // k3: it went over once or more, k4: twice or more.
    void over() {
      if (times_ == 0) {
        c_.kmovw(c_.k3, c_.k6);
      } else if (times_ == 1) {
        c_.kandw(c_.k4, c_.k3, c_.k6);
        c_.korw(c_.k3, c_.k3, c_.k6);
      } else {
        c_.kandw(c_.k5, c_.k6, c_.k3);
        c_.korw(c_.k4, c_.k4, c_.k5);
        c_.korw(c_.k3, c_.k3, c_.k6);
      }
      ++times_;
    }
    compiler& c_;
    vec d_;
    bool carries_, empty_ = true;
    unsigned times_ = 0;
  };

  vec complemented(const source& s, u32 flip, unsigned n) {
    const vec x = read(s);
    if (flip == 0) return x;
    xor_words(scratch(n), x, word_vector(flip));
    return scratch(n);
  }

  bool iadd3(const micro_op& u, bool makes) {
    const bool extended = u.as<sass::carry_add>().extended, carries = u.p0 != 7 || u.p1 != 7;
    if ((extended || carries) && !wide_) return false;
    if (!makes) return true;
    const source* const operands[] = {&u.a, &u.b, &u.c};
    const u32 flips[] = {u.flip_a, u.flip_b, u.flip_c};
    u32 ones = 0;
    vec x[3];
    bool is_zero[3];
    unsigned left = 0;
    for (unsigned n = 0; n < 3; ++n) {
      ones += extended ? 0 : flips[n] & 1;
      is_zero[n] = flips[n] == 0 && word_of(*operands[n]) == 0u;
      if (is_zero[n]) continue;
      x[n] = complemented(*operands[n], flips[n], n);
      ++left;
    }
    const unsigned h = result();
    sum s(*this, h, carries);
    for (unsigned n = 0; n < 3; ++n)
      if (!is_zero[n]) s.add(x[n]);
    if (left == 0) s.add(word_vector(0));
    if (ones != 0) s.add(word_vector(ones));
    const auto carry = [&](unsigned n, u32 flip) {
      if (n == 7 && flip != 0) return;
      load_predicate(edx, n, flip);
      s.add_bits();
    };
    if (extended) carry(u.q0, u.q0_flip), carry(u.q1, u.q1_flip);
    put(h, u.d);
    put_carry(u.p0, s.times() > 0, k3);
    put_carry(u.p1, s.times() > 1, k4);
    return true;
  }
  void put_carry(unsigned predicate, bool may, const Xbyak::Opmask& k) {
    if (predicate == 7) return;
    may ? kmovw(edx, k) : xor_(edx, edx);
    put_predicate(predicate, edx);
  }

  bool scaled_add(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::scaled_add>();
    const bool carries = u.p0 != 7;
    if ((carries || f.extended) && !wide_) return false;
    if (f.shift > 31) return false;
    if (!makes) return true;
    const vec a = read(u.a);
    vec x = scratch(0);
    if (f.high) {
      if (f.sign_extends) vpsrad(scratch(1), a, 31);
      const vec above = f.sign_extends ? scratch(1) : read(u.c);
      vpslld(x, above, f.shift);
      vpsrld(scratch(1), a, 32 - f.shift);
      or_words(x, x, scratch(1));
    } else {
      vpslld(x, a, f.shift);
    }
    if (u.flip_a != 0) xor_words(x, x, word_vector(u.flip_a));
    const vec y = complemented(u.b, u.flip_b, 1);
    const unsigned h = result();
    sum s(*this, h, carries);
    s.add(x);
    s.add(y);
    const u32 ones = f.extended ? 0 : (u.flip_a & 1) + (u.flip_b & 1);
    if (ones != 0) s.add(word_vector(ones));
    if (f.extended && !(u.q0 == 7 && u.q0_flip != 0)) {
      load_predicate(edx, u.q0, u.q0_flip);
      s.add_bits();
    }
    put(h, u.d);
    put_carry(u.p0, s.times() > 0, k3);
    return true;
  }

  bool imad(const micro_op& u, bool makes) {
    if (u.as<sass::carry_add>().extended) return false;
    if (!makes) return true;
    const std::optional<u32> wa = word_of(u.a), wb = word_of(u.b), wc = word_of(u.c);
    const bool adds = u.flip_c != 0 || wc != 0u;
    const auto product = [&](const vec& d) {
      if (wa == 0u || wb == 0u) return xor_words(d, d, d);
      if (wb == 1u) return copy(d, read(u.a));
      if (wa == 1u) return copy(d, read(u.b));
      if (wb && std::has_single_bit(*wb)) return vpslld(d, read(u.a), static_cast<u8>(std::countr_zero(*wb)));
      const vec x = read(u.a), y = read(u.b);
      vpmulld(d, x, y);
    };
    const vec z = adds ? complemented(u.c, u.flip_c, 2) : vec();
    const unsigned h = result();
    if (adds && (wa == 0u || wb == 0u)) {
      copy(v(h), z);
    } else {
      product(v(h));
      if (adds) vpaddd(v(h), v(h), z);
    }
    if ((u.flip_c & 1) != 0) vpaddd(v(h), v(h), word_vector(1));
    put(h, u.d);
    return true;
  }

  // Two words of each lane; lanes with an even number are in their place for 64-bit operations, the others one up.
  bool imad_wide(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::wide_multiply>();
    if (u.p0 != 7 || u.flip_c != 0 || f.extended) return false;
    if (!makes) return true;
    const vec a = read(u.a), b = read(u.b), low = read(u.c), high = read(u.c_high);
    const vec even = scratch(0), odd = scratch(1), t = scratch(2), w = scratch(3);
    const auto multiply = [&](const vec& d, const vec& x, const vec& y) {
      f.is_signed ? vpmuldq(d, x, y) : vpmuludq(d, x, y);
    };
    multiply(even, a, b);
    vpsrlq(odd, a, 32);
    vpsrlq(t, b, 32);
    multiply(odd, odd, t);
    if (word_of(u.c) != 0u || word_of(u.c_high) != 0u) {
      vpsllq(t, high, 32);
      upper_words(t, low, t);
      vpaddq(even, even, t);
      vpsrlq(w, low, 32);
      upper_words(w, w, high);
      vpaddq(odd, odd, w);
    }
    if (!f.high) {
      vpsllq(t, odd, 32);
      const unsigned h = result();
      upper_words(v(h), even, t);
      vpsrlq(t, even, 32);
      upper_words(t, t, odd);
      put(h, u.d);
      const unsigned upper = result();
      copy(v(upper), t);
      put(upper, u.d_high);
      return true;
    }
    const unsigned h = result();
    vpsrlq(t, even, 32);
    upper_words(v(h), t, odd);
    put(h, u.d);
    return true;
  }
  // Even words of the first, odd ones of the second.
  void upper_words(const vec& d, const vec& even, const vec& odd) {
    if (wide_) {
      mov(ecx, 0xaaaa);
      kmovw(k6, ecx);
      vpblendmd(d | k6, even, odd);
    } else {
      vpblendd(d, even, odd, 0xaa);
    }
  }

  bool isetp(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::integer_comparison>();
    if (f.wide || (f.extended && !wide_)) return false;
    if (!makes) return true;
    vec x = read(u.a), y = read(u.b);
    const auto compare = [&](unsigned how) {
      f.is_signed ? vpcmpd(k6, x, y, static_cast<u8>(how)) : vpcmpud(k6, x, y, static_cast<u8>(how));
    };
    constexpr unsigned equal = 0, less = 1, less_equal = 2, not_equal = 4, not_less = 5, greater = 6;
    if (f.extended) {
      // Where the upper words are equal the lower ones decide.
      if (f.comparison == 0 || f.comparison == 7) {
        mov(edx, f.comparison == 0 ? 0 : 0xffff);
      } else {
        compare(equal);
        kmovw(edx, k6);
        load_predicate(ecx, u.q1, u.q1_flip);
        if (f.comparison == 5) {
          not_(edx);
          or_(edx, ecx);
        } else {
          and_(edx, ecx);
          if (f.comparison != 2) {
            compare(f.comparison == 1 || f.comparison == 3 ? less : greater);
            kmovw(ecx, k6);
            or_(edx, ecx);
          }
        }
      }
    } else if (f.comparison == 0 || f.comparison == 7) {
      mov(edx, f.comparison == 0 ? 0 : 0xffff);
    } else if (wide_) {
      static constexpr unsigned how[] = {0, less, equal, less_equal, greater, not_equal, not_less, 0};
      compare(how[f.comparison]);
      bits_of(k6);
    } else {
      if (!f.is_signed && f.comparison != 2 && f.comparison != 5) {
        xor_words(scratch(0), x, word_vector(0x80000000u)), x = scratch(0);
        xor_words(scratch(1), y, word_vector(0x80000000u)), y = scratch(1);
      }
      const vec r = scratch(2);
      switch (f.comparison) {
        case 2:
        case 5: vpcmpeqd(r, x, y); break;
        case 1:
        case 6: vpcmpgtd(r, y, x); break;
        default: vpcmpgtd(r, x, y); break;
      }
      bits_of(r);
      if (f.comparison == 5 || f.comparison == 6 || f.comparison == 3) not_(edx);
    }
    put_comparison(u, f.combine);
    return true;
  }

  bool lop3(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::bitwise>();
    const unsigned table = f.table;
    const bool simple = table == 0xc0 || table == 0xfc || table == 0x3c;
    if (!wide_ && !simple && table != 0xf0 && table != 0xcc && table != 0xaa && table != 0x33 && table != 0x0f)
      return false;
    if (!makes) return true;
    const unsigned h = [&] {
      if (simple) {
        const vec x = read(u.a), y = read(u.b);
        const unsigned r = result();
        if (table == 0xc0) and_words(v(r), x, y);
        if (table == 0xfc) or_words(v(r), x, y);
        if (table == 0x3c) xor_words(v(r), x, y);
        return r;
      }
      if (!wide_) {
        const vec x = read(table == 0xf0 || table == 0x0f ? u.a : table == 0xaa ? u.c : u.b);
        const unsigned r = result();
        if (table == 0x33 || table == 0x0f)
          xor_words(v(r), x, word_vector(~0u));
        else
          copy(v(r), x);
        return r;
      }
      const vec x = read(u.a), y = read(u.b), z = read(u.c);
      const unsigned r = result();
      copy(v(r), x);
      vpternlogd(v(r), y, z, static_cast<u8>(table));
      return r;
    }();
    if (u.p0 != 7) {
      if (wide_) {
        vptestmd(k6, v(h), v(h));
        bits_of(k6);
      } else {
        vpcmpeqd(scratch(0), v(h), word_vector(0));
        bits_of(scratch(0));
        not_(edx);
      }
      load_predicate(ecx, u.q0, u.q0_flip);
      f.all ? and_(edx, ecx) : or_(edx, ecx);
      put_predicate(u.p0, edx);
    }
    put(h, u.d);
    return true;
  }

  bool shf(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::funnel_shift>();
    const bool left = !f.right && !f.high, right = f.right && f.high && !f.wide();
    const std::optional<u32> by = word_of(u.b);
    const u32 bits = f.wide() ? 64 : 32;
    const u32 n = by ? (f.wraps ? *by & (bits - 1) : std::min(*by, bits)) : 0;
    const bool both = !left && !right;
    if (both && (!by || n > 31)) return false;
    if (!makes) return true;
    if (both) {
      // Of two words: what leaves the one comes into the other.
      const bool upper_alone = f.right && f.high;
      const vec low = read(u.a), high = read(u.c);
      const unsigned h = result();
      if (upper_alone) {
        f.is_signed() ? vpsrad(v(h), high, static_cast<u8>(n)) : vpsrld(v(h), high, static_cast<u8>(n));
      } else if (f.right) {
        vpslld(scratch(0), high, static_cast<u8>(32 - n));
        vpsrld(v(h), low, static_cast<u8>(n));
        or_words(v(h), v(h), scratch(0));
      } else {
        vpsrld(scratch(0), low, static_cast<u8>(32 - n));
        vpslld(v(h), high, static_cast<u8>(n));
        or_words(v(h), v(h), scratch(0));
      }
      put(h, u.d);
      return true;
    }
    const vec x = read(left ? u.a : u.c);
    if (by) {
      const unsigned h = result();
      const bool is_signed = right && f.is_signed();
      // Shifts by 32 and more leave nothing, or the sign.
      const auto count = static_cast<u8>(right && f.wraps ? *by & 31 : std::min(left ? n : *by, 32u));
      if (left)
        vpslld(v(h), x, count);
      else
        is_signed ? vpsrad(v(h), x, count) : vpsrld(v(h), x, count);
      put(h, u.d);
      return true;
    }
    vec y = read(u.b);
    if (f.wraps) {
      and_words(scratch(0), y, word_vector(left && f.wide() ? 63 : 31));
      y = scratch(0);
    }
    const unsigned h = result();
    if (left)
      vpsllvd(v(h), x, y);
    else
      f.is_signed() ? vpsravd(v(h), x, y) : vpsrlvd(v(h), x, y);
    put(h, u.d);
    return true;
  }

  // How compilers write a word: -0 * 0 + word.
  bool constant_result(const micro_op& u, bool makes) {
    for (const source* s : {&u.a, &u.b, &u.c})
      if (!word_of(*s)) return false;
    if (!makes) return true;
    worker m;
    warp w;
    w.registers.resize(register_rows);
    m.w = &w;
    micro_op alone = u;
    alone.d = 0;
    alone.run(m, alone, ~0u);
    write_word(u.d, w.reg(0)[0]);
    return true;
  }
  bool zeros(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::special_register_read>();
    if (f.number != sass::register_zero) return false;
    if (!makes) return true;
    write_word(u.d, 0);
    if (f.pair) write_word(u.d_high, 0);
    return true;
  }
  void write_word(unsigned row, u32 value) {
    const vec x = word_vector(value);
    const unsigned h = result();
    copy(v(h), x);
    put(h, row);
  }

  // --- predicates

  bool plop3(const micro_op& u, bool makes) {
    const auto& f = u.as<sass::predicate_logic>();
    if (f.c_is_uniform) return false;
    if (!makes) return true;
    load_predicate(ecx, u.q0, u.q0_flip);
    load_predicate(esi, u.q1, u.q1_flip);
    load_predicate(edi, u.q2, u.q2_flip);
    const auto result_of = [&](unsigned table, const Xbyak::Reg32& to) {
      // (a ? upper : lower) of the table, bit by bit.
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

  static constexpr value_key no_key = ~value_key{0} >> 1;
  static constexpr u8 unordered = 3;

  struct exit {
    std::size_t at;
    Xbyak::Label label;
  };
  const decoded_section& section_;
  const std::size_t begin_;
  const bool wide_, whole_;
  Xbyak::Label leave_, bits_;
  bool uses_bits_ = false, masked_ = false;
  std::deque<exit> exits_;
  std::deque<slow_access> slow_;
  Xbyak::Label check_, load_[5];
  std::map<u32, Xbyak::Label> words_;
  std::array<home, 32> homes_{};
  std::map<value_key, std::vector<std::size_t>> uses_;
  std::size_t run_begin_ = 0, run_end_ = 0, now_ = 0, compiled_ = 0;
  unsigned instruction_ = 0;
};

}  // namespace

vector_kind best_vectors(instruction_use use) {
  if (use == instruction_use::interpret || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
    return vector_kind::none;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide && use == instruction_use::best ? vector_kind::avx512 : vector_kind::avx2;
}

compiled_piece compile(const decoded_section& section, std::size_t begin, vector_kind kind, bool whole) {
  thread_local std::vector<u8> buffer;
  buffer.resize(most_code_bytes);
  Xbyak::ClearError();
  compiler c(section, begin, kind, whole, buffer);
  const std::size_t count = c.run();
  if (count == 0) return {};
  return {{buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(c.getSize())}, static_cast<u32>(count)};
}

}  // namespace bankwise::emulate

#else

namespace bankwise::emulate {

vector_kind best_vectors(instruction_use) { return vector_kind::none; }
compiled_piece compile(const decoded_section&, std::size_t, vector_kind, bool) { return {}; }

}  // namespace bankwise::emulate
#endif
