#include "sass/pointers.hpp"

#include <array>
#include <deque>
#include <map>

#include "sass/address.hpp"
#include "sass/alu_operand.hpp"
#include "sass/fields.hpp"

namespace bankwise::sass {

namespace {

// A set of sources: a bit for each word, as they are met.
using sources = std::uint64_t;
constexpr unsigned most_words = 60;
constexpr std::size_t most_instructions = 20000;
constexpr unsigned program_constants = 3;  // bank of __constant__ variables
constexpr sources from_anywhere = sources{1} << 61;

class finder {
 public:
  finder(const code_flow& code, byte_span bytes, isa set) : code_(code), bytes_(bytes), set_(set) {}

  global_pointers run() {
    global_pointers g;
    g.reads.anything = g.writes.anything =
        !code_.complete || code_.has_calls_out || code_.nodes.size() > most_instructions;
    if (g.reads.anything) return g;
    before_.resize(code_.nodes.size());
    own_.resize(code_.nodes.size());
    for (const std::uint32_t n : code_.order) own_[n] = constants_of(instruction_at(n));
    sources in_memory = 0;
    do {
      in_memory = in_memory_;
      flow_on();
    } while (in_memory_ != in_memory);
    for (const std::uint32_t n : code_.order) add(g, n);
    return g;
  }

 private:
  using state = std::array<sources, place_count>;

  instruction instruction_at(std::uint32_t n) const {
    return load_instruction(bytes_.data() + n * instruction_bytes, set_);
  }

  sources word(std::uint64_t bank, std::uint64_t offset) {
    // The program's own constants may be pointers; other banks have addresses of variables.
    if (bank != 0) return bank == program_constants ? from_anywhere : 0;
    const auto [at, is_new] = words_.try_emplace(static_cast<std::uint32_t>(offset & ~std::uint64_t{7}),
                                                 static_cast<unsigned>(words_.size()));
    return at->second < most_words ? sources{1} << at->second : from_anywhere;
  }
  // What it takes from constants, as an operand or as a load.
  sources constants_of(const instruction& i) {
    sources s = 0;
    const opcode_info& info = *i.info();
    for (const part& p : parts_of(info)) {
      if (!holds(p, i)) continue;
      if (p.kind == part_kind::alu && alu_operand_of(i, p).kind == operand_kind::constant)
        s |= has_bound_bank(i) ? from_anywhere : word(constant_bank(i), constant_offset(i));
      if (p.kind != part_kind::address) continue;
      const address_form& form = *find_form(p.text);
      if (!form.constant) continue;
      const address a = address_of(i, form);
      const unsigned zero = a.uniform_base ? uniform_register_zero : register_zero;
      // With an index it may be any word of the bank.
      s |= (form.has_base && a.base != zero) || a.has_descriptor
               ? (a.bank == 0 || a.bank == program_constants ? from_anywhere : 0)
               : word(a.bank, static_cast<std::uint64_t>(a.offset));
      for (const operand& o : operands_of(i))
        if (o.role == role::write && o.count > 2) s |= word(a.bank, static_cast<std::uint64_t>(a.offset) + 8);
    }
    return s;
  }

  static sources of(const state& s, const places& which) {
    sources all = 0;
    for (std::size_t p = which._Find_first(); p < place_count; p = which._Find_next(p)) all |= s[p];
    return all;
  }

  // Registers that come from memory are numbers, unless they are of 64 bits or were stored by the kernel itself.
  sources loaded(const flow_node& at, std::uint32_t n) const {
    if (at.traits.unit != unit::memory) return from_anywhere;
    const fields f = fields_of(instruction_at(n));
    const auto* access = std::get_if<memory_access>(&f);
    const bool may_be_pointer = access == nullptr || access->bytes >= 8;
    const bool is_outside = touches(at.traits.space, space::global);
    return (is_outside && may_be_pointer ? from_anywhere : 0) | (is_outside ? 0 : in_memory_);
  }

  void flow_on() {
    std::deque<std::uint32_t> work(code_.order.begin(), code_.order.end());
    std::vector<bool> waits(code_.nodes.size(), true);
    while (!work.empty()) {
      const std::uint32_t n = work.front();
      work.pop_front();
      waits[n] = false;
      const flow_node& at = code_.nodes[n];
      state behind = before_[n];
      const bool loads = (at.traits.action == action::load || at.traits.action == action::update) &&
                         at.traits.space != space::constant;
      if ((at.traits.action == action::store || at.traits.action == action::update) &&
          touches(at.traits.space, space::shared | space::local))
        in_memory_ |= of(before_[n], at.data);
      if (at.traits.action == action::copy) in_memory_ |= from_anywhere;
      const sources value = loads ? loaded(at, n) : of(before_[n], at.reads | at.data) | own_[n];
      for (std::size_t p = at.writes._Find_first(); p < place_count; p = at.writes._Find_next(p))
        behind[p] = at.kills && !at.kept[p] ? value : behind[p] | value;
      for (const std::uint32_t to : at.next) {
        bool grows = false;
        for (std::size_t p = 0; p < place_count; ++p) {
          grows |= (behind[p] & ~before_[to][p]) != 0;
          before_[to][p] |= behind[p];
        }
        if (grows && !waits[to]) {
          work.push_back(to);
          waits[to] = true;
        }
      }
    }
  }

  void add(global_pointers& g, std::uint32_t n) const {
    const flow_node& at = code_.nodes[n];
    if (!touches(at.traits.space, space::global)) return;
    const bool by_lanes = at.traits.unit == unit::memory;
    places where;
    for (const operand& o : operands_of(instruction_at(n)))
      if (o.role == role::read && o.is_address) sass::add(where, o);
    // Through a tensor map anything may be meant.
    const bool by_map = !by_lanes && at.op != opcode::UBLKCP && at.op != opcode::UBLKRED;
    const sources s = by_map ? from_anywhere : of(before_[n], by_lanes ? where : at.reads);
    const bool is_load = at.traits.action == action::load || at.op == opcode::LDGSTS;
    const bool is_store = at.traits.action == action::store;
    if (!is_store) add(g.reads, s);
    if (!is_load) add(g.writes, s);
  }
  void add(pointer_sources& to, sources s) const {
    to.anything |= (s & from_anywhere) != 0;
    for (const auto& [offset, bit] : words_)
      if (bit < most_words && (s >> bit & 1) != 0) {
        bool known = false;
        for (const std::uint32_t w : to.words) known |= w == offset;
        if (!known) to.words.push_back(offset);
      }
  }

  const code_flow& code_;
  byte_span bytes_;
  isa set_;
  std::map<std::uint32_t, unsigned> words_;  // bits by offset
  std::vector<sources> own_;                 // from constants, by instruction
  std::vector<state> before_;
  sources in_memory_ = 0;  // of what the kernel stored in shared or local memory
};

}  // namespace

global_pointers pointers_of(const code_flow& code, byte_span bytes, isa set) { return finder(code, bytes, set).run(); }

}  // namespace bankwise::sass
