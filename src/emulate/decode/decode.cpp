// Decodes instructions to micro-operations: the handler, the positions of the operands, the modifiers.
#include "emulate/decode/decode.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "emulate/block/block_races.hpp"
#include "emulate/block/competition.hpp"
#include "emulate/block/misuse_check.hpp"
#include "emulate/block/order_events.hpp"
#include "emulate/code/turn_ends.hpp"
#include "emulate/counting/follow/block_follower.hpp"
#include "emulate/decode/operand_check.hpp"
#include "emulate/jit/piece_table.hpp"
#include "sass/fields/global_operation.hpp"
#include "sass/flow/spin_loops.hpp"
#include "sass/flow/work_queues.hpp"
#include "sass/operand/alu_operand.hpp"
#include "sass/operand/float_pair.hpp"
#include "sass/operand/operands.hpp"
#include "sass/print/print.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

// --- Handlers for instructions that cannot be executed

std::string encoding_of(const sass::instruction& i) { return formatted("0x{}{}", hex(i.high, 16), hex(i.low, 16)); }

step unknown_encoding(worker& m, const micro_op& u, std::uint32_t) {
  const sass::instruction i = m.section->instruction_at(u.index);
  const std::string_view name = sass::ptx_name(i.opcode_bits(), i.set);
  if (name == "multimem.ld_reduce")
    return m.fail(
        formatted("bankwise cannot execute {}, because the instruction reads multicast memory of several GPUs", name),
        -1,
        "bankwise emulates one GPU. To count the rest of the kernel, replace the instruction with ld.global, which "
        "touches the same sectors in the memory of one GPU");
  if (!name.empty())
    return m.fail(formatted("bankwise cannot execute this form of {} (encoding {})", name, encoding_of(i)), -1,
                  "docs/reference/open-rules.md lists the forms of tcgen05 that bankwise executes");
  return m.fail(
      formatted("unknown instruction: {}", encoding_of(i)), -1,
      formatted("the README lists the instructions that bankwise cannot execute yet. If this instruction is not in "
                "the list, please send this line and the cubin to the project (opcode bits 0x{})",
                hex(i.opcode_bits(), 3)));
}
step not_executable(worker& m, const micro_op& u, std::uint32_t mask) {
  if (mask == 0) return step::next;
  const sass::instruction i = m.section->instruction_at(u.index);
  return m.fail(formatted("bankwise cannot execute this instruction yet: {}, encoding {}",
                          sass::to_text(i, m.pc_of(u) - m.section->begin), encoding_of(i)),
                -1, missing_hint);
}
step outside_constants(worker& m, const micro_op& u, std::uint32_t) {
  const sass::instruction i = m.section->instruction_at(u.index);
  return m.fail(formatted("reads constant bank {} at 0x{}, past the end of the bank", sass::constant_bank(i),
                          hex(sass::constant_offset(i))),
                -1, "the cubin does not match the declared parameters. Compile the cubin again");
}

// Whether a worker remembers the accesses of instructions with this opcode (access_memo.hpp).
bool remembers_accesses(opcode op) {
  return op == opcode::LDS || op == opcode::STS || op == opcode::STS_U || op == opcode::LDSM || op == opcode::STSM;
}

step call_out(worker& m, const micro_op&, std::uint32_t mask) {
  return mask == 0 ? step::next
                   : m.fail(fault_kind::needs_results,
                            "calls a function whose inputs were not computed, because this run computes only what "
                            "the counts depend on");
}

class decoder {
 public:
  decoder(code_cache& cache, const handler_table& handlers) : cache_(cache), handlers_(handlers) {}

