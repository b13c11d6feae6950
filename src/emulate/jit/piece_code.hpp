// Generates the code of one piece. The instructions between two calls of handlers are a run. A part is a group of lanes
// that fits into one vector register. A run processes one part of the warp after another, and keeps rows in registers.
// Lanes do not interact within a run.
//
//     compiler.cpp           entry and exits, calls of handlers, which instructions become code
//     register_code.cpp      assignment of rows and words to vector registers
//     guard_code.cpp         guards and predicates
//     float_code.cpp, double_code.cpp, integer_code.cpp, shared_code.cpp, shuffle_code.cpp     the instructions
#pragma once

#define XBYAK_NO_EXCEPTION
#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "emulate/block/worker.hpp"
#include "emulate/jit/compiler.hpp"
#include "emulate/jit/piece.hpp"

namespace bankwise::emulate::jit {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using sass::opcode;

// Identifies a value that a vector register can contain: a row, or a word that is the same in all lanes.
using value_key = u64;
constexpr value_key key_of_row(unsigned row) { return row; }
constexpr value_key key_of_word(u32 value) { return u64{1} << 40 | value; }
constexpr value_key key_of_uniform(unsigned number) { return u64{2} << 40 | number; }
constexpr bool is_row(value_key k) { return k < register_rows; }

bool is_table_handler(const micro_op& u);
bool does_nothing(const micro_op& u);

class piece_code : public Xbyak::CodeGenerator {
 public:
  piece_code(const decoded_section& section, std::size_t begin, std::size_t end, vector_kind kind, bool whole,
             std::vector<u8>& buffer)
      : CodeGenerator(buffer.size(), buffer.data()),
        section_(section),
        begin_(begin),
        end_(end),
        wide_(kind == vector_kind::avx512),
        whole_(whole) {}

  // Generates the code. Returns the number of compiled instructions.
  std::size_t run();

 private:
  struct slow_access {
    std::size_t at;
    Xbyak::Label begin, back;
  };
  using vec = Xbyak::Xmm;  // a vector register of the size that the code uses

  const micro_op& op(std::size_t i) const { return section_.ops[begin_ + i]; }
  std::size_t find_end();

  // --- Entry and exit

  void enter();
  static bool is_unguarded(const micro_op& u) { return u.guard == 7 && u.guard_flip == 0; }
  static bool is_never(const micro_op& u) { return u.guard == 7 && u.guard_flip != 0; }

  // --- Calls of handlers

  void call(std::size_t i);
  // Loads the mask of active lanes into edx.
  void load_mask(const micro_op& u);
  void call_with_mask(std::size_t i, Xbyak::Label& skip);
  // Generates the early exits from the piece. The handler's result is in eax.
  void exits();

  // --- Loads from shared memory and stores to it, by whole warps

  bool is_shared_access(const micro_op& u) const;
  void shared_access(std::size_t i);
  // Stores words whose addresses are consecutive. If all lanes have the same address, stores the last lane's word.
  // Otherwise, calls the handler.
  void store(const sass::memory_access& f, slow_access& other);
  void slow_accesses();
  // Input: the addresses in zmm0 and zmm1, and the byte offset of the instruction's entry in piece_frame::memos in rsi.
  // Sets the carry flag if the access does not repeat a remembered access. Otherwise, returns the lowest address of the
  // access in the host's memory in rax, the remembered access in rsi, and the load plan in ecx.
  void check_repeated();
  // Loads words to the rows at rdi. Input: the lowest address in rax, the load plan in ecx, the remembered access in
  // rsi.
  void load_words(unsigned words);
  void pick(unsigned words, bool two);

  // --- Shuffles by constants

  bool is_shuffle(const micro_op& u) const;
  void shuffle(std::size_t i);
  void tables();

  // --- Runs

  bool is_lanewise(const micro_op& u);

