#include "emulate/jit/compiler.hpp"

#if defined(BANKWISE_HAS_PIECES)
#include <algorithm>
#include <new>

#include "emulate/code/handler_table.hpp"
#include "emulate/jit/piece_code.hpp"

namespace bankwise::emulate {

namespace jit {

namespace {

constexpr std::size_t most_instructions = 512, most_code_bytes = std::size_t{1} << 20;

// Catches an exception that a handler throws, because exceptions cannot unwind compiled code. block_runner throws the
// exception again.
u32 call_handler(worker* m, const micro_op* u, u32 mask) noexcept {
  try {
    return static_cast<u32>(u->run(*m, *u, mask));
  } catch (const std::bad_alloc&) {
    m->out_of_memory = true;
    return static_cast<u32>(step::fault);
  }
}

// Whether no lane continues at the next instruction after this instruction.
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
    case opcode::BRXU:
    case opcode::BPT: return true;
    case opcode::BRA: return u.q0 == 7 && u.q0_flip == 0 && u.as<sass::jump>().how.kind == sass::branch_kind::plain;
    case opcode::EXIT: return u.q0 == 7 && u.q0_flip == 0;
    default: return false;
  }
}

}  // namespace

// Pieces need a CPU with AVX2. On such a CPU, each opcode that pieces can contain has the same handler in all tables.
bool is_table_handler(const micro_op& u) { return u.run == handlers()[static_cast<std::size_t>(u.op)]; }
bool does_nothing(const micro_op& u) {
  return u.run == handlers()[static_cast<std::size_t>(opcode::NOP)] || u.run == leave_out;
}

std::size_t piece_code::run() {
  const std::size_t count = find_end();
  enter();
  for (std::size_t i = 0; i < count;) {
    if (is_shared_access(op(i))) {
      shared_access(i++);
      continue;
    }
    if (is_shuffle(op(i))) {
      shuffle(i++);
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
  L(leave_);
  vzeroupper();
  pop(r15), pop(r14), pop(r13), pop(rbp), pop(rbx);
  ret();
  exits();
  slow_accesses();
  if (!slow_.empty()) {
    check_repeated();
    for (unsigned n : {1u, 2u, 4u}) load_words(n);
  }
  words();
  tables();
  return Xbyak::GetError() == 0 ? count : 0;
}

std::size_t piece_code::find_end() {
  std::size_t n = 0;
  const std::size_t most = std::min(most_instructions, end_ - begin_);
  while (n < most && !leaves(op(n))) ++n;
  if (n < most) ++n;
  return n;
}

void piece_code::enter() {
  // an odd number of registers, so that the stack is aligned for calls
  push(rbx), push(rbp), push(r13), push(r14), push(r15);
  mov(r15, rdi);
  mov(r13, ptr[r15 + offsetof(piece_frame, m)]);
  mov(rbx, ptr[r15 + offsetof(piece_frame, registers)]);
  mov(rbp, ptr[r15 + offsetof(piece_frame, predicates)]);
  mov(r14, reinterpret_cast<u64>(&op(0)));
}

void piece_code::call(std::size_t i) {
  Xbyak::Label skip;
  load_mask(op(i));
  call_with_mask(i, skip);
  L(skip);
}

void piece_code::load_mask(const micro_op& u) {
  if (u.uniform_guard && !is_unguarded(u)) {
    mov(rax, ptr[r15 + offsetof(piece_frame, uniform_predicates)]);
    xor_(edx, edx);
    test(byte[rax], 1 << u.guard);
    whole_ ? mov(ecx, -1) : mov(ecx, dword[r15 + offsetof(piece_frame, lanes)]);
    u.guard_flip == 0 ? cmovnz(edx, ecx) : cmovz(edx, ecx);
  } else if (is_unguarded(u)) {
    whole_ ? mov(edx, -1) : mov(edx, dword[r15 + offsetof(piece_frame, lanes)]);
  } else {
    mov(edx, dword[rbp + 4 * u.guard]);
    if (u.guard_flip != 0) not_(edx);
    if (!whole_) and_(edx, dword[r15 + offsetof(piece_frame, lanes)]);
  }
}

void piece_code::call_with_mask(std::size_t i, Xbyak::Label& skip) {
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

void piece_code::exits() {
  for (exit& e : exits_) {
    L(e.label);
    shl(rax, 32);
    or_(rax, static_cast<u32>(e.at));
    jmp(leave_, T_NEAR);
  }
}

bool piece_code::emit(const micro_op& u, bool makes) {
  switch (u.op) {
    case opcode::FADD:
    case opcode::FMUL:
    case opcode::FFMA: return float_arithmetic(u, makes);
    case opcode::DADD:
    case opcode::DMUL:
    case opcode::DFMA: return double_arithmetic(u, makes);
    case opcode::F2F:
    case opcode::F2F64: return widen_float(u, makes);
    case opcode::FSETP: return fsetp(u, makes);
    case opcode::FSEL: return fsel(u, makes);
    case opcode::MOV: return move(u, makes);
    case opcode::SEL: return select(u, makes);
    case opcode::IADD3: return iadd3(u, makes);
    case opcode::VIADD: return word_sum(u, makes);
    case opcode::VIMNMX: return vimnmx(u, makes);
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

void piece_code::copy(const vec& d, const vec& a) {
  if (d.getIdx() != a.getIdx()) wide_ ? vmovdqa32(d, a) : vmovdqa(d, a);
}

void piece_code::blend(const vec& d, const vec& where_clear, const vec& where_set, const Xbyak::Reg32& from) {
  if (wide_) {
    kmovw(k6, from);
    vpblendmd(d | k6, where_clear, where_set);
  } else {
    spread_bits(scratch(3), from);
    vblendvps(d, where_clear, where_set, scratch(3));
  }
}

}  // namespace jit

vector_kind best_vectors(instruction_use use) {
  if (use == instruction_use::interpret || use == instruction_use::plain || !__builtin_cpu_supports("avx2") ||
      !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt"))
    return vector_kind::none;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide && use == instruction_use::best ? vector_kind::avx512 : vector_kind::avx2;
}

compiled_piece compile(const decoded_section& section, std::size_t begin, std::size_t end, vector_kind kind,
                       bool whole) {
  thread_local std::vector<std::uint8_t> buffer;
  buffer.resize(jit::most_code_bytes);
  Xbyak::ClearError();
  jit::piece_code c(section, begin, end, kind, whole, buffer);
  const std::size_t count = c.run();
  if (count == 0) return {};
  return {{buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(c.getSize())},
          static_cast<std::uint32_t>(count)};
}

}  // namespace bankwise::emulate

#else

namespace bankwise::emulate {

vector_kind best_vectors(instruction_use) { return vector_kind::none; }
compiled_piece compile(const decoded_section&, std::size_t, std::size_t, vector_kind, bool) { return {}; }

}  // namespace bankwise::emulate
#endif
