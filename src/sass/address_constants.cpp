// Backwards from the registers of an address to what was written to them, and on to what that was made of.
#include "sass/address_constants.hpp"

#include <unordered_set>
#include <vector>

#include "sass/alu_operand.hpp"
#include "sass/fields.hpp"

namespace bankwise::sass {

namespace {

constexpr std::size_t most_steps = std::size_t{1} << 20;

class walk {
 public:
  walk(const code_flow& code, byte_span bytes, isa set) : code_(code), bytes_(bytes), set_(set) {}

  std::optional<std::set<constant_word>> run(std::uint32_t n) {
    const fields f = fields_of(instruction_at(n));
    const auto* access = std::get_if<memory_access>(&f);
    const auto* copy = std::get_if<copy_access>(&f);
    if (access == nullptr && copy == nullptr) return {};
    const address& a = access != nullptr ? access->address : copy->source;
    if (a.base != register_zero) want(n, a.uniform_base ? file::uniform : file::vector, a.base, a.wide ? 2 : 1);
    if (a.adds_uniform) want(n, file::uniform, a.uniform, 2);
    for (std::size_t steps = 0; !open_.empty(); ++steps) {
      if (steps == most_steps) return {};
      const auto [at, place] = open_.back();
      open_.pop_back();
      for (const std::uint32_t before : code_.nodes[at].from)
        if (!look_at(before, place)) return {};
    }
    return std::move(found_);
  }

 private:
  struct wanted {
    std::uint32_t n;  // before this instruction
    std::size_t place;
  };

  instruction instruction_at(std::uint32_t n) const {
    return load_instruction(bytes_.data() + std::size_t{n} * instruction_bytes, set_);
  }
  void want(std::uint32_t n, std::size_t place) {
    if (seen_.insert(std::uint64_t{n} * place_count + place).second) open_.push_back({n, place});
  }
  void want(std::uint32_t n, file f, unsigned first, unsigned count) {
    for (unsigned k = 0; k < count && first + k < register_zero; ++k) want(n, first_place(f) + first + k);
  }

  // False: there is no telling.
  bool look_at(std::uint32_t n, std::size_t place) {
    const flow_node& at = code_.nodes[n];
    if (!at.writes[place] || !at.kills) want(n, place);
    if (!at.writes[place]) return true;
    const bool loads = at.traits.action != action::none && !touches(at.traits.space, space::constant);
    if (loads) return true;
    const instruction i = instruction_at(n);
    for (const operand& o : operands_of(i))
      if (o.role == role::read && (o.file == file::vector || o.file == file::uniform))
        want(n, o.file, o.first, o.count);
    for (const part& p : parts_of(*i.info())) {
      if (!holds(p, i)) continue;
      if (p.kind == part_kind::alu && alu_operand_of(i, p).kind == operand_kind::constant) {
        if (has_bound_bank(i)) return false;
        add(constant_bank(i), constant_offset(i), 4 * words_of(p.width, i));
      }
      if (p.kind == part_kind::address && find_form(p.text)->constant) {
        const fields f = fields_of(i);
        const auto* access = std::get_if<memory_access>(&f);
        const address a = address_of(i, *find_form(p.text));
        if (access == nullptr ||
            (find_form(p.text)->has_base && a.base != (a.uniform_base ? uniform_register_zero : register_zero)))
          return false;
        add(a.bank, static_cast<std::uint64_t>(a.offset), access->bytes);
      }
    }
    return true;
  }
  void add(unsigned bank, std::uint64_t offset, unsigned bytes) {
    for (unsigned k = 0; k < bytes; k += 4) found_.insert({bank, offset + k});
  }

  const code_flow& code_;
  byte_span bytes_;
  isa set_;
  std::vector<wanted> open_;
  std::unordered_set<std::uint64_t> seen_;
  std::set<constant_word> found_;
};

}  // namespace

std::optional<std::set<constant_word>> address_constants(const code_flow& code, byte_span bytes, isa set,
                                                         std::uint32_t n) {
  if (!code.complete) return {};
  return walk(code, bytes, set).run(n);
}

}  // namespace bankwise::sass