  struct home {
    value_key key = 0;
    bool used = false, dirty = false;
    // whether the NaNs in the register may not be canonical yet; settle() makes them canonical
    bool loose = false;
    unsigned pinned = 0;  // if not 0, the value stays in its register while the current instruction is compiled
  };

  void lanewise(std::size_t begin, std::size_t end);
  unsigned part_bytes() const { return wide_ ? 64 : 32; }
  unsigned places() const { return wide_ ? 26 : 9; }
  vec v(unsigned n) const;
  vec scratch(unsigned n) const { return v(places() + n); }
  vec guard_vector() const { return v(14); }  // AVX2 only: all ones in the lanes whose guard is true
  vec nan_vector() const { return v(wide_ ? 31 : 15); }
  Xbyak::Address row_at(unsigned row) { return ptr[rbx + static_cast<int>(128 * row)]; }
  Xbyak::Address word_at(u32 value) { return ptr[rip + words_[value]]; }
  void words();
  // Records the uses of rows. If a register is needed, the row whose next use is farthest is evicted.
  void note_uses();
  static value_key key_of(const source& s);
  static std::optional<u32> word_of(const source& s);
  std::size_t next_use(value_key k) const;
  void save(unsigned h);
  // Replaces NaN by the canonical NaN of the GPU.
  void settle(unsigned h);
  void canonicalise(const vec& x);
  // Frees a register, and returns its number.
  unsigned make_room();
  std::optional<unsigned> find(value_key k) const;
  unsigned load(value_key k);
  // Return the register of an operand. read() makes its NaNs canonical. read_float() does not, because float arithmetic
  // accepts any NaN.
  vec read(const source& s);
  vec read_float(const source& s) { return v(load(key_of(s))); }
  vec word_vector(u32 value) { return v(load(key_of_word(value))); }
  // A register for a result. A later call of `put` assigns the register to a row.
  unsigned result();
  // Assigns a result to a row. `loose`: whether the result comes from float arithmetic, so that its NaNs are not
  // canonical yet.
  void put(unsigned h, unsigned row, bool loose = false);

  // --- Guards and predicates, as bits of the part's lanes

  void load_part(const Xbyak::Reg32& to, const Xbyak::Address& wide, const Xbyak::Address& narrow);
  // Loads the lanes of a predicate into the low bits of a register. The higher bits are undefined.
  void load_predicate(const Xbyak::Reg32& to, unsigned n, u32 flip);
  void load_lanes_to(const Xbyak::Reg32& to);
  // Writes the lanes whose guard is true, as bits to r8d and as a mask to k1 or guard_vector().
  void set_mask(const Xbyak::Reg32& from);
  // AVX2 only: extends each bit of the low byte to a lane.
  void spread_bits(const vec& to, const Xbyak::Reg32& from);
  // Loads the mask of lanes that execute the instruction into k1, and counts these lanes.
  void load_guard(const micro_op& u);
  void load_lanes();
  // Sets the predicate in lanes whose guard is true: the lanes in `from` get true, the other lanes get false. Uses rax.
  void put_predicate(unsigned n, const Xbyak::Reg32& from);
  // Combines the result of a comparison, which is in edx, with the instruction's predicate operand.
  void put_comparison(const micro_op& u, sass::logic how);
  void combine(const Xbyak::Reg32& a, const Xbyak::Reg32& b, sass::logic how);

  // --- Instructions

