// Prints the parts of a row in order. Functions of the table below print the parts {@name}.
#include "sass/print/print.hpp"

#include <cmath>
#include <cstdio>

#include "base/float_bits.hpp"
#include "sass/operand/float_pair.hpp"
#include "sass/print/printer.hpp"
#include "sass/words.hpp"

namespace bankwise::sass {

namespace {

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
    {"half_marks", &printer::half_marks},
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
    {"kept", &printer::kept},
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
    {"selector", &printer::selector},
    {"scales_reuse", &printer::scales_reuse},
    {"next_barrier", &printer::next_barrier},
    {"bulk_descriptor", &printer::bulk_descriptor},
    {"wakeup", &printer::wakeup},
    {"extreme", &printer::extreme_of_move},
    {"warpgroup", &printer::warpgroup},
    {"channels", &printer::channels},
    {"lod", &printer::lod},
    {"encoding", &printer::encoding},
    {"group_columns", &printer::group_columns},
    {"group_depth", &printer::group_depth},
    {"group_operands", &printer::group_operands},
    {"group_end", &printer::group_end},
    {"tensor_product", &printer::product_in_tensor_memory},
    {"tensor_copy", &printer::shape_of_copy},
    {"tensor_shape", &printer::shape_of_move},
    {"tensor_offset", &printer::column_offset},
};
constexpr const function_name* find_function(sv name) {
  for (const function_name& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

#if defined(BANKWISE_CHECK_FORMATS)
// Returns the error in a format, or null. The check of all rows takes seconds at compile time, so a separate target
// (src/CMakeLists.txt) runs it.
constexpr const char* error_in(sv format) {
  while (!format.empty()) {
    const char* error = nullptr;
    const part p = take_part(format, error);
    if (error != nullptr) return error;
    if (p.kind == part_kind::word && p.text != "sr" && find_words(p.text) == nullptr)
      return "there is no table of words with this name";
    if (p.kind == part_kind::address && find_form(p.text) == nullptr) return "there is no address form with this name";
    if (p.kind == part_kind::function && find_function(p.text) == nullptr) return "there is no function with this name";
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
#endif

// Prints floats with 20 significant digits, like nvdisasm. Floats of at least 1,000,000,000 have an exponent, and 20
// digits after the point.
std::string float_text(double v) {
  if (std::isnan(v))
    return std::string(std::signbit(v) ? "-" : "+") + ((bits_of_double(v) >> 51 & 1) != 0 ? "QNAN " : "SNAN ");
  if (std::isinf(v)) return v < 0 ? "-INF " : "+INF ";
  if (v == 0) return std::signbit(v) ? "-0.0 " : "0";
  char buffer[64];
  const int n = std::snprintf(buffer, sizeof buffer, std::fabs(v) >= 1e9 ? "%.20e" : "%.20g", v);
  return {buffer, static_cast<std::size_t>(n)};
}

}  // namespace

std::string sum(const std::string& base, const std::string& uniform, std::int64_t offset) {
  std::string s = base;
  if (!uniform.empty()) s += (s.empty() ? "" : "+") + uniform;
  if (offset != 0) s += (s.empty() ? "" : "+") + signed_hex(offset);
  return "[" + (s.empty() ? "RZ" : s) + "]";
}

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

// --- Operands of ALU rows

static const char* order_text(pair_order order) {
  switch (order) {
    case pair_order::high_low: return ".F32x2.HI_LO";
    case pair_order::low_high: return ".F32x2.LO_HI";
    case pair_order::one: return ".F32";
    case pair_order::unknown: break;
  }
  return ".INVALID3";
}

void printer::operand(char slot, char letter) {
  const bool is_pair = is_float_pair(info_->op);
  if (is_pair) letter = 'f';
  const alu_operand o = alu_operand_of(i_, slot, letter);
  if (o.kind == operand_kind::immediate) return immediate(letter);
  std::string s = o.kind == operand_kind::vector    ? reg(o.number)
                  : o.kind == operand_kind::uniform ? ureg(o.number)
                                                    : constant();
  if (o.absolute) s = "|" + s + "|";
  // Only a vector register has a reuse mark. In all forms except b_reg_c_reg, the operand at bit 32 is an immediate, a
  // constant or a uniform register.
  const bool is_swapped = o.at == 32 && form_of(i_) != alu_form::b_reg_c_reg;
  const bool c_at_32 = c_is_at_32(form_of(i_));
  const schedule marks = i_.schedule();
  const bool is_marked = slot == 'a'                                ? marks.reuses_a
                         : slot == 'b' || (slot == 'B' && !c_at_32) ? marks.reuses_b
                                                                    : marks.reuses_c;
  if (reuse_ && !is_swapped && is_marked && o.kind != operand_kind::uniform) s += ".reuse";
  if (letter == 'h' || letter == 'k') s += half_select(o);
  if (is_pair) s += order_text(pair_order_of(i_, slot));
  if (o.negated) {
    const bool complements = letter == 'l' || letter == 'w' || (!o.is_float() && letter != 'i' && flag(".X"));
    s = (complements ? "~" : "-") + s;
  }
  out_ += s;
}

std::string printer::half_select(const alu_operand& o) const {
  const bool is_b_of_fma = info_->op == opcode::HFMA2 && o.at == (c_is_at_32(form_of(i_)) ? slot::c : slot::b);
  if (is_b_of_fma && i_.set >= isa::hopper && flag("exchanges_b") && o.half != half_choice::exchanged)
    return ".INVALID" + std::to_string(4 + static_cast<unsigned>(o.half));
  switch (o.half) {
    case half_choice::low_twice: return ".H0_H0";
    case half_choice::high_twice: return ".H1_H1";
    case half_choice::one_float: {
      const bool of_any =
          (info_->op == opcode::HADD2 && i_.set == isa::turing) || (info_->op == opcode::HFMA2 && i_.set < isa::hopper);
      return is_b_of_fma || of_any ? ".F32" : ".INVALID1";
    }
    case half_choice::exchanged: return ".H0_NH1";
    case half_choice::both: break;
  }
  return {};
}

std::string printer::constant() const {
  const std::string offset = "[" + hex0x(constant_offset(i_)) + "]";
  if (has_bound_bank(i_)) return "cx[" + ureg(bound_bank(i_)) + "]" + offset;
  const bool apart = info_->op == opcode::HFMA2 && i_.set < isa::hopper;
  return "c[" + hex0x(constant_bank(i_)) + (apart ? "] " : "]") + offset;
}

// Converts a float to a double. A signalling NaN stays signalling.
static double widened(std::uint32_t n) {
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
    case 'k':
    case 'm': {
      const bool bf16 = flag(".BF16_V2");
      const auto one = [&](std::uint32_t h) {
        return float_text(bf16 ? float_of_bfloat16(static_cast<std::uint16_t>(h))
                               : float_of_half(static_cast<std::uint16_t>(h)));
      };
      out_ += one(n >> 16);
      // With .F32, only one half of B is printed.
      if (!flag(".F32") || c_is_at_32(form_of(i_)) || i_.set >= isa::blackwell) out_ += ", " + one(n & 0xffff);
      return;
    }
    case 's':
    case 'y':
    case 'n':
    case 'v': out_ += signed_hex(static_cast<std::int32_t>(n)); return;
    default: out_ += hex0x(n); return;
  }
}

// --- Memory addresses

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
    if (!a.adds_uniform && !a.has_descriptor) {
      const bool omits = i_.set == isa::turing && a.base == register_zero && a.offset != 0;
      return sum(omits ? "" : reg(a.base), "", a.offset);
    }
    // Before sm_90, nvdisasm prints no descriptor, and no RZ next to a uniform register.
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

// Replaces the number of blocks (.4X) by the size of a block (.BLOCK16) for UTCMMA on sm_103. The number of blocks
// depends on K there, because sm_103 also has K = 96.
static std::string in_words_of(std::uint32_t sm, const instruction& i, std::string text) {
  constexpr sv word = ".4X";
  const std::size_t at =
      sm == 103 && i.info() != nullptr && i.info()->op == opcode::UTCMMA ? text.find(word) : text.npos;
  return at == text.npos ? text : text.replace(at, word.size(), ".BLOCK16");
}

std::string to_text(const instruction& i, std::uint64_t pc, std::uint32_t sm) {
  return in_words_of(sm, i, printer(i, pc, false).run());
}
std::string to_text_with_reuse(const instruction& i, std::uint64_t pc, std::uint32_t sm) {
  return in_words_of(sm, i, printer(i, pc, true).run());
}

}  // namespace bankwise::sass