  micro_op run(const sass::instruction& i, std::uint32_t index, std::uint64_t pc) {
    i_ = &i;
    u_ = {};
    u_.index = index;
    u_.guard = static_cast<std::uint8_t>(i.guard());
    u_.guard_flip = i.guard_negated() ? ~0u : 0;
    const sass::opcode_info* const info = i.info();
    if (info == nullptr) {
      u_.run = unknown_encoding;
      return u_;
    }
    const sass::opcode_traits& traits = sass::traits_of(info->op);
    u_.op = info->op;
    u_.uniform_guard = sass::has_uniform_guard(info->op);
    u_.always =
        sass::may_touch_shared(info->op) || sass::may_touch_global(info->op) || sass::may_touch_texels(info->op);
    u_.fields = sass::fields_of(i);
    u_.run = handlers_[static_cast<std::size_t>(info->op)];
    if (traits.twin != opcode::count) u_.vector = handlers_[static_cast<std::size_t>(traits.twin)];
    if (u_.run == nullptr || std::holds_alternative<sass::unknown_form>(u_.fields)) u_.run = not_executable;
    if (traits.flow != sass::flow::next || traits.names_place) u_.target = sass::branch_target(i, pc);
    for (const sass::part& p : sass::parts_of(*info))
      if (sass::holds(p, i)) add(p);
    immediates();
    if (u_.vector != nullptr) u_.d = trash_row, u_.d_high = trash_row + 1;
    if (failed_) u_.run = outside_constants;
    failed_ = false;
    return u_;
  }

 private:
  struct pair {
    source low, high;
  };

  source constant(std::uint32_t value) { return {source_kind::constant, 0, cache_.spread(value)}; }
  pair constants(std::uint32_t low, std::uint32_t high) { return {constant(low), constant(high)}; }
  static pair vector(unsigned n) { return {register_source(n), register_source(n, 1)}; }
  static pair uniform(unsigned n) {
    const unsigned zero = sass::uniform_register_zero;
    const auto at = [&](unsigned k) { return static_cast<std::uint16_t>(n >= zero || n + k > zero ? zero : n + k); };
    return {{source_kind::uniform, at(0), nullptr}, {source_kind::uniform, at(1), nullptr}};
  }
  source bank_word(std::uint64_t bank, std::uint64_t offset) {
    const std::optional<std::uint32_t> value = cache_.operand_word(bank, offset);
    failed_ |= !value;
    return constant(value.value_or(0));
  }

  void set_a(const pair& p) { u_.a = p.low, u_.a_high = p.high; }
  void set_b(const pair& p) { u_.b = p.low, u_.b_high = p.high; }
  void set_c(const pair& p) { u_.c = p.low, u_.c_high = p.high; }

  void add(const sass::part& p) {
    switch (p.kind) {
      case sass::part_kind::alu: return add_alu(p);
      case sass::part_kind::address: return add_address(sass::address_of(*i_, *sass::find_form(p.text)), p);
      case sass::part_kind::operand: return add_operand(p);
      default: return;
    }
  }