  // Compiles the instruction. Returns false if the instruction cannot be compiled and needs a call of its handler.
  // `makes`: whether to generate code. If false, the function only checks.
  bool emit(const micro_op& u, bool makes);
  void and_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpandd(d, a, b) : vpand(d, a, b); }
  void or_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpord(d, a, b) : vpor(d, a, b); }
  void xor_words(const vec& d, const vec& a, const vec& b) { wide_ ? vpxord(d, a, b) : vpxor(d, a, b); }
  void copy(const vec& d, const vec& a);
  // Selects `where_set` in the lanes whose bits in `from` are set, and `where_clear` in the other lanes.
  void blend(const vec& d, const vec& where_clear, const vec& where_set, const Xbyak::Reg32& from);
  // Copies the result of a comparison to edx, one bit per lane.
  void bits_of(const Xbyak::Opmask& k) { kmovw(edx, k); }
  void bits_of(const vec& condition) { vmovmskps(edx, Xbyak::Ymm(condition.getIdx())); }

  // --- Floats

  // Returns the operand with its sign and absolute value applied. `flush`: whether subnormal numbers become zeros
  // (AVX-512 only).
  vec float_operand(const source& s, u32 keep, u32 flip, bool flush, unsigned n);
  // Writes zeros to the lanes whose exponent in `tiny` is zero. Each zero keeps its sign.
  void flush_zeros(const vec& x, const vec& tiny);
  bool float_arithmetic(const micro_op& u, bool makes);
  void multiply_add(const vec& d, const vec& x, const vec& y, bool negate, bool subtract);
  void multiply_add_cut(const vec& d, const vec& x, const vec& y, bool negate, bool subtract);
  bool fsetp(const micro_op& u, bool makes);
  bool fsel(const micro_op& u, bool makes);

  // --- Doubles

  struct double_operand {
    vec low, high;
    u32 keep = ~0u, flip = 0;
  };
  void join_doubles(const vec& d, const double_operand& o, bool upper);
  bool double_arithmetic(const micro_op& u, bool makes);
  bool widen_float(const micro_op& u, bool makes);

  // --- Integers

  bool move(const micro_op& u, bool makes);
  bool select(const micro_op& u, bool makes);
  class sum;
  vec complemented(const source& s, u32 flip, unsigned n);
  bool iadd3(const micro_op& u, bool makes);
  bool word_sum(const micro_op& u, bool makes);
  bool vimnmx(const micro_op& u, bool makes);
  void put_carry(unsigned predicate, bool may, const Xbyak::Opmask& k);
  bool scaled_add(const micro_op& u, bool makes);
  bool imad(const micro_op& u, bool makes);
  // The code multiplies even lanes in place as 64-bit numbers. Odd lanes are first shifted by one position.
  bool imad_wide(const micro_op& u, bool makes);
  // Joins the even words of `even` with the odd words of `odd`.
  void upper_words(const vec& d, const vec& even, const vec& odd);
  bool isetp(const micro_op& u, bool makes);
  bool lop3(const micro_op& u, bool makes);
  bool shf(const micro_op& u, bool makes);
  // Computes the lower word of a pair of words, shifted right by a count in a register.
  void shift_pair_right(const micro_op& u);
  // Compiles -0 * 0 + word. With this operation, compilers write a word to a register.
  bool constant_result(const micro_op& u, bool makes);
  bool zeros(const micro_op& u, bool makes);
  void write_word(unsigned row, u32 value);

  // --- Predicates

  bool plop3(const micro_op& u, bool makes);
  // --- Facts known while the code is generated

  static constexpr value_key no_key = ~value_key{0} >> 1;
  static constexpr u8 unordered = 3;  // AVX comparison code for "unordered"

  struct exit {
    std::size_t at;
    Xbyak::Label label;
  };

  const decoded_section& section_;
  const std::size_t begin_, end_;
  const bool wide_, whole_;
  Xbyak::Label leave_, bits_;
  bool uses_bits_ = false, masked_ = false;
  std::deque<exit> exits_;
  std::deque<slow_access> slow_;
  Xbyak::Label check_, load_[5];
  std::map<u32, Xbyak::Label> words_;
  std::map<std::array<u32, 32>, Xbyak::Label> tables_;  // tables for shuffles
  std::array<home, 32> homes_{};
  std::map<value_key, std::vector<std::size_t>> uses_;
  std::size_t run_begin_ = 0, run_end_ = 0, now_ = 0, compiled_ = 0;
  unsigned instruction_ = 0;
};

}  // namespace bankwise::emulate::jit
