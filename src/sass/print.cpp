// The parts of a row, one behind the other; what no part describes is printed by a function of the table below.
#include "sass/print.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/float_bits.hpp"
#include "base/text.hpp"
#include "sass/address.hpp"
#include "sass/alu_operand.hpp"
#include "sass/branch.hpp"
#include "sass/pack_form.hpp"
#include "sass/row.hpp"
#include "sass/tensor_shape.hpp"
#include "sass/words.hpp"

namespace bankwise::sass {

namespace {

using sv = std::string_view;

std::string reg(std::uint64_t n) { return n == register_zero ? "RZ" : "R" + std::to_string(n); }
std::string ureg(std::uint64_t n) { return n == uniform_register_zero ? "URZ" : "UR" + std::to_string(n); }
std::string pred(std::uint64_t n) { return n == predicate_true ? "PT" : "P" + std::to_string(n); }
std::string upred(std::uint64_t n) { return n == predicate_true ? "UPT" : "UP" + std::to_string(n); }
std::string hex0x(std::uint64_t n) { return "0x" + hex(n); }
std::string signed_hex(std::int64_t n) {
  return n < 0 ? "-0x" + hex(0 - static_cast<std::uint64_t>(n)) : hex0x(static_cast<std::uint64_t>(n));
}

// nvdisasm prints floats with 20 significant digits, and from a thousand million on with 20 digits behind the point.
std::string float_text(double v) {
  if (std::isnan(v))
    return std::string(std::signbit(v) ? "-" : "+") + ((bits_of_double(v) >> 51 & 1) != 0 ? "QNAN " : "SNAN ");
  if (std::isinf(v)) return v < 0 ? "-INF " : "+INF ";
  if (v == 0) return std::signbit(v) ? "-0.0 " : "0";
  char buffer[64];
  const int n = std::snprintf(buffer, sizeof buffer, std::fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
  return {buffer, static_cast<std::size_t>(n)};
}

class printer {
 public:
  printer(const instruction& i, std::uint64_t pc, bool reuse) : i_(i), pc_(pc), reuse_(reuse) {}

  std::string run();

  // What no part of a row describes.
  void quad();
  void predicate_mask();
  void integer_multiply();
  void dot_product();
  void compared();
  void min_max_type();
  void mufu_source();
  void half_flush();
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
  void bulk_descriptor();
  void warpgroup();
  void encoding();
  void group_columns();
  void group_depth();
  void group_operands();
  void group_end();

 private:
  void print(const part& p);
  void print_operand(const part& p);

  std::string register_name(file f, std::uint64_t n) const;
  // A source predicate with its negation bit three above.
  std::string not_pred(unsigned at, bool uniform) const {
    return std::string(i_.bit(at + 3) ? "!" : "") + (uniform ? upred(i_.bits(at, 3)) : pred(i_.bits(at, 3)));
  }
  static std::string inverted_pred(std::uint64_t p, bool uniform) {
    return std::string((p & 8) != 0 ? "!" : "") + (uniform ? upred(7 - (p & 7)) : pred(7 - (p & 7)));
  }
  bool is_plain_true(unsigned at) const { return i_.bits(at, 4) == predicate_true; }

  // --- operands of ALU rows
  void operand(char slot, char letter);
  std::string half_select(const alu_operand& o) const;
  std::string reuse_mark(unsigned at) const {
    const unsigned bit = at == 24 ? 122 : at == 32 ? 123 : at == 64 ? 124 : 0;
    return reuse_ && bit != 0 && i_.bit(bit) ? ".reuse" : "";
  }
  std::string constant() const;
  void immediate(char type);

  // --- memory addresses
  std::string address_text(const address_form& form) const;
  void order(bool is_load);

  // A word of the value of a field.
  std::uint64_t value(field_name name) const { return row_fields(i_).value(name); }
  bool flag(field_name name) const { return row_fields(i_).flag(name); }

  const instruction& i_;
  const opcode_info* info_ = nullptr;
  std::uint64_t pc_;
  bool reuse_;
  std::string out_;
};

struct function_name {
  sv name;
  void (printer::*print)();
};
constexpr function_name functions[] = {
    {"quad", &printer::quad},
    {"predicate_mask", &printer::predicate_mask},
    {"imad", &printer::integer_multiply},
    {"idp", &printer::dot_product},
    {"compared", &printer::compared},
    {"min_max_type", &printer::min_max_type},
    {"mufu_source", &printer::mufu_source},
    {"half_flush", &printer::half_flush},
    {"relu_predicate", &printer::relu_predicate},
    {"upper_half", &printer::upper_half},
    {"source_part", &printer::source_part},
    {"is_a", &printer::equal_predicate},
    {"is_a2", &printer::equal_predicates},
    {"integer_type", &printer::integer_type},
    {"f2fp", &printer::pack_floats},
    {"split_table", &printer::split_table},
    {"r2ur_predicate", &printer::r2ur_predicate},
    {"imm64", &printer::wide_immediate},
    {"target", &printer::target},
    {"target_abs", &printer::target},
    {"bra", &printer::bra},
    {"bra_u", &printer::bra_uniform},
    {"brx", &printer::brx},
    {"brxu", &printer::brx_uniform},
    {"barrier_register", &printer::barrier_register},
    {"absolute_offset", &printer::absolute_offset},
    {"bpt", &printer::bpt},
    {"collective", &printer::collective},
    {"all_lanes", &printer::all_lanes},
    {"depbar", &printer::depbar},
    {"bar", &printer::bar},
    {"b2r", &printer::b2r},
    {"cctl", &printer::cctl},
    {"popc_or_arrive", &printer::popc_or_arrive},
    {"evict", &printer::evict},
    {"strong", &printer::order_of_load},
    {"strong_st", &printer::order_of_store},
    {"strong_cas", &printer::order_of_swap},
    {"cas", &printer::swap},
    {"hmma_shape", &printer::hmma_shape},
    {"imma_shape", &printer::imma_shape},
    {"imma_types", &printer::imma_types},
    {"negated_a", &printer::negated_a},
    {"negated_b", &printer::negated_b},
    {"sparse", &printer::sparse},
    {"small_floats", &printer::small_floats},
    {"bulk_descriptor", &printer::bulk_descriptor},
    {"warpgroup", &printer::warpgroup},
    {"encoding", &printer::encoding},
    {"group_columns", &printer::group_columns},
    {"group_depth", &printer::group_depth},
    {"group_operands", &printer::group_operands},
    {"group_end", &printer::group_end},
};
constexpr const function_name* find_function(sv name) {
  for (const function_name& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

// What is wrong with a format; null: nothing. A row that says what nobody can print does not compile.
constexpr const char* error_in(sv format) {
  while (!format.empty()) {
    const char* error = nullptr;
    const part p = take_part(format, error);
    if (error != nullptr) return error;
    if (p.kind == part_kind::word && p.text != "sr" && find_words(p.text) == nullptr)
      return "a table of words that is not there";
    if (p.kind == part_kind::address && find_form(p.text) == nullptr) return "an address of a form that is not there";
    if (p.kind == part_kind::function && find_function(p.text) == nullptr) return "a function that is not there";
  }
  return nullptr;
}
#define ALU_IN(first, last, name, bits, traits, format) static_assert(error_in(format) == nullptr, format);
#define OP_IN(first, last, name, bits, traits, format) static_assert(error_in(format) == nullptr, format);
#define ALSO_ALU_IN(first, last, name, bits, format) static_assert(error_in(format) == nullptr, format);
#define ALSO_OP_IN(first, last, name, bits, format) static_assert(error_in(format) == nullptr, format);
#include "sass/opcodes.def"
#undef ALU_IN
#undef OP_IN
#undef ALSO_ALU_IN
#undef ALSO_OP_IN

std::string printer::run() {
  info_ = i_.info();
  if (info_ == nullptr) return "UNKNOWN 0x" + hex(i_.high, 16) + hex(i_.low, 16);
  if (i_.guard() != predicate_true || i_.guard_negated()) {
    out_ += std::string("@") + (i_.guard_negated() ? "!" : "") +
            (has_uniform_guard(info_->op) ? upred(i_.guard()) : pred(i_.guard())) + " ";
  }
  for (const part& p : parts_of(*info_))
    if (!p.silent && holds(p, i_)) print(p);
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  return std::move(out_);
}

void printer::print(const part& p) {
  switch (p.kind) {
    case part_kind::text: out_ += p.text; break;
    case part_kind::flag:
      if (i_.bit(p.at) != p.inverted) out_ += p.text;
      break;
    case part_kind::word: {
      const auto value = i_.bits(p.at, p.count);
      if (p.text == "sr") {
        const sv text = special_register(static_cast<unsigned>(value), i_.set);
        out_ += text.empty() ? "SR" + std::to_string(value) : std::string(text);
        break;
      }
      const auto table = words(p.text, i_.set);
      out_ += value < table.size() ? std::string(table[value]) : ".INVALID" + std::to_string(value);
      break;
    }
    case part_kind::number:
      out_ += p.is_signed ? signed_hex(i_.signed_bits(p.at, p.count)) : hex0x(i_.bits(p.at, p.count));
      break;
    case part_kind::operand: print_operand(p); break;
    case part_kind::alu: operand(p.slot, p.letter); break;
    case part_kind::address: out_ += address_text(*find_form(p.text)); break;
    case part_kind::function: (this->*find_function(p.text)->print)(); break;
  }
  if (p.comma_behind) out_ += ", ";
}

std::string printer::register_name(file f, std::uint64_t n) const {
  switch (f) {
    case file::vector: return reg(n);
    case file::uniform: return ureg(n);
    case file::predicate: return pred(n);
    case file::uniform_predicate: return upred(n);
    case file::barrier: return "B" + std::to_string(n);
    default: return std::string("Rpc") + (n != 0 ? ".HI" : ".LO");
  }
}

void printer::print_operand(const part& p) {
  if (p.count == 0) {
    out_ += p.file == file::predicate ? "PR" : "UPR";
    return;
  }
  const bool is_uniform = p.file == file::uniform || p.file == file::uniform_predicate;
  const bool is_predicate = p.file == file::predicate || p.file == file::uniform_predicate;
  const auto n = p.file == file::uniform ? i_.uniform(p.at) : i_.bits(p.at, p.count);
  std::string text;
  if (p.inverted)
    text = inverted_pred(i_.bits(p.at, 4), is_uniform);
  else if (p.negatable)
    text = not_pred(p.at, is_uniform);
  else
    text = register_name(p.file, n) + (p.file == file::vector ? reuse_mark(p.at) : "");
  const bool is_true = p.inverted     ? i_.bits(p.at, 4) == 0
                       : p.negatable  ? is_plain_true(p.at)
                       : is_predicate ? n == predicate_true
                                      : n == register_zero;
  switch (p.when) {
    case when::always: out_ += text; return;
    case when::comma: out_ += ", " + text; return;
    case when::unless_true: out_ += is_true ? "" : text + ", "; return;
    case when::comma_unless_true: out_ += is_true ? "" : ", " + text; return;
    case when::space_unless_true: out_ += is_true ? "" : " " + text; return;
  }
}

// --- operands of ALU rows

void printer::operand(char slot, char letter) {
  const alu_operand o = alu_operand_of(i_, slot, letter);
  if (o.kind == operand_kind::immediate) return immediate(letter);
  std::string s = o.kind == operand_kind::vector    ? reg(o.number)
                  : o.kind == operand_kind::uniform ? ureg(o.number)
                                                    : constant();
  if (o.absolute) s = "|" + s + "|";
  // Only registers of this row's own file have marks: those that a form puts in place of b or c have none.
  const bool is_swapped = o.at == 32 && form_of(i_) != alu_form::b_reg_c_reg;
  const bool c_at_32 = c_is_at_32(form_of(i_));
  const unsigned bit = slot == 'a' ? 122 : slot == 'b' || (slot == 'B' && !c_at_32) ? 123 : 124;
  if (reuse_ && !is_swapped && i_.bit(bit)) s += ".reuse";
  if (letter == 'h') s += half_select(o);
  if (o.negated) {
    const bool complements =
        letter == 'l' || letter == 'w' || (!o.is_float() && letter != 'i' && letter != 't' && i_.bit(74));
    s = (complements ? "~" : "-") + s;
  }
  out_ += s;
}

std::string printer::half_select(const alu_operand& o) const {
  const bool is_b_of_fma = info_->op == opcode::HFMA2 && o.at == 32;
  switch (o.half) {
    case 2: return ".H0_H0";
    case 3: return ".H1_H1";
    case 1: return is_b_of_fma ? ".F32" : ".INVALID1";
    default: return is_b_of_fma && i_.bit(86) ? ".H0_NH1" : "";
  }
}

std::string printer::constant() const {
  const std::string offset = "[" + hex0x(constant_offset(i_)) + "]";
  if (has_bound_bank(i_))
    return "cx[" + (i_.bits(32, 6) == 63 ? "URZ" : "UR" + std::to_string(i_.bits(32, 6))) + "]" + offset;
  const bool apart = info_->op == opcode::HFMA2 && i_.set < isa::hopper;
  return "c[" + hex0x(constant_bank(i_)) + (apart ? "] " : "]") + offset;
}

// float to double without turning signalling NaNs into quiet ones.
double widened(std::uint32_t n) {
  if ((n & 0x7f800000) != 0x7f800000) return float_of_bits(n);
  return double_of_bits(static_cast<std::uint64_t>(n & 0x80000000) << 32 | std::uint64_t{0x7ff} << 52 |
                        static_cast<std::uint64_t>(n & 0x7fffff) << 29);
}

void printer::immediate(char type) {
  const std::uint32_t n = immediate_of(i_);
  switch (type) {
    case 'f':
    case 'g': out_ += float_text(widened(n)); return;
    case 'd':
    case 'e': out_ += float_text(double_of_bits(static_cast<std::uint64_t>(n) << 32)); return;
    case 'h':
    case 'm': {
      const bool bf16 = i_.bit(info_->op == opcode::HSET2 || info_->op == opcode::HSETP2 ? 65 : 85);
      const auto one = [&](std::uint32_t h) {
        return float_text(bf16 ? float_of_bfloat16(static_cast<std::uint16_t>(h))
                               : float_of_half(static_cast<std::uint16_t>(h)));
      };
      out_ += one(n >> 16);
      if (!(info_->op == opcode::HADD2 && i_.bit(78))) out_ += ", " + one(n & 0xffff);  // .F32 adds one half
      return;
    }
    case 's':
    case 'y':
    case 'n':
    case 'v': out_ += signed_hex(static_cast<std::int32_t>(n)); return;
    case 't':  // signed unless the instruction compares as unsigned
      out_ += i_.bit(72) ? signed_hex(static_cast<std::int32_t>(n)) : hex0x(n);
      return;
    default: out_ += hex0x(n); return;
  }
}

// --- memory addresses

// "[R2+UR4+0x10]": whichever parts there are.
std::string sum(const std::string& base, const std::string& uniform, std::int64_t offset) {
  std::string s = base;
  if (!uniform.empty()) s += (s.empty() ? "" : "+") + uniform;
  if (offset != 0) s += (s.empty() ? "" : "+") + signed_hex(offset);
  return "[" + (s.empty() ? "RZ" : s) + "]";
}

std::string printer::address_text(const address_form& form) const {
  const address a = address_of(i_, form);
  if (form.constant) {
    if (!form.has_base) return constant();
    const bool is_zero = a.base == register_zero;
    return "c[" + hex0x(a.bank) + "]" +
           (is_zero && a.offset != 0 ? "[" + signed_hex(a.offset) + "]"
                                     : sum(a.uniform_base ? ureg(a.base) : reg(a.base), "", a.offset));
  }
  const std::string u = ureg(a.uniform);
  if (a.uniform_base) return sum(ureg(a.base), "", a.offset);
  if (form.global) {
    if (!a.adds_uniform && !a.has_descriptor) return sum(reg(a.base), "", a.offset);
    // Before sm_90 a descriptor is not printed, and neither is RZ beside a uniform register.
    const bool older = i_.set < isa::hopper;
    const std::string base = reg(a.base) + (a.wide ? ".64" : ".U32");
    if (a.has_descriptor) return (older ? "" : "desc[" + u + "]") + sum(base, "", a.offset);
    return sum(older && a.base == register_zero ? "" : base, u, a.offset);
  }
  if (a.has_descriptor) return "desc[" + u + "]" + sum(reg(a.base), "", a.offset);
  static constexpr sv scales[] = {"", "", ".X4", ".X8", ".X16"};
  const bool omits = a.base == register_zero && a.shift == 0 && (a.adds_uniform || a.offset != 0);
  return sum(omits ? "" : reg(a.base) + std::string(scales[a.shift]), a.adds_uniform ? u : "", a.offset);
}

// --- moves, integers

void printer::quad() {
  if (const auto lanes = value("lanes"); lanes != 0xf) out_ += ", " + hex0x(lanes);
}
void printer::predicate_mask() {
  if (const auto mask = value("mask"); mask != 0xff) out_ += ", " + hex0x(mask);
}
// Aliases that say what a multiplication by 0, 1 or a power of two is for.
void printer::integer_multiply() {
  out_ += "IMAD";
  const alu_form form = form_of(i_);
  const bool b_imm = form == alu_form::b_imm;
  const bool aliased = b_imm || form == alu_form::b_reg_c_reg || form == alu_form::c_imm ||
                       (form == alu_form::c_const && i_.set < isa::hopper);
  if (!aliased || flag(".X")) return;
  const alu_operand a = alu_operand_of(i_, 'a', 'x'), b = alu_operand_of(i_, 'b', 'x'),
                    c = alu_operand_of(i_, 'c', 'x');
  const std::uint32_t factor = immediate_of(i_);
  const bool power_of_two = factor != 0 && (factor & (factor - 1)) == 0 && factor != 0x10000;
  if ((b_imm ? factor == 0 : b.number == register_zero) || a.number == register_zero)
    out_ += ".MOV";
  else if (b_imm && factor == 1)
    out_ += ".IADD";
  else if (b_imm && power_of_two && c.number == register_zero)
    out_ += ".SHL";
}
void printer::dot_product() {
  const bool halves = flag("halves");
  out_ += !halves ? ".4A" : flag("high") ? ".2A.HI" : ".2A.LO";
  out_ += flag("a_signed") ? (halves ? ".S16" : ".S8") : (halves ? ".U16" : ".U8");
  out_ += flag("b_signed") ? ".S8" : ".U8";
}
void printer::compared() {
  if (flag(".64"))
    out_ += flag(".U32") ? ".U64" : ".S64";
  else if (flag(".U32"))
    out_ += ".U32";
}
void printer::min_max_type() { out_ += flag(".64") ? (flag(".U32") ? ".U64" : ".S64") : flag(".U32") ? ".U32" : ""; }
void printer::wide_immediate() { out_ += hex0x(wide_immediate_of(i_)); }

// --- floats, conversions

// 6 and 7 take the upper half of a double.
void printer::mufu_source() {
  const auto function = value("mufu");
  operand('B', function == 6 || function == 7 ? 'd' : 'f');
}
void printer::half_flush() {
  const bool flushes = flag(".FTZ"), zeroes = flag(".FMZ");
  out_ += flushes && zeroes ? ".OOB" : flushes ? ".FTZ" : zeroes ? ".FMZ" : "";
}
void printer::relu_predicate() {
  if (flag(".RELU") && i_.bits(87, 3) != predicate_true) out_ += ", " + pred(i_.bits(87, 3));
}
// The upper half of a register: only where the source is a half.
void printer::upper_half() {
  const auto from = value("from");
  const bool halves = info_->op == opcode::MUFU ? value("mufu_type") != 0 : from == 1 || from == 4;
  const bool in_register = form_of(i_) == alu_form::b_reg_c_reg || form_of(i_) == alu_form::b_uniform;
  if (halves && in_register && value("part") == 1) out_ += ".H1";
}
void printer::source_part() {
  const auto size = value("size"), part = value("part");
  if (form_of(i_) == alu_form::b_imm || part == 0 || size > 1) return;
  out_ += size == 1 ? ".H1" : ".B" + std::to_string(part);
}
void printer::equal_predicate() {
  if (flag(".IS_A")) out_ += "P0, ";
}
void printer::equal_predicates() {
  if (flag(".IS_A")) out_ += "P0, P0, ";
}
void printer::integer_type() {
  const bool is_signed = flag("signed");
  const auto size = value("size");
  if (!(is_signed && size == 2)) out_ += std::string(is_signed ? ".S" : ".U") + std::to_string(8u << size);
}

// F2FP packs two floats, converts one in place, or unpacks: which of them is spread over several fields.
void printer::pack_floats() {
  static constexpr sv type[] = {".F16", ".BF16", ".???2", ".TF32", ".E5M2", ".E4M3", ".???6", ".???7"};
  static constexpr sv source[] = {".F32", ".F16", ".E5M2", ".E4M3"};
  static constexpr sv round[] = {"", ".???1", ".???2", ".RZ"};
  const pack_form f = pack_form_of(i_);
  if (flag(".SATFINITE") && f.from < 2 && type[f.to] != ".TF32") out_ += ".SATFINITE";
  if (flag(".RELU")) out_ += ".RELU";
  const bool untyped = i_.set < isa::ada;  // from F32, and to F16 unless it says otherwise
  if (!untyped || f.to != 0) out_ += type[f.to];
  if (!untyped) out_ += source[f.from];
  out_ += f.unpacks ? ".UNPACK_B" : f.packs_b ? ".PACK_B" : f.merges_one ? ".MERGE_C" : ".PACK_AB";
  if (f.merges_pair) out_ += "_MERGE_C";
  out_ += round[value("rnd")];
  out_ += " " + reg(i_.bits(16, 8)) + ", ";
  if (f.has_a()) {
    operand('a', 'x');
    out_ += ", ";
  }
  operand('b', 'x');
  if (f.unpacks && value("part") == 1) out_ += ".H1";
  if (f.from >= 2 && flag(".H1_B")) out_ += ".H1";
  if (f.has_c) {
    out_ += ", ";
    operand('c', 'x');
    if (flag(".H1")) out_ += ".H1";
  }
}

// --- predicates

void printer::split_table() { out_ += hex0x(value("table_high") << 3 | value("table_low")); }
void printer::r2ur_predicate() {
  if (const auto p = i_.bits(81, 3); flag(".OR") || p != predicate_true) out_ += pred(p) + ", ";
}

// --- control flow

void printer::target() { out_ += signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_))); }
void printer::bra() {
  static constexpr sv kinds[] = {"", ".U", ".DIV", ".CONV"};
  const branch b = branch_of(i_);
  out_ += std::string(kinds[static_cast<unsigned>(b.kind)]) + (b.any ? ".ANY " : " ");
  if (!is_plain_true(87)) out_ += not_pred(87, false) + ", ";
  if (b.kind == branch_kind::uniform && i_.bits(24, 4) != 0) out_ += inverted_pred(i_.bits(24, 4), true) + ", ";
  if (b.has_lanes) out_ += std::string(b.lanes_inverted ? "~" : "") + ureg(b.lanes) + ", ";
  target();
}
void printer::bra_uniform() {
  out_ += std::string(".U") + (flag(".ANY") ? ".ANY " : " ") + (is_plain_true(87) ? "" : not_pred(87, false) + ", ") +
          not_pred(24, true) + ", ";
  target();
}
// Relative to the next instruction, as the register is.
void printer::brx() {
  out_ += " " + reg(i_.bits(24, 8)) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::brx_uniform() {
  out_ += " " + ureg(i_.uniform(24)) + " " + signed_hex(static_cast<std::int64_t>(branch_target(i_, pc_) - pc_ - 16));
}
void printer::barrier_register() {
  const bool to_barrier = info_->op == opcode::BMOV_B || info_->op == opcode::BMOV_I;
  const auto n = i_.bits(24, 5);
  out_ += n < 16                  ? "B" + std::to_string(n)
          : to_barrier && n == 22 ? "TRAP_RETURN_PC.HI"
          : n == 24               ? "MEXITED"
                                  : "B" + std::to_string(n);
}
void printer::absolute_offset() {
  if (const std::int64_t offset = i_.distance(); offset != 0) out_ += " " + signed_hex(offset * 4);
}
void printer::bpt() {
  static constexpr sv kinds[] = {".INVALID0", ".CAL", ".PAUSE", ".TRAP", ".INT", ".DRAIN", ".DRAIN", ".DRAIN"};
  out_ += kinds[i_.bits(84, 3)];
  if (const auto n = i_.bits(34, 20); n != 0) out_ += " " + hex0x(n);
}
void printer::collective() {
  if (!flag(".COLLECTIVE")) return;
  out_ += ", ";
  target();
}
void printer::all_lanes() {
  const bool collective = flag(".COLLECTIVE");
  if (!is_plain_true(87)) out_ += " " + not_pred(87, false) + (collective ? "," : "");
  if (!collective) return;
  out_ += " ";
  target();
}
void printer::depbar() {
  if (i_.bit(47)) {
    out_ += ".LE SB" + std::to_string(i_.bits(44, 3)) + ", " + hex0x(i_.bits(38, 6));
    std::string rest;
    for (unsigned b = 0; b < 6; ++b)
      if (i_.bit(32 + b)) rest += (rest.empty() ? "" : ",") + std::to_string(b);
    if (!rest.empty()) out_ += ", {" + rest + "}";
  } else {
    for (unsigned b = 6; b-- > 0;)
      if (i_.bit(32 + b)) out_ += std::string(out_.ends_with("DEPBAR") ? " {" : ",") + std::to_string(b);
    if (!out_.ends_with("DEPBAR")) out_ += "}";
  }
}
void printer::b2r() {
  static constexpr sv kinds[] = {"", ".RESULT", ".WARP", ".INVALID3"};
  const auto kind = value("kind");
  out_ += std::string(kinds[kind]) + " " + reg(i_.bits(16, 8));
  if (kind == 0) out_ += ", " + hex0x(value("barrier"));
  if (kind == 1 && i_.bits(81, 3) != predicate_true) out_ += ", " + pred(i_.bits(81, 3));
}
void printer::bar() {
  static constexpr sv kinds[] = {".SYNC", ".ARV", ".RED", ".SCAN"};
  static constexpr sv reductions[] = {".POPC", ".AND", ".OR", ".INVALID3"};
  const auto kind = value("kind");
  out_ += kinds[kind];
  if (flag(".ALL")) out_ += "ALL";
  if (kind == 2) out_ += reductions[value("reduction")];
  if (flag(".DEFER_BLOCKING")) out_ += ".DEFER_BLOCKING";
  const bool id_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_RI;
  const bool count_is_reg = info_->op == opcode::BAR_RR || info_->op == opcode::BAR_IR;
  out_ += " " + (id_is_reg ? reg(i_.bits(32, 8)) : hex0x(value("barrier")));
  if (count_is_reg)
    out_ += ", " + reg(i_.bits(32, 8));
  else if (const auto n = value("threads"); n != 0)
    out_ += ", " + hex0x(n);
  if (kind >= 2) out_ += ", " + not_pred(87, false);
}
void printer::cctl() {
  static constexpr sv cache[] = {"", ".U", ".C", ".I"};
  static constexpr sv what[] = {".PF1",    ".PF2",   ".WB",     ".IV",   ".IVALL", ".RS",
                                ".IVALLP", ".WBALL", ".WBALLP", ".PML2", ".DML2",  ".RML2"};
  const auto k = i_.bits(87, 4);
  const bool all = k == 4 || k == 6 || k == 7 || k == 8;
  out_ += std::string(i_.bit(72) && !all ? ".E" : "") + std::string(cache[i_.bits(78, 2)]) +
          std::string(k < 12 ? what[k] : ".INVALID");
  if (all) return;
  out_ += " ";
  out_ += i_.bit(91) ? sum(reg(i_.bits(24, 8)) + ".U32", ureg(i_.uniform(64)), i_.signed_bits(32, 32))
                     : sum(reg(i_.bits(24, 8)), "", i_.signed_bits(32, 32));
}

// --- memory

void printer::popc_or_arrive() { out_ += value("operation") == 9 ? ".ARRIVE.64" : ".POPC.INC.32"; }
void printer::evict() {
  static constexpr sv kinds[] = {".EF", "", ".EL", ".LU", ".EU", ".NA", ".INVALID6", ".INVALID7"};
  out_ += kinds[i_.bits(84, 3)];
}
void printer::order(bool is_load) {
  static constexpr sv orders[] = {"",          ".CONSTANT.PRIVATE", ".CONSTANT.CTA",        ".CONSTANT.CTA.PRIVATE",
                                  ".CONSTANT", ".STRONG.SM",        ".STRONG.GPU.PRIVATE",  ".STRONG.GPU",
                                  ".MMIO.GPU", ".CONSTANT.SM",      ".STRONG.SYS",          ".CONSTANT.SM.PRIVATE",
                                  ".MMIO.SYS", ".CONSTANT.VC",      ".CONSTANT.VC.PRIVATE", ".CONSTANT.GPU"};
  const auto order = value("order");
  if (traits_of(i_.set).split_order) {
    static constexpr sv strength[] = {".CONSTANT", "", ".STRONG", ".MMIO"}, scope[] = {".CTA", ".SM", ".GPU", ".SYS"};
    out_ += std::string(strength[order >> 2]) + std::string(scope[order & 3]);
    return;
  }
  out_ += order == 4 && !is_load ? ".STRONG.SM.PRIVATE" : std::string(orders[order]);
}
void printer::order_of_load() { order(true); }
void printer::order_of_store() { order(false); }
void printer::order_of_swap() {
  if ((value("swap") & 1) == 0) order(false);
}
void printer::swap() {
  static constexpr sv kinds[] = {".CAS", ".CAST", ".CAS", ".CAST.SPIN"};
  out_ += kinds[value("swap")];
}

// --- tensor cores: shapes depend on several fields, and sparse forms have operands of their own

void printer::hmma_shape() {
  const bool wide = flag("wide"), narrow = flag("narrow");
  if (flag(".SP"))
    out_ += narrow ? ".16832" : wide ? ".16816" : ".1688";
  else
    out_ += narrow ? (wide ? ".INVALID3" : ".1684") : wide ? ".16816" : ".1688";
}
void printer::imma_shape() {
  const tensor_shape s = tensor_shape_of(i_);
  if (s.rows == 0)
    out_ += ".INVALID" + std::to_string(value("shape_high") << 1 | value("shape_low"));
  else
    out_ += "." + std::to_string(s.rows) + "8" + std::to_string(s.k);
}
void printer::imma_types() {
  static constexpr sv types[] = {".U8", ".S8", ".U4", ".S4"};
  out_ += types[value("a_signed") | value("a_nibbles") << 1];
  out_ += types[value("b_signed") | value("b_nibbles") << 1];
}
void printer::negated_a() {
  if (flag(".negA")) out_ += "-";
}
void printer::negated_b() {
  if (flag(".negB")) out_ += "-";
}
void printer::sparse() {
  if (flag(".SP")) out_ += ", " + reg(i_.bits(40, 8)) + ", " + hex0x(value("selector"));
}
void printer::small_floats() {
  static constexpr sv types[] = {".E4M3", ".E5M2", ".INVALID2", ".E3M2", ".E2M3", ".E2M1", ".INVALID6", ".INVALID7"};
  out_ += types[value("a_type") | value("a_type_high") << 1];
  out_ += types[value("b_type") | value("b_type_high") << 1];
}
void printer::bulk_descriptor() {
  if (i_.bit(76)) out_ += ", desc[" + ureg(i_.uniform(40)) + "]";
}
void printer::warpgroup() {
  const auto kind = i_.bits(79, 2);
  out_ += kind == 0 ? ".ARRIVE" : kind == 1 ? ".WAIT" : ".DEPBAR.LE gsb0, " + hex0x(i_.bits(84, 3));
}
void printer::encoding() { out_ += " /* 0x" + hex(i_.high, 16) + hex(i_.low, 16) + " */"; }
void printer::group_columns() { out_ += std::to_string(warp_group_columns(i_, info_->op)); }
void printer::group_depth() { out_ += value("hmma_in") == 2 || i_.bit(58) ? "8" : "16"; }
void printer::group_operands() {
  const bool a_in_registers = group_has_a_in_registers(i_);
  if (a_in_registers) out_ += (flag(".negA") ? "-" : "") + reg(i_.bits(24, 8)) + ", ";
  out_ += "gdesc[" + ureg(i_.uniform(a_in_registers ? 32 : 24)) + "]";
  if (flag(".tnspA") && !a_in_registers) out_ += ".tnspA";
  if (flag(".tnspB")) out_ += ".tnspB";
  if (flag(".negA") && !a_in_registers) out_ += ".negA";
  if (flag(".negB")) out_ += ".negB";
}
void printer::group_end() {
  if (value("group") != 7) out_ += ", gsb0";
  sparse();
}

}  // namespace

std::string to_text(const instruction& i, std::uint64_t pc) { return printer(i, pc, false).run(); }
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc) { return printer(i, pc, true).run(); }

}  // namespace bankwise::sass