  // Adds an operand. Masks apply its sign, absolute value or complement.
  void add_alu(const sass::part& p) {
    const bool is_pair = sass::is_float_pair(i_->info()->op);
    const sass::alu_operand o = is_pair ? sass::alu_operand_of(*i_, p.slot, 'f') : sass::alu_operand_of(*i_, p);
    const bool is_wide = sass::words_of(p.width, *i_) == 2;
    pair where;
    switch (o.kind) {
      case sass::operand_kind::vector: where = vector(o.number); break;
      case sass::operand_kind::uniform: where = uniform(o.number); break;
      case sass::operand_kind::immediate: {
        const std::uint32_t n = sass::immediate_of(*i_);
        const bool extends = is_wide && !o.is_double();  // whether one word is sign-extended to two words
        where = constants(o.is_double() ? 0 : n, !extends ? n : static_cast<std::int32_t>(n) < 0 ? ~0u : 0);
        break;
      }
      case sass::operand_kind::constant: {
        // The constant is accessed through a descriptor in a uniform register. nvcc never generates this access for
        // CUDA C++.
        if (sass::has_bound_bank(*i_)) {
          failed_ = true;
          return;
        }
        const auto bank = sass::constant_bank(*i_);
        const auto offset = sass::constant_offset(*i_);
        where = {bank_word(bank, offset), is_wide ? bank_word(bank, offset + 4) : constant(0)};
        break;
      }
    }
    if (is_pair) {
      const sass::pair_order order = sass::pair_order_of(*i_, p.slot);
      if (order == sass::pair_order::low_high) std::swap(where.low, where.high);
      if (order == sass::pair_order::one || o.kind == sass::operand_kind::immediate) where.high = where.low;
    }
    std::uint32_t keep = ~0u, flip = 0;
    if (o.absolute) keep = 0x7fffffffu;
    if (o.negated) flip = o.is_float() ? 0x80000000u : ~0u;
    const char slot = p.slot == 'B' || p.slot == 'D' ? 'b' : p.slot;
    if (slot == 'a') set_a(where), u_.keep_a = keep, u_.flip_a = flip;
    if (slot == 'b') set_b(where), u_.keep_b = keep, u_.flip_b = flip;
    if (slot == 'c') set_c(where), u_.keep_c = keep, u_.flip_c = flip;
  }

  // The base address is operand a. The uniform offset is operand b, which is zero if there is no offset. The target
  // offset of a copy is operand c.
  void add_address(const sass::address& a, const sass::part& p) {
    if (sass::find_form(p.text)->base_at == 16) return set_c(vector(a.base));
    has_address_ = true;
    set_a(a.uniform_base ? uniform(a.base) : vector(a.base));
    set_b(a.adds_uniform ? uniform(a.uniform) : vector(sass::register_zero));
  }

  void add_operand(const sass::part& p) {
    const bool is_predicate = p.file == sass::file::predicate || p.file == sass::file::uniform_predicate;
    if (is_predicate) return add_predicate(p);
    if (p.file != sass::file::vector && p.file != sass::file::uniform) return;
    const bool is_vector = p.file == sass::file::vector;
    const unsigned n = is_vector ? static_cast<unsigned>(i_->bits(p.at, 8)) : i_->uniform(p.at);
    if (p.at == 16 && p.role == sass::role::write) {
      if (is_vector) {
        u_.d = written_row(n), u_.d_high = written_row(n, 1);
      } else {
        u_.uniform_d = static_cast<std::uint8_t>(n);
        u_.uniform_wide = sass::words_of(p.width, *i_) == 2;
      }
      return;
    }
    const pair where = is_vector ? vector(n) : uniform(n);
    if (p.at == 24) set_a(where);
    if (p.at == 32 && !has_address_) set_b(where);
    if (p.at == 64 || (p.at == 32 && has_address_)) set_c(where);
  }
  // Results and source predicates are numbered separately, in the order of the opcode's row in opcodes.def.
  void add_predicate(const sass::part& p) {
    if (p.count == 0) return;
    const auto n = static_cast<std::uint8_t>(i_->bits(p.at, 3));
    if (p.role == sass::role::write) {
      (results_++ == 0 ? u_.p0 : u_.p1) = n;
    } else if (p.negatable) {
      const std::uint32_t flip = i_->bit(p.at + 3u) ? ~0u : 0;
      if (predicates_ == 0) u_.q0 = n, u_.q0_flip = flip;
      if (predicates_ == 1) u_.q1 = n, u_.q1_flip = flip;
      if (predicates_ == 2) u_.q2 = n, u_.q2_flip = flip;
      ++predicates_;
    }
  }

