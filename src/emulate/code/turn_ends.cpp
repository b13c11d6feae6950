// Finds the places where turns end, from the kinds of accesses that can precede each access since the last barrier.
#include "emulate/code/turn_ends.hpp"

#include <algorithm>

#include "emulate/code/micro_op.hpp"
#include "sass/fields/global_operation.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;

// Sets of kinds of accesses to shared memory.
constexpr std::uint8_t loads_bit = 1, stores_bit = 2, updates_bit = 4;

bool kinds_conflict(std::uint8_t before, std::uint8_t access) { return access != 0 && (before & ~access) != 0; }
bool has_several_kinds(std::uint8_t kinds) { return (kinds & (kinds - 1)) != 0; }

std::uint8_t shared_kind_of(const micro_op& u) {
  if (!sass::may_touch_shared(u.op)) return 0;
  switch (sass::traits_of(u.op).action) {
    case sass::action::load: return loads_bit;
    case sass::action::store: return stores_bit;
    case sass::action::copy: return u.op == opcode::LDGSTS ? stores_bit : 0;
    case sass::action::update: return updates_bit;
    default: return 0;
  }
}

// Whether warps wait for other warps at the instruction.
bool meets_warps(const micro_op& u) {
  if (u.op == opcode::UCGABAR_WAIT || u.op == opcode::SYNCS_PHASECHK) return true;
  const auto* const barrier = std::get_if<sass::block_barrier>(&u.fields);
  return barrier != nullptr && barrier->kind != sass::barrier_kind::arrive;
}

bool takes_long(const micro_op& u) {
  const sass::opcode_traits& t = sass::traits_of(u.op);
  const bool loads = t.action == sass::action::load || t.action == sass::action::update;
  return (loads && sass::may_touch_global(u.op)) || sass::may_touch_texels(u.op);
}

struct turn_facts {
  std::uint8_t accesses = 0;
  bool meets = false, guarded = false, has_pred = false;
  bool always_meets() const { return meets && !guarded; }
  std::uint8_t waits = 0, sets = 0;  // masks of scoreboards: those waited for, and those that a long load releases
  // Sets of kinds: the accesses from here to the next barrier, all accesses between the two barriers around this
  // instruction, and the latest accesses before it.
  std::uint8_t ahead = 0, around = 0, before = 0;
  std::uint8_t pending = 0;  // mask of scoreboards that long loads have not released
};

class turn_search {
 public:
  explicit turn_search(const decoded_section& section) : section_(section), all_(section.ops.size()) {}

  void run(decoded_section& to) {
    std::uint8_t kinds = 0;
    for (std::size_t n = 0; n < all_.size(); ++n) kinds |= all_[n].accesses = shared_kind_of(section_.ops[n]);
    to.mixes_accesses = leaves_section();
    if (!has_several_kinds(kinds)) return;
    for (std::size_t n = 0; n < all_.size(); ++n) look_at(n);
    look_ahead();
    look_back();
    to.mixes_accesses |=
        std::any_of(all_.begin(), all_.end(), [](const turn_facts& f) { return has_several_kinds(f.around); });
    to.ends = ends();
  }

 private:
  void look_at(std::size_t n) {
    const micro_op& u = section_.ops[n];
    turn_facts& f = all_[n];
    f.meets = meets_warps(u);
    f.guarded = u.guard != 7 || u.uniform_guard;
    const sass::schedule s = section_.instruction_at(n).schedule();
    f.waits = static_cast<std::uint8_t>(s.waits);
    if (s.when_done < 6 && takes_long(u)) f.sets = static_cast<std::uint8_t>(1u << s.when_done);
    if (u.op == opcode::CALL_ABS || u.op == opcode::CALL_REL || u.op == opcode::CALL_ABS_R ||
        u.op == opcode::CALL_REL_R)
      after_calls_.push_back(n + 1);
    if (!goes_on(n)) starts_.push_back(n + 1);
  }
  // Whether lanes may continue in another section, whose accesses are not known here.
  bool leaves_section() const {
    return std::any_of(section_.ops.begin(), section_.ops.end(), [&](const micro_op& u) {
      if (u.op == opcode::CALL_ABS_R || u.op == opcode::CALL_REL_R) return true;
      const bool jumps = u.op == opcode::BRA || u.op == opcode::CALL_ABS || u.op == opcode::CALL_REL;
      return jumps && (u.target < section_.begin || u.target >= section_.end);
    });
  }
  bool is_unconditional(const micro_op& u) const {
    return u.guard == 7 && u.guard_flip == 0 && !u.uniform_guard && u.q0 == 7;
  }
  // Whether lanes can continue at the next instruction.
  bool goes_on(std::size_t n) const {
    const micro_op& u = section_.ops[n];
    switch (u.op) {
      case opcode::BRA: {
        const auto* const jump = std::get_if<sass::jump>(&u.fields);
        return !is_unconditional(u) || jump == nullptr || jump->how.kind != sass::branch_kind::plain;
      }
      case opcode::EXIT:
      case opcode::RET:
      case opcode::BRX:
      case opcode::BRXU:
      case opcode::BPT: return !is_unconditional(u);
      default: return true;
    }
  }
  // Calls a function for each instruction where lanes can continue. A return may lead to the instruction after each
  // call, and a computed branch to each instruction that follows the end of straight code.
  template <class F>
  void each_next(std::size_t n, F f) const {
    const micro_op& u = section_.ops[n];
    const sass::opcode_traits& t = sass::traits_of(u.op);
    if (goes_on(n) && n + 1 < all_.size()) f(n + 1);
    if (t.flow == sass::flow::next || t.flow == sass::flow::meets) return;
    if (u.target >= section_.begin && u.target < section_.end)
      f(static_cast<std::size_t>((u.target - section_.begin) / sass::instruction_bytes));
    if (t.flow != sass::flow::anywhere) return;
    for (const std::size_t to : t.calls_or_returns ? after_calls_ : starts_)
      if (to < all_.size()) f(to);
  }

