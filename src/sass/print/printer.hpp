// The printer contains the instruction to print, and the spelling of registers and numbers. The source files of this
// folder share the printer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "sass/operand/address.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/row.hpp"

namespace bankwise::sass {

using sv = std::string_view;

inline std::string reg(std::uint64_t n) { return n == register_zero ? "RZ" : "R" + std::to_string(n); }
inline std::string ureg(std::uint64_t n) { return n == uniform_register_zero ? "URZ" : "UR" + std::to_string(n); }
inline std::string pred(std::uint64_t n) { return n == predicate_true ? "PT" : "P" + std::to_string(n); }
inline std::string upred(std::uint64_t n) { return n == predicate_true ? "UPT" : "UP" + std::to_string(n); }
inline std::string hex0x(std::uint64_t n) { return "0x" + hex(n); }
inline std::string signed_hex(std::int64_t n) {
  return n < 0 ? "-0x" + hex(0 - static_cast<std::uint64_t>(n)) : hex0x(static_cast<std::uint64_t>(n));
}
// Joins the parts of an address, as in "R2+UR4+0x10".
std::string sum(const std::string& base, const std::string& uniform, std::int64_t offset);

class printer {
 public:
  printer(const instruction& i, std::uint64_t pc, bool reuse) : i_(i), pc_(pc), reuse_(reuse) {}

  std::string run();

  // Functions that print the parts {@name} of formats.
  void quad();
  void predicate_mask();
  void integer_multiply();
  void dot_product();
  void compared();
  void min_max_type();
  void mufu_source();
  void half_marks();
  void relu_predicate();
  void upper_half();
  void source_part();
  void equal_predicate();
  void equal_predicates();
  void integer_type();
  void pack_floats();
  void split_table();
  void r2ur_predicate();
  void wide_immediate();
  void target();
  void bra();
  void bra_uniform();
  void brx();
  void brx_uniform();
  void barrier_register();
  void absolute_offset();
  void bpt();
  void collective();
  void all_lanes();
  void depbar();
  void bar();
  void b2r();
  void cctl();
  void popc_or_arrive();
  void evict();
  void kept();
  void order_of_load();
  void order_of_store();
  void order_of_swap();
  void swap();
  void hmma_shape();
  void imma_shape();
  void imma_types();
  void negated_a();
  void negated_b();
  void sparse();
  void small_floats();
  void selector();
  void scales_reuse();
  void next_barrier();
  void wakeup();
  void extreme_of_move();
  void bulk_descriptor();
  void warpgroup();
  void channels();
  void lod();
  void encoding();
  void group_columns();
  void group_depth();
  void group_operands();
  void group_end();
  void product_in_tensor_memory();
  void shape_of_copy();
  void shape_of_move();
  void column_offset();

 private:
  void print(const part& p);
  void print_operand(const part& p);

  std::string register_name(file f, std::uint64_t n) const;
  // A source predicate. Its negation bit is three bits above the predicate's number.
  std::string not_pred(unsigned at, bool uniform) const {
    return std::string(i_.bit(at + 3) ? "!" : "") + (uniform ? upred(i_.bits(at, 3)) : pred(i_.bits(at, 3)));
  }
  static std::string inverted_pred(std::uint64_t p, bool uniform) {
    return std::string((p & 8) != 0 ? "!" : "") + (uniform ? upred(7 - (p & 7)) : pred(7 - (p & 7)));
  }
  bool is_plain_true(unsigned at) const { return i_.bits(at, 4) == predicate_true; }

  // --- Operands of ALU rows
  void operand(char slot, char letter);
  std::string half_select(const alu_operand& o) const;
  std::string reuse_mark(unsigned at) const {
    const opcode op = i_.info()->op;
    if (traits_of(op).unit == unit::texture || op == opcode::STTM || op == opcode::LDTM)
      return {};  // nvdisasm prints no reuse mark for these instructions
    const schedule s = i_.schedule();
    const bool is_marked = at == slot::a ? s.reuses_a : at == slot::b ? s.reuses_b : at == slot::c && s.reuses_c;
    return reuse_ && is_marked ? ".reuse" : "";
  }
  std::string constant() const;
  void immediate(char type);

  // --- Memory addresses
  std::string address_text(const address_form& form) const;
  void order(bool is_load);

  static std::string text_of(const predicate_operand& p, bool is_uniform = false) {
    return std::string(p.negated ? "!" : "") + (is_uniform ? upred(p.number) : pred(p.number));
  }
  predicate_operand predicate(field_name name) const { return row_fields(i_).predicate(name); }
  std::uint8_t register_of(field_name name) const { return row_fields(i_).register_of(name); }
  std::uint64_t value(field_name name) const { return row_fields(i_).value(name); }
  bool flag(field_name name) const { return row_fields(i_).flag(name); }

  const instruction& i_;
  const opcode_info* info_ = nullptr;
  std::uint64_t pc_;
  bool reuse_;
  std::string out_;
};

}  // namespace bankwise::sass