  // Adds operands that are encoded in the instruction itself.
  void immediates() {
    has_address_ = false;
    results_ = predicates_ = 0;
    const sass::row_fields f(*i_);
    switch (u_.op) {
      case opcode::UMOV_I: set_b({constant(static_cast<std::uint32_t>(f.value("value"))), {}}); break;
      case opcode::MOV_64:
      case opcode::UMOV_64: {
        const std::uint64_t n = sass::wide_immediate_of(*i_);
        set_b(constants(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)));
        break;
      }
      case opcode::SEL_64_I:
      case opcode::USEL_64_I: {
        const auto n = static_cast<std::uint64_t>(f.signed_value("value"));
        set_b(constants(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(n >> 32)));
        break;
      }
      case opcode::SHFL_RI: u_.c = constant(static_cast<std::uint32_t>(f.value("limit"))); break;
      case opcode::SHFL_II:
      case opcode::SHFL_IR:
        u_.b = constant(static_cast<std::uint32_t>(f.value("by")));
        if (u_.op == opcode::SHFL_II) u_.c = constant(static_cast<std::uint32_t>(f.value("limit")));
        break;
      // UFADD encodes its second operand where other instructions encode their third operand.
      case opcode::UFADD: u_.b = u_.c, u_.keep_b = u_.keep_c, u_.flip_b = u_.flip_c; break;
      // These instructions read a lane mask from a register. Before sm_90, the number of the register is encoded at
      // another position.
      case opcode::WARPSYNC_R:
        if (sass::traits_of(i_->set).warpsync_names_lanes) u_.a = u_.b;
        break;
      default: break;
    }
  }

  code_cache& cache_;
  const handler_table& handlers_;
  const sass::instruction* i_ = nullptr;
  micro_op u_;
  bool has_address_ = false;
  unsigned results_ = 0, predicates_ = 0;
  bool failed_ = false;
};

}  // namespace

// In a loop that waits for other threads, loads count as strong even without a mark in the code.
static void note_waiting(decoded_section& section, std::size_t first, std::size_t last) {
  for (const std::uint32_t n : sass::spinning_loads(section.code, section.set, first, last))
    if (auto* const access = std::get_if<sass::memory_access>(&section.ops[n].fields)) access->strong = true;
}

code_cache::code_cache(const cubin::program& p, const std::array<std::vector<std::byte>, constant_banks>& banks,
                       bool checks_operands, counted_code counted, instruction_use use, std::uint32_t compile_after)
    : program_(p),
      banks_(&banks),
      sections_(p.sections.size()),
      ready_(p.sections.size()),
      handlers_(handlers(use)),
      checks_operands_(checks_operands),
      counted_(counted),
      use_(checks_operands ? instruction_use::interpret : use),
      compile_after_(compile_after) {}

const std::uint32_t* code_cache::spread(std::uint32_t value) {
  const auto [entry, is_new] = row_of_.try_emplace(value, nullptr);
  if (is_new) {
    lane_row& lanes = rows_.emplace_back();
    for (std::uint32_t& lane : lanes.at) lane = value;
    entry->second = lanes.at;
  }
  return entry->second;
}

namespace {

std::optional<std::uint32_t> word_at(const std::array<std::vector<std::byte>, constant_banks>& banks,
                                     std::uint64_t bank, std::uint64_t offset) {
  if (bank >= constant_banks || offset + 4 > banks[bank].size()) return {};
  std::uint32_t value = 0;
  std::memcpy(&value, banks[bank].data() + offset, 4);
  return value;
}

}  // namespace

std::optional<std::uint32_t> code_cache::operand_word(std::uint64_t bank, std::uint64_t offset) {
  return operand_words_[{bank, offset}] = word_at(*banks_, bank, offset);
}

bool code_cache::has_operands_of(const std::array<std::vector<std::byte>, constant_banks>& banks) const {
  return std::all_of(operand_words_.begin(), operand_words_.end(),
                     [&](const auto& w) { return word_at(banks, w.first.first, w.first.second) == w.second; });
}

std::size_t code_cache::bytes() const {
  std::size_t sum = rows_.size() * sizeof(lane_row);
  for (const auto& section : sections_)
    if (section != nullptr)
      sum += section->ops.size() * sizeof(micro_op) + (section->pieces != nullptr ? section->pieces->bytes() : 0);
  return sum;
}

