// Finds the operands in the parts of a row. The number of registers of an operand may depend on fields.
#include "sass/operand/operands.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sass/operand/access_bytes.hpp"
#include "sass/operand/address.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/operand/tensor_memory_form.hpp"
#include "sass/operand/tensor_shape.hpp"
#include "sass/operand/texture_form.hpp"

namespace bankwise::sass {

namespace {

// The shape of a product. An unknown shape has no registers.
tensor_shape shape_of(const instruction& i) { return tensor_shape_of(i).value_or(tensor_shape{}); }

class operand_list {
 public:
  explicit operand_list(const instruction& i) : i_(i) {}

  std::vector<operand> run() {
    const opcode_info* const info = i_.info();
    if (info == nullptr) return {};
    list_.reserve(8);
    add(has_uniform_guard(info->op) ? file::uniform_predicate : file::predicate, role::read, i_.guard(), 1);
    for (const part& p : parts_of(*info)) {
      is_result_ = false;
      if (holds(p, i_)) add(p);
    }
    return std::move(list_);
  }

 private:
  void add(const part& p) {
    switch (p.kind) {
      case part_kind::alu: {
        const alu_operand o = alu_operand_of(i_, p);
        const unsigned count = words_of(p.width, i_);
        if (o.kind == operand_kind::vector) add(file::vector, role::read, o.number, count);
        if (o.kind == operand_kind::uniform) add(file::uniform, role::read, o.number, count);
        if (o.kind == operand_kind::constant && has_bound_bank(i_)) add(file::uniform, role::read, bound_bank(i_), 2);
        return;
      }
      case part_kind::address: {
        const address a = address_of(i_, *find_form(p.text));
        const std::size_t before = list_.size();
        add(a.uniform_base ? file::uniform : file::vector, role::read, a.base, a.wide ? 2 : 1);
        if (a.has_descriptor || a.adds_uniform)
          add(file::uniform, role::read, a.uniform, a.has_descriptor || find_form(p.text)->global ? 2 : 1);
        for (std::size_t n = before; n < list_.size(); ++n) list_[n].is_address = true;
        return;
      }
      case part_kind::operand:
        is_result_ = p.at == 16 || p.at == 81 || p.at == 84;
        if (p.count == 0) {
          for (unsigned n = 0; n < predicate_true; ++n)
            if ((row_fields(i_).value("mask") >> n & 1) != 0) add(p.file, p.role, n, 1);
        } else if (p.file == file::uniform)
          add(p.file, p.role, i_.uniform(p.at), words_of(p.width, i_));
        else if (p.inverted)  // zero means PT, although the number of PT is 7
          add(p.file, p.role, 7 - static_cast<unsigned>(i_.bits(p.at, p.count)), 1);
        else
          add(p.file, p.role, static_cast<unsigned>(i_.bits(p.at, p.count)), words_of(p.width, i_));
        return;
      default: return;
    }
  }

  void add(file f, role r, unsigned first, unsigned count) {
    const bool is_predicate = f == file::predicate || f == file::uniform_predicate;
    const bool is_vector = f == file::vector || f == file::uniform;
    if ((is_predicate && first == predicate_true) || (is_vector && first == register_zero) || count == 0) return;
    if (is_vector) count = std::min(count, register_zero - first);
    list_.push_back({f, r, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(count), false, is_result_});
  }

  const instruction& i_;
  std::vector<operand> list_;
  bool is_result_ = false;
};

}  // namespace

unsigned words_of(width w, const instruction& i) {
  const row_fields f(i);
  switch (w) {
    case width::two: return 2;
    case width::four: return 4;
    case width::eight: return 8;
    case width::pair: return f.flag(".64") ? 2 : 1;
    case width::u64: return f.flag(".U64") ? 2 : 1;
    case width::u4to8: return f.flag(".U4TO8") ? 2 : 1;
    case width::size: return std::max(1u, access_bytes(f) / 4);
    case width::count: {
      const unsigned count = 1u << std::min<std::uint64_t>(f.value("ldsm_count"), 2);
      // .MT1616: a matrix of 16 rows counts as two matrices
      return f.has("ldsm_shape") && f.value("ldsm_shape") == 4 ? 2 * count : count;
    }
    case width::from: return f.value("from") == 3 ? 2 : 1;
    case width::to: return f.value("to") == 3 ? 2 : 1;
    case width::size64: return f.value("size") == 3 ? 2 : 1;
    case width::arrival: return arrives_at_mbarrier(f) ? 2 : 1;
    case width::cs2r: return f.flag(".32") ? 1 : 2;
    case width::mma_a: return shape_of(i).a_registers();
    case width::mma_b: return shape_of(i).b_registers();
    case width::mma_c: return shape_of(i).c_registers();
    case width::scales: return f.flag(".SP") ? 2 : 1;
    case width::group_a: return 4;
    // The 64 rows are divided among 128 lanes, in registers of 32 bits. Halves are stored in pairs.
    case width::group_c: return warp_group_columns(f) / (f.has("hmma_type") && !f.flag("hmma_type") ? 4 : 2);
    case width::texture_low: return texture_form_of(i).low;
    case width::texture_high: return texture_form_of(i).high;
    case width::texture_first: return texture_form_of(i).first;
    case width::texture_second: return texture_form_of(i).second;
    case width::surface: return surface_coordinates(f);
    case width::surface_data:
      if (f.has("surface_size")) return (f.value("surface_size") & 2) != 0 && f.value("surface_size") < 4 ? 2 : 1;
      return static_cast<unsigned>(std::popcount(f.value("surface_channels")));
    case width::tensor: return tensor_registers(f);
    // The form determines what these registers contain: which lanes are not written, which columns are zero, or the
    // addresses of two scales.
    case width::product_mask: return f.flag(".WS") || f.flag("scaled") ? 2 : f.flag(".2CTA") ? 8 : 4;
    case width::kept_low: return static_cast<unsigned>(std::popcount(kept_words(f) & 15));
    case width::kept_high: return static_cast<unsigned>(std::popcount(kept_words(f) >> 4));
    default: return 1;
  }
}

std::vector<operand> operands_of(const instruction& i) { return operand_list(i).run(); }

void register_set::add_operand(const operand& o) {
  for (unsigned n = o.first; n < o.first + o.count; ++n) switch (o.file) {
      case file::vector: vector.set(n); break;
      case file::uniform: uniform.set(n); break;
      case file::predicate: predicates.set(n); break;
      case file::uniform_predicate: uniform_predicates.set(n); break;
      case file::barrier: barriers.set(n); break;
      case file::call: call.set(n); break;
      case file::stack:
      case file::none: break;
    }
}

bool overlap(const register_set& a, const register_set& b) {
  return (a.vector & b.vector).any() || (a.uniform & b.uniform).any() || (a.predicates & b.predicates).any() ||
         (a.uniform_predicates & b.uniform_predicates).any();
}

void join(register_set& to, const register_set& more) {
  to.vector |= more.vector;
  to.uniform |= more.uniform;
  to.predicates |= more.predicates;
  to.uniform_predicates |= more.uniform_predicates;
}

void remove(register_set& from, const register_set& others) {
  from.vector &= ~others.vector;
  from.uniform &= ~others.uniform;
  from.predicates &= ~others.predicates;
  from.uniform_predicates &= ~others.uniform_predicates;
}

reads_and_writes reads_and_writes_of(const instruction& i) {
  reads_and_writes sets;
  for (const operand& o : operands_of(i)) (o.role == role::read ? sets.reads : sets.writes).add_operand(o);
  return sets;
}

}  // namespace bankwise::sass