  void look_ahead() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = all_.size(); n-- != 0;) {
        turn_facts& f = all_[n];
        if (f.always_meets()) continue;
        std::uint8_t ahead = f.accesses;
        each_next(n, [&](std::size_t to) { ahead |= all_[to].ahead; });
        changed |= ahead != f.ahead;
        f.ahead = ahead;
      }
    }
  }

  void look_back() {
    for (std::size_t n = 0; n < all_.size(); ++n) each_next(n, [&](std::size_t to) { all_[to].has_pred = true; });
    for (turn_facts& f : all_)
      if (!f.has_pred) f.around = f.ahead;
    const auto add = [](std::uint8_t& to, std::uint8_t more) {
      const bool is_new = (more & ~to) != 0;
      to |= more;
      return is_new;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = 0; n < all_.size(); ++n) {
        const turn_facts f = all_[n];
        const bool keeps = f.accesses == 0 || f.guarded;
        const auto before = static_cast<std::uint8_t>(f.accesses | (keeps && !f.always_meets() ? f.before : 0));
        const auto pending = static_cast<std::uint8_t>((f.pending & ~f.waits) | f.sets);
        each_next(n, [&](std::size_t to) {
          turn_facts& t = all_[to];
          if (f.meets) changed |= add(t.around, t.ahead);
          if (!f.always_meets()) changed |= add(t.around, f.around);
          changed |= add(t.before, before);
          changed |= add(t.pending, pending);
        });
      }
    }
  }

  // Marks the instructions in loops that contain no barrier. Every backward jump makes a loop.
  std::vector<bool> free_loops() const {
    std::vector<bool> loops(all_.size());
    std::vector<std::uint32_t> barriers(all_.size() + 1);
    for (std::size_t n = 0; n < all_.size(); ++n) barriers[n + 1] = barriers[n] + (all_[n].meets ? 1 : 0);
    for (std::size_t n = 0; n < all_.size(); ++n) {
      const micro_op& u = section_.ops[n];
      if (sass::traits_of(u.op).flow != sass::flow::ends || u.target < section_.begin || u.target >= section_.end)
        continue;
      const auto to = static_cast<std::size_t>((u.target - section_.begin) / sass::instruction_bytes);
      if (to <= n && barriers[n + 1] == barriers[to])
        std::fill(loops.begin() + static_cast<std::ptrdiff_t>(to), loops.begin() + static_cast<std::ptrdiff_t>(n + 1),
                  true);
    }
    return loops;
  }

  std::shared_ptr<const turn_ends> ends() const {
    const std::vector<bool> loops = free_loops();
    auto made = std::make_shared<turn_ends>();
    const std::size_t count = all_.size();
    made->at.resize(count);
    made->waits.resize(count);
    bool any = false;
    for (std::size_t n = 0; n < count; ++n) {
      const turn_facts& f = all_[n];
      made->waits[n] = (f.waits & f.pending) != 0 && has_several_kinds(f.around);
      if (!made->waits[n] && !kinds_conflict(f.before, f.accesses)) continue;
      made->at[n] = loops[n] ? turn_ends::place::in_loop : turn_ends::place::once;
      any = true;
    }
    if (!any) return nullptr;
    made->next.assign(count + 1, static_cast<std::uint32_t>(count));
    made->next_once = made->next;
    for (std::size_t n = count; n-- != 0;) {
      const auto own = static_cast<std::uint32_t>(n);
      made->next[n] = made->at[n] != turn_ends::place::none ? own : made->next[n + 1];
      made->next_once[n] = made->at[n] == turn_ends::place::once ? own : made->next_once[n + 1];
    }
    return made;
  }

  const decoded_section& section_;
  std::vector<turn_facts> all_;
  // the instructions after calls, and those after instructions that never continue at the next instruction
  std::vector<std::size_t> after_calls_, starts_;
};

}  // namespace

void find_turn_ends(decoded_section& section) { turn_search(section).run(section); }

}  // namespace bankwise::emulate