// Uses a cheaper handler if only counts are needed.
void code_cache::only_count(micro_op& u) const {
  u.only_told = counted_.needed->told[u.index];
  if (!counted_.needed->needed[u.index] && !u.only_told) {
    u.run = leave_out;
    u.always = false;
  } else if (u.op == opcode::CALL_ABS || u.op == opcode::CALL_ABS_R || u.op == opcode::CALL_REL_R) {
    u.run = call_out;
  } else if (counted_.follows != nullptr && (*counted_.follows)[u.index].how != block_flow::none) {
    u.checked = std::exchange(u.run, run_followed);
    u.always = true;
  }
}

// Uses a handler that tells listeners about the order that the instruction makes, or about its misuses. Returns false if
// the instruction needs no such handler.
bool code_cache::watch_order(micro_op& u) const {
  const bool tells = counted_.tells_order && makes_order(u),
             looks = counted_.checks_synchronisation && may_be_misused(u.op);
  if (!tells && !looks) return false;
  u.checked = std::exchange(u.run, tells && looks ? run_told_and_misuse_check : tells ? run_told : run_misuse_check);
  return true;
}

// Uses run_watched as the handler if blocks may race on global memory at this instruction.
void code_cache::watch(micro_op& u) const {
  if ((*counted_.watched)[u.index] && u.run != leave_out) u.checked = std::exchange(u.run, run_watched);
}

const decoded_section* code_cache::section_at(std::uint64_t address) {
  for (std::size_t n = 0; n < program_.sections.size(); ++n) {
    const cubin::code_section& code = program_.sections[n];
    const std::uint64_t count = code.bytes.size() / cubin::instruction_bytes;
    if (address < code.address || address >= code.address + count * cubin::instruction_bytes) continue;
    if (const decoded_section* known = ready_[n].load()) return known;
    const std::lock_guard lock(mutex_);
    if (sections_[n] == nullptr) {
      auto section = std::make_unique<decoded_section>();
      section->begin = code.address;
      section->end = code.address + count * cubin::instruction_bytes;
      section->ops.reserve(count);
      decoder d(*this, handlers_);
      section->code = code.bytes;
      section->set = sass::isa_of(program_.sm);
      if (checks_operands_) section->checks = std::make_unique<std::atomic<std::uint32_t>[]>(count);
      for (std::uint32_t index = 0; index < count; ++index) {
        const sass::instruction i = section->instruction_at(index);
        micro_op& u = section->ops.emplace_back(
            d.run(i, index, section->begin + std::uint64_t{index} * cubin::instruction_bytes));
        if ((u.op == opcode::BRA || u.op == opcode::BRA_U) && u.target >= section->begin)
          note_waiting(*section, (u.target - section->begin) / sass::instruction_bytes, index);
        if (!watch_order(u) && checks_operands_) u.checked = std::exchange(u.run, run_with_operands_checked);
        if (remembers_accesses(u.op)) u.memo = section->memos++;
        if (counted_.needed != nullptr && n == counted_.section) only_count(u);
        if (counted_.watched != nullptr && n == counted_.section) watch(u);
        for (const sass::operand& o : sass::operands_of(i))
          if (o.file == sass::file::vector && o.role == sass::role::write)
            section->written_rows = std::max(section->written_rows, std::min<unsigned>(o.first + o.count, zero_row));
      }
      section->competes = find_competing_code(*section);
      find_turn_ends(*section);
      section->takes_work = sass::takes_work_in_loop(section->code, section->set);
      section->pieces = piece_table::make(*section, use_, compile_after_);
      written_rows_.store(std::max(written_rows_.load(), section->written_rows));
      sections_[n] = std::move(section);
      ready_[n].store(sections_[n].get());
    }
    return sections_[n].get();
  }
  return nullptr;
}

}  // namespace bankwise::emulate
