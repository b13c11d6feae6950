#include "emulate/counting/block_follower.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "emulate/block/worker.hpp"
#include "emulate/counting/block_class.hpp"

namespace bankwise::emulate {

namespace {

using sass::opcode;
using form = block_class::form;
using register_place = followed::place;

constexpr unsigned line_bits = 7, line_bytes = 1u << line_bits;

// --- where its operands are

register_place place_of(const source& s) {
  if (s.kind == source_kind::uniform) return {sass::file::uniform, s.index};
  if (s.kind == source_kind::reg && s.index < zero_row) return {sass::file::vector, s.index};
  return {};
}

class follower {
 public:
  follower(worker& m, const micro_op& u, std::uint32_t mask)
      : m_(m), u_(u), f_((*m.s->followed)[u.index]), c_(*m.blocks), w_(*m.w), mask_(mask) {}

  step run() {
    const register_place guard{u_.uniform_guard ? sass::file::uniform_predicate : sass::file::predicate, u_.guard};
    if (u_.guard != sass::predicate_true)
      if (const form* f = form_at(guard, here())) c_.pin(*f);
    if (mask_ == 0 && !f_.runs_unguarded) return step::next;
    switch (f_.how) {
      case block_flow::axis: return run_axis();
      case block_flow::linear: return run_linear();
      case block_flow::part: return run_part();
      case block_flow::monotone: return run_monotone();
      case block_flow::bits: return run_bits();
      case block_flow::compares: compare(); break;
      case block_flow::words: return run_words();
      case block_flow::spills: return run_spill();
      case block_flow::generic:
        if (!is_far_from_shared())
          pin_reads();
        else if (m_.global != nullptr)
          return run_placed();
        break;
      case block_flow::places: return run_placed();
      case block_flow::copies: place_in_line(); break;
      case block_flow::bulk: place_in_bulk(); break;
      case block_flow::place:
        for (unsigned axis = 0; axis < 3; ++axis) c_.pin(axis);
        break;
      default: pin_reads(); break;
    }
    return run_and_clear();
  }

 private:
  std::uint32_t here() const { return m_.p->mask; }
  bool is_uniform(register_place p) const {
    return p.file == sass::file::uniform || p.file == sass::file::uniform_predicate;
  }
  std::uint32_t lanes_of(register_place p) const { return is_uniform(p) ? ~0u : mask_; }
  const form* form_at(register_place p) { return form_at(p, f_.by_itself ? mask_ : here()); }
  const form* form_at(register_place p, std::uint32_t lanes) {
    if (p.file == sass::file::none) return nullptr;
    const form& f = c_.at(w_, p);
    return c_.varies(f, lanes) ? &f : nullptr;
  }
  const form* form_of(const source& s) { return form_at(place_of(s)); }

  void pin_reads() {
    for (const register_place p : f_.reads)
      if (const form* f = form_at(p)) c_.pin(*f);
  }
  step run_and_clear() {
    const step s = u_.checked(m_, u_, mask_);
    clear();
    return s;
  }
  void clear() {
    for (const register_place p : f_.writes) c_.set(w_, p, {.lanes = lanes_of(p)});
  }
  // Of what is read, more than low bits is needed.
  void tighten_reads() {
    for (const register_place p : f_.reads)
      if (const form* f = form_at(p)) c_.tighten(*f);
  }
  step give_up() {
    pin_reads();
    return run_and_clear();
  }
  bool any_varies() {
    return std::any_of(f_.reads.begin(), f_.reads.end(), [&](register_place p) { return form_at(p) != nullptr; });
  }
  bool predicates_vary() {
    return std::any_of(f_.reads.begin(), f_.reads.end(), [&](register_place p) {
      return (p.file == sass::file::predicate || p.file == sass::file::uniform_predicate) && form_at(p) != nullptr;
    });
  }

  step run_axis() {
    const step s = u_.checked(m_, u_, mask_);
    block_factors by{};
    by[f_.axis] = 1;
    for (const register_place p : f_.writes) c_.set(w_, p, {.by = by, .lanes = lanes_of(p)});
    return s;
  }

  // --- between registers, or registers and the stack

  step run_words() {
    std::vector<register_place> from;
    for (const register_place p : f_.reads)
      if (p.file == sass::file::vector || p.file == sass::file::uniform) from.push_back(p);
    return copy_words(from);
  }
  step run_spill() { return copy_words(f_.reads); }
  step copy_words(const std::vector<register_place>& from) {
    std::vector<form> words;
    for (const register_place p : from) {
      const form* f = form_at(p);
      form& now = words.emplace_back(f != nullptr ? *f : form{});
      now.lanes &= mask_;
    }
    const step s = u_.checked(m_, u_, mask_);
    if (s != step::next) return s;
    clear();
    for (std::size_t n = 0; n < std::min(words.size(), f_.writes.size()); ++n) {
      if (words[n].lanes == 0) continue;
      if (is_uniform(f_.writes[n])) words[n].lanes = ~0u;
      c_.set(w_, f_.writes[n], words[n]);
    }
    return s;
  }

  // --- generic accesses: one that is of global memory here stays in its allocation

  bool is_far_from_shared() {
    const auto* f = std::get_if<sass::memory_access>(&u_.fields);
    if (f == nullptr || !m_.s->leaves_shared || !m_.s->leaves_global || !f->address.wide) return false;
    const sass::address& a = f->address;
    for (int i = 0; i < 32; ++i) {
      if ((mask_ >> i & 1) == 0) continue;
      std::uint64_t at = static_cast<std::uint64_t>(a.offset);
      at += a.uniform_base ? pair(w_.uniform[a.base], w_.uniform[a.base + 1u])
                           : pair(m_.at(u_.a, 0)[i], w_.reg(a.base + 1u)[i]);
      if (a.adds_uniform) at += pair(w_.uniform[a.uniform], w_.uniform[a.uniform + 1u]);
      if (at - shared_window < window_bytes || at - local_window < window_bytes) return false;
    }
    return true;
  }
  static std::uint64_t pair(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

  // --- upper words and carries

  step run_part() {
    // x >> 31, shifted up and added to x, rounds a division; the sum is linear.
    if (op_ == opcode::LEA && !u_.as<sass::scaled_add>().extended && form_of(u_.a) == nullptr &&
        form_of(u_.c) == nullptr && form_of(u_.b) != nullptr && !form_of(u_.b)->is_part)
      return run_linear();
    form made = part_of_reads();
    const step s = u_.checked(m_, u_, mask_);
    for (const register_place p : f_.writes) {
      made.lanes = lanes_of(p);
      c_.set(w_, p, made);
    }
    return s;
  }
  // Anything made of what is read.
  form part_of_reads() {
    form made{.is_part = true};
    for (const register_place p : f_.reads) {
      const form* f = form_at(p);
      if (f == nullptr) continue;
      for (int i = 0; i < 3; ++i) made.by[i] |= f->by[i] != 0 ? 1 : 0;
      if (!c_.is_loose(*f)) continue;
      made.low = 0;
      limit(made, f->last);
    }
    return made;
  }
  static void limit(form& f, const std::array<std::uint32_t, 3>& last) {
    for (unsigned i = 0; i < 3; ++i) f.last[i] = std::min(f.last[i], last[i]);
  }

  // --- what is linear: the factors are found by executing it again, one block further on each axis

  step run_linear() {
    if (!any_varies()) return run_and_clear();
    if (predicates_vary()) return give_up();
    const bool multiplies = op_ == opcode::IMAD || op_ == opcode::IMAD_WIDE;
    if (multiplies && form_of(u_.a) != nullptr && form_of(u_.b) != nullptr) return give_up();
    if (op_ == opcode::IMAD_WIDE)
      for (const source* s : {&u_.a, &u_.b})
        if (const form* f = form_of(*s); f != nullptr && !c_.is_loose(*f))
          keep_in_range(*s, u_.as<sass::wide_multiply>().is_signed);
    bool is_part = false;
    for (const register_place p : f_.reads)
      if (const form* f = form_at(p); f != nullptr && f->is_part && !is_upper(p)) is_part = true;
    if (is_part && op_ != opcode::MOV && op_ != opcode::SEL && op_ != opcode::R2UR) return run_part();

    const register_place to = f_.writes.empty() ? register_place{} : result();
    form part = part_of_reads();
    form made{.last = part.last};
    if (const auto by = is_part || to.file == sass::file::none ? std::nullopt : plain_factors();
        by && only_factor() == nullptr) {
      const step s = u_.checked(m_, u_, mask_);
      made.by = *by;
      for (const register_place p : f_.writes) {
        form& now = p.file == to.file && p.number == to.number ? made : part;
        now.lanes = lanes_of(p);
        c_.set(w_, p, now);
      }
      return s;
    }
    const held before(*this);
    const step s = u_.checked(m_, u_, mask_);
    if (s != step::next || to.file == sass::file::none) return s;
    if (!is_part) {
      const held after(*this);
      alignas(64) row here_is, further;
      read(to, here_is);
      const std::uint32_t lanes = is_uniform(to) ? 1 : mask_;
      const int one = std::countr_zero(lanes);
      for (unsigned axis = 0; axis < 3; ++axis) {
        if (part.by[axis] == 0 || c_.box().reach(static_cast<int>(axis)) == 0) continue;
        before.put_back();
        {
          const moved further_on(*this, axis);
          u_.checked(m_, u_, mask_);
          read(to, further);
        }
        const std::uint32_t step_by = further[one] - here_is[one];
        bool same = true;
        for (int i = 0; i < 32; ++i) same = same && ((lanes >> i & 1) == 0 || further[i] - here_is[i] == step_by);
        if (!same) c_.pin(axis);
        made.by[axis] = static_cast<std::int32_t>(step_by);
      }
      // The bits that are not known of an operand are factors of what is not known of the result.
      for (const register_place p : f_.reads) {
        const form* f = form_at(p);
        if (f == nullptr || f->is_part || !c_.is_loose(*f)) continue;
        before.put_back();
        {
          const moved above(*this, p, f->lanes, 1u << f->low);
          u_.checked(m_, u_, mask_);
          read(to, further);
        }
        made.alike = made.alike && f->alike;
        for (int i = 0; i < 32; ++i) {
          if ((lanes >> i & 1) == 0) continue;
          made.low = static_cast<std::uint8_t>(std::min<int>(made.low, std::countr_zero(further[i] - here_is[i])));
          made.alike = made.alike && further[i] - here_is[i] == further[one] - here_is[one];
        }
      }
      after.put_back();
    }
    if (const source* const factor = only_factor()) {
      // The upper word of a product alone: of a division by a constant.
      const form f = *form_of(*factor);
      const block_box same = where_same(place_of(*factor), f, before, held(*this), {f_.writes[1]});
      part = {.low = 0, .alike = false, .last = same.last};
    }
    for (const register_place p : f_.writes) {
      form& now = p.file == to.file && p.number == to.number && !is_part ? made : part;
      now.lanes = lanes_of(p);
      c_.set(w_, p, now);
    }
    return s;
  }
  // Of a product of 64 bits: the one thing that varies.
  const source* only_factor() {
    if (op_ != opcode::IMAD_WIDE || f_.writes.size() != 2 || form_of(u_.c) != nullptr || form_of(u_.c_high) != nullptr)
      return nullptr;
    // Added to a pointer, it is the upper word of an address.
    if (u_.c.kind != source_kind::reg || u_.c.index != zero_row) return nullptr;
    const source* const factor = form_of(u_.a) != nullptr ? &u_.a : &u_.b;
    const form* const f = form_of(*factor);
    return f != nullptr && !f->is_part && !c_.is_loose(*f) ? factor : nullptr;
  }
  // The factors of sums, and of products with a number, if all that varies is known exactly and in all lanes.
  std::optional<block_factors> plain_factors() {
    for (const register_place p : f_.reads) {
      const form* f = form_at(p);
      if (f != nullptr && !is_upper(p) &&
          (f->is_part || c_.is_loose(*f) || (!is_uniform(p) && (mask_ & ~f->lanes) != 0)))
        return {};
    }
    block_factors sum{};
    const auto add = [&](const source& s, std::int64_t times) {
      const form* f = form_of(s);
      for (unsigned axis = 0; axis < 3 && f != nullptr; ++axis)
        sum[axis] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum[axis] + f->by[axis] * times));
    };
    const auto sign = [](std::uint32_t flip) { return flip == 0 ? 1 : -1; };
    switch (op_) {
      case opcode::MOV:
      case opcode::VIADD:
        if (u_.flip_a != 0 || u_.flip_b != 0) return {};
        add(u_.a, 1), add(u_.b, 1), add(u_.c, 1);
        return sum;
      case opcode::IADD3:
        add(u_.a, sign(u_.flip_a)), add(u_.b, sign(u_.flip_b)), add(u_.c, sign(u_.flip_c));
        return sum;
      case opcode::IMAD:
      case opcode::IMAD_WIDE: {
        if (u_.flip_a != 0 || u_.flip_b != 0 || u_.flip_c != 0) return {};
        const bool varies_a = form_of(u_.a) != nullptr, varies_b = form_of(u_.b) != nullptr;
        const source& factor = varies_a ? u_.b : u_.a;
        if (varies_a || varies_b) {
          const std::uint32_t* const times = m_.at(factor, 0);
          const std::uint32_t lanes = u_.uniform_guard ? 1 : mask_;
          if (lanes == 0 || !all_are(lanes, [&](int i) { return times[i]; })) return {};
          add(varies_a ? u_.a : u_.b, static_cast<std::int32_t>(times[std::countr_zero(lanes)]));
        }
        add(u_.c, 1);
        return sum;
      }
      case opcode::LEA:
        if (u_.flip_a != 0 || u_.flip_b != 0) return {};
        add(u_.a, std::int64_t{1} << u_.as<sass::scaled_add>().shift), add(u_.b, 1);
        return sum;
      default: return {};
    }
  }
  // The word of the result that is linear: the lower one.
  register_place result() const {
    for (const register_place p : f_.writes)
      if (p.file == sass::file::vector || p.file == sass::file::uniform) return p;
    return {};
  }
  // The upper word of an operand.
  bool is_upper(register_place p) const {
    for (const source* s : {&u_.a_high, &u_.b_high, &u_.c_high}) {
      const register_place q = place_of(*s);
      if (q.file == p.file && q.number == p.number && f_.writes.size() > 1) return true;
    }
    return false;
  }

  // Everything that the instruction writes.
  class held {
   public:
    explicit held(follower& f) : f_(f) {
      for (const register_place p : f.f_.writes) f.read(p, rows_.emplace_back().at);
    }
    void put_back() const {
      for (std::size_t n = 0; n < rows_.size(); ++n) f_.write(f_.f_.writes[n], rows_[n].at);
    }

   private:
    follower& f_;
    std::vector<lane_row> rows_;
  };
  // The operands as the next block on an axis has them, or as `by` of what they have of blockIdx adds.
  class moved {
   public:
    moved(follower& f, unsigned axis) : f_(f) {
      for (const register_place p : f.f_.reads) {
        const form* has = f.form_at(p);
        if (has == nullptr || has->is_part) continue;
        add(p, has->lanes, static_cast<std::uint32_t>(has->by[axis]));
      }
    }
    moved(follower& f, register_place p, std::uint32_t lanes, std::uint32_t by) : f_(f) { add(p, lanes, by); }
    moved(const moved&) = delete;
    moved& operator=(const moved&) = delete;
    ~moved() {
      for (std::size_t n = rows_.size(); n-- != 0;)
        if (!is_written(places_[n])) f_.write(places_[n], rows_[n].at);
    }

   private:
    void add(register_place p, std::uint32_t lanes, std::uint32_t by) {
      places_.push_back(p);
      lane_row& old = rows_.emplace_back();
      f_.read(p, old.at);
      lane_row now = old;
      for (int i = 0; i < 32; ++i) now.at[i] += (lanes >> i & 1) != 0 ? by : 0;
      f_.write(p, now.at);
    }
    // Whoever runs it again puts that back himself.
    bool is_written(register_place p) const {
      return std::any_of(f_.f_.writes.begin(), f_.f_.writes.end(),
                         [&](register_place q) { return q.file == p.file && q.number == p.number; });
    }
    follower& f_;
    std::vector<register_place> places_;
    std::vector<lane_row> rows_;
  };

  void read(register_place p, std::uint32_t* to) {
    switch (p.file) {
      case sass::file::vector: std::copy_n(w_.reg(p.number), 32, to); return;
      case sass::file::uniform: std::fill_n(to, 32, w_.uniform[p.number]); return;
      case sass::file::predicate: to[0] = w_.predicates[p.number]; return;
      case sass::file::uniform_predicate: to[0] = w_.uniform_predicates; return;
      default: return;
    }
  }
  void write(register_place p, const std::uint32_t* from) {
    switch (p.file) {
      case sass::file::vector: std::copy_n(from, 32, w_.reg(p.number)); return;
      case sass::file::uniform: w_.uniform[p.number] = from[0]; return;
      case sass::file::predicate: w_.predicates[p.number] = from[0]; return;
      case sass::file::uniform_predicate: w_.uniform_predicates = from[0]; return;
      default: return;
    }
  }

  // --- ranges

  static std::int64_t number(std::uint32_t x, bool is_signed) {
    return is_signed ? std::int64_t{static_cast<std::int32_t>(x)} : std::int64_t{x};
  }
  static block_factors negative(const block_factors& by) { return {-by[0], -by[1], -by[2]}; }

  // The operand stays the number that it is, without its sign bit or a carry coming in between.
  void keep_in_range(const source& s, bool is_signed) {
    const form* f = form_of(s);
    if (f == nullptr) return;
    const std::uint32_t lanes = f->lanes & (s.kind == source_kind::uniform ? ~0u : mask_);
    const std::uint32_t* x = m_.at(s, 0);
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    for (int i = 0; i < 32; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      least = std::min(least, number(x[i], is_signed));
      most = std::max(most, number(x[i], is_signed));
    }
    if (least > most) return;
    const block_factors by = f->by;
    c_.keep(number(is_signed ? 0x7fffffffu : ~0u, is_signed) - most, negative(by));
    c_.keep(least - number(is_signed ? 0x80000000u : 0, is_signed), by);
  }

  // The blocks in which these results stay as they are: the operand stays in a range around what it is here.
  block_box where_same(register_place at, const form& f, const held& before, const held& after,
                       const std::vector<register_place>& results) {
    std::int64_t least = 0, most = 0;
    for (int i = 0; i < 3; ++i) (f.by[i] < 0 ? least : most) += f.by[i] * c_.box().reach(i);
    std::vector<lane_row> here_is(results.size()), further(results.size());
    for (std::size_t n = 0; n < here_is.size(); ++n) read(results[n], here_is[n].at);
    const auto same_at = [&](std::int64_t distance) {
      before.put_back();
      const moved there(*this, at, f.lanes, static_cast<std::uint32_t>(distance));
      u_.checked(m_, u_, mask_);
      bool same = true;
      for (std::size_t n = 0; n < further.size() && same; ++n) {
        read(results[n], further[n].at);
        const bool is_row = results[n].file == sass::file::vector;
        for (int i = 0; i < (is_row ? 32 : 1); ++i)
          same = same && ((is_row && (mask_ >> i & 1) == 0) || further[n].at[i] == here_is[n].at[i]);
      }
      return same;
    };
    // The furthest that is the same, between here and `end`.
    const auto furthest = [&](std::int64_t end) {
      std::int64_t good = 0, bad = end + (end < 0 ? -1 : 1);
      if (end == 0 || same_at(end)) return end;
      bad = end;
      while (std::abs(bad - good) > 1) {
        const std::int64_t middle = good + (bad - good) / 2;
        (same_at(middle) ? good : bad) = middle;
      }
      return good;
    };
    const std::int64_t up = furthest(most), down = furthest(least);
    after.put_back();
    block_box same = c_.box();
    if (up != most) keep_at_least_zero(same, up, negative(f.by));
    if (down != least) keep_at_least_zero(same, -down, f.by);
    return same;
  }

  // The result stays as it is while the operand stays in a range around what it is here.
  step run_monotone() {
    // A product that is added to an address: its upper word.
    if (op_ == opcode::IMAD_HI && (form_of(u_.c) != nullptr || form_of(u_.c_high) != nullptr)) return run_part();
    tighten_reads();
    if (!any_varies()) return run_and_clear();
    const source* varying = nullptr;
    register_place at;
    for (const source* s : {&u_.a, &u_.b, &u_.c}) {
      if (form_of(*s) == nullptr) continue;
      if (varying != nullptr) return give_up();
      varying = s;
      at = place_of(*s);
    }
    const bool is_signed = [&] {
      if (const auto* f = std::get_if<sass::funnel_shift>(&u_.fields)) return f->is_signed();
      if (const auto* f = std::get_if<sass::wide_multiply>(&u_.fields)) return f->is_signed;
      if (const auto* f = std::get_if<sass::integer_extreme>(&u_.fields)) return (f->type & 1) != 0;
      return true;
    }();
    const bool shifts = std::holds_alternative<sass::funnel_shift>(u_.fields);
    if (predicates_vary() || varying == nullptr || c_.at(w_, at).is_part || (shifts && varying != &u_.c) ||
        f_.writes.empty())
      return give_up();
    for (const source* s : {&u_.a_high, &u_.b_high, &u_.c_high})
      if (form_of(*s) != nullptr) return give_up();
    keep_in_range(*varying, is_signed);
    const form f = c_.at(w_, at);
    const std::uint32_t* const x = m_.at(*varying, 0);
    const bool is_one = is_uniform(at) || all_are(f.lanes & mask_, [&](int i) { return x[i]; });
    const held before(*this);
    const step s = u_.checked(m_, u_, mask_);
    if (s != step::next) return s;
    const held after(*this);
    const block_box same = where_same(at, f, before, after, f_.writes);
    for (const register_place p : f_.writes)
      c_.set(w_, p, {.lanes = lanes_of(p), .low = 0, .alike = is_one && (mask_ & ~f.lanes) == 0, .last = same.last});
    return s;
  }
  // The same in these lanes.
  template <class F>
  static bool all_are(std::uint32_t lanes, F of_lane) {
    for (int i = 0; i < 32; ++i)
      if ((lanes >> i & 1) != 0 && of_lane(i) != of_lane(std::countr_zero(lanes))) return false;
    return true;
  }

  // The result depends on some bits of the operand: it stays while nothing is carried into the lowest of them, or moves along
  // with them.
  step run_bits() {
    if (!any_varies()) return run_and_clear();
    const source* varying = nullptr;
    for (const source* s : {&u_.a, &u_.b, &u_.c}) {
      if (form_of(*s) == nullptr) continue;
      if (varying != nullptr) return run_bits_of_several();
      varying = s;
    }
    const register_place at = varying == nullptr ? register_place{} : place_of(*varying);
    if (predicates_vary() || varying == nullptr || c_.at(w_, at).is_part) return give_up();
    form f = c_.at(w_, at);
    const bool was_loose = c_.is_loose(f);
    if (!was_loose) f.low = 32, f.last = block_class::everywhere, f.alike = true;
    alignas(64) row x;
    std::copy_n(m_.at(*varying, 0), 32, x);
    const std::uint32_t lanes = u_.uniform_guard ? 1 : mask_ & f.lanes;
    // Bits under the lowest that blockIdx adds to never change.
    std::uint32_t added = f.low == 32 ? 0 : 1u << f.low;
    for (int i = 0; i < 3; ++i) added |= c_.box().reach(i) != 0 ? static_cast<std::uint32_t>(f.by[i]) : 0;
    const std::uint32_t moving = 0u - (added & (0u - added));
    std::uint32_t matter = 0, in_all = ~0u, same = ~0u, inverse = ~0u;
    row here_is, bits;
    for (int i = 0; i < 32; ++i) {
      here_is[i] = bitwise_at(*varying, i, x[i]);
      bits[i] = (here_is[i] ^ bitwise_at(*varying, i, ~x[i])) & moving;
      if ((lanes >> i & 1) == 0) continue;
      matter |= bits[i];
      in_all &= bits[i];
      same &= ~(here_is[i] ^ x[i]);
      inverse &= here_is[i] ^ x[i];
    }
    const auto alike = [&](const std::uint32_t* of, std::uint32_t these) {
      return all_are(lanes, [&](int i) { return of[i] & these; });
    };
    form made{.alike = (u_.uniform_guard || (mask_ & ~lanes) == 0) && f.alike && alike(x, moving) &&
                       alike(bits, moving) && alike(here_is, matter)};
    // The lowest moving bits matter in all lanes: the result moves as they do, until one is carried out of them.
    const std::uint32_t lowest = moving & (0u - moving);
    const unsigned run = static_cast<unsigned>(std::countr_one(in_all | (lowest - 1)));
    const std::uint32_t up_to = run == 32 ? ~0u : (1u << run) - 1, moves = moving & up_to;
    const bool is_linear = (in_all & lowest) != 0 && f_.writes.size() == 1 && result().file != sass::file::none &&
                           (u_.uniform_guard || (mask_ & ~lanes) == 0) &&
                           ((same & moves) == moves || (inverse & moves) == moves);
    const std::uint32_t below = matter == 0 ? 0 : is_linear ? up_to : (matter & (0u - matter)) - 1;
    if (is_linear) made.by = (same & moves) == moves ? f.by : negative(f.by);
    if (matter != 0) {
      block_box keeps = c_.box();
      for (unsigned i = 0; i < 3; ++i) keeps.last[i] = std::min(keeps.last[i], f.last[i]);
      if (below != ~0u) {
        std::uint32_t least = below, most = 0;
        for (int i = 0; i < 32; ++i) {
          if ((lanes >> i & 1) == 0) continue;
          least = std::min(least, x[i] & below);
          most = std::max(most, x[i] & below);
        }
        keep_at_least_zero(keeps, std::int64_t{below} - most, negative(f.by));
        keep_at_least_zero(keeps, std::int64_t{least}, f.by);
      }
      const auto known = static_cast<std::uint8_t>(is_linear ? run : std::countr_zero(matter));
      made.low = std::min(known, f.low);
      if (!is_linear) made.low = known;
      made.last = keeps.last;
    }
    const step s = u_.checked(m_, u_, mask_);
    if (s != step::next) return s;
    for (const register_place p : f_.writes) {
      const bool is_number = p.file == sass::file::vector || p.file == sass::file::uniform;
      // Of a predicate more is needed.
      if (!is_number) c_.tighten(made);
      made.lanes = lanes_of(p);
      c_.set(w_, p, is_number ? made : form{.lanes = made.lanes});
    }
    return s;
  }
  // Bits under the lowest that moves in any of the operands stay.
  step run_bits_of_several() {
    if (predicates_vary() || f_.writes.size() != 1 || result().file == sass::file::none) return give_up();
    form made = part_of_reads();
    for (unsigned i = 0; i < 3; ++i)
      if (made.by[i] != 0) made.last[i] = c_.box().first[i];
    made.by = {};
    made.is_part = false;
    std::uint32_t moves = 0;
    for (const register_place p : f_.reads) {
      const form* f = form_at(p);
      if (f == nullptr) continue;
      if (f->is_part) return give_up();
      const bool is_loose = c_.is_loose(*f);
      if (is_loose) moves |= 1u << f->low;
      for (int i = 0; i < 3; ++i) moves |= c_.box().reach(i) != 0 ? static_cast<std::uint32_t>(f->by[i]) : 0;
      made.alike = made.alike && (!is_loose || f->alike) && (is_uniform(p) || (mask_ & ~f->lanes) == 0);
    }
    made.low = static_cast<std::uint8_t>(std::countr_zero(moves));
    for (const source* s : {&u_.a, &u_.b, &u_.c}) {
      const std::uint32_t* const x = m_.at(*s, 0);
      made.alike = made.alike && all_are(lanes_of(result()) & mask_, [&](int i) { return x[i] >> made.low; });
    }
    const step s = u_.checked(m_, u_, mask_);
    made.lanes = lanes_of(result());
    if (s == step::next) c_.set(w_, result(), made);
    return s;
  }
  // What LOP3 makes of a lane's operands, if this one were x.
  std::uint32_t bitwise_at(const source& which, int lane, std::uint32_t x) {
    const std::uint32_t table = u_.as<sass::bitwise>().table;
    std::uint32_t operands[3], made = 0;
    unsigned n = 0;
    for (const source* s : {&u_.a, &u_.b, &u_.c}) operands[n] = s == &which ? x : m_.at(*s, n)[lane], ++n;
    for (unsigned k = 0; k < 8; ++k)
      if ((table >> k & 1) != 0)
        made |= (k & 4 ? operands[0] : ~operands[0]) & (k & 2 ? operands[1] : ~operands[1]) &
                (k & 1 ? operands[2] : ~operands[2]);
    return made;
  }

  // --- comparisons

  void compare() {
    tighten_reads();
    const auto& f = u_.as<sass::integer_comparison>();
    const source* const sources[2] = {&u_.a, &u_.b};
    const form* const of_blocks[2] = {form_of(u_.a), form_of(u_.b)};
    if (predicates_vary() || (of_blocks[0] != nullptr && of_blocks[0]->is_part) ||
        (of_blocks[1] != nullptr && of_blocks[1]->is_part))
      return pin_reads();
    if (of_blocks[0] == nullptr && of_blocks[1] == nullptr) return;
    for (const source* s : sources) keep_in_range(*s, f.is_signed);
    const std::uint32_t *a = m_.at(u_.a, 0), *b = m_.at(u_.b, 1);
    // Lanes by which of the two has something of blockIdx.
    for (unsigned which = 1; which < 4; ++which) {
      block_factors by{};
      std::uint32_t lanes = u_.uniform_guard ? 1 : mask_;
      for (unsigned n = 0; n < 2; ++n) {
        const std::uint32_t has = of_blocks[n] == nullptr ? 0 : of_blocks[n]->lanes;
        lanes &= (which >> n & 1) != 0 ? has : ~has;
        for (int i = 0; i < 3; ++i)
          if ((which >> n & 1) != 0 && of_blocks[n] != nullptr)
            by[i] += n == 0 ? of_blocks[n]->by[i] : -of_blocks[n]->by[i];
      }
      if (lanes != 0) compare(f, a, b, lanes, by);
    }
  }
  void compare(const sass::integer_comparison& f, const std::uint32_t* a, const std::uint32_t* b, std::uint32_t lanes,
               const block_factors& by) {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t below = none, above = none;  // how far the nearest lane is under zero, and over it
    bool equal = false;
    for (int i = 0; i < 32; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      const std::int64_t d = number(a[i], f.is_signed) - number(b[i], f.is_signed);
      equal = equal || d == 0;
      if (d < 0) below = std::min(below, -d);
      if (d > 0) above = std::min(above, d);
    }
    const bool splits_below = f.comparison == 1 || f.comparison == 6;  // < and >=: zero belongs to what is over it
    const bool splits_above = f.comparison == 3 || f.comparison == 4;  // <= and >: to what is under it
    const bool tells_equal = f.comparison == 2 || f.comparison == 5;
    if (!splits_below && !splits_above && !tells_equal) return;
    if (tells_equal && equal) c_.pin({.by = by, .lanes = ~0u});
    if (below != none) c_.keep(splits_above ? below : below - 1, negative(by));
    if (above != none) c_.keep(splits_below ? above : above - 1, by);
    if (equal && splits_below) c_.keep(0, by);
    if (equal && splits_above) c_.keep(0, negative(by));
  }

  // --- cp.async: blocks whose sources are whole lines further cost the same

  void place_in_line() {
    if (!m_.s->leaves_shared) return pin_reads();
    const sass::address& from = u_.as<sass::copy_access>().source;
    for (const register_place p : f_.reads) {
      const form* f = form_at(p);
      if (f == nullptr) continue;
      const address_word which = word_of(from, p);
      if (which == address_word::high && f->is_part) continue;
      const bool all_lanes = is_uniform(p) || (mask_ & ~f->lanes) == 0;
      const bool is_whole_lines = which == address_word::low && !f->is_part && all_lanes;
      if (!is_whole_lines || !f->alike || f->low < line_bits) c_.tighten(*f);
      for (unsigned axis = 0; axis < 3; ++axis)
        if (f->by[axis] != 0 && (!is_whole_lines || f->by[axis] % line_bytes != 0)) c_.pin(axis);
    }
  }

  // --- accesses of global memory whose addresses are told: by how much those of other blocks differ is told with them

  step run_placed() {
    const auto* const f = std::get_if<sass::memory_access>(&u_.fields);
    if (f == nullptr || sass::traits_of(op_).space == sass::space::local) {
      pin_reads();
    } else {
      for (const register_place p : f_.reads) add_distance(f->address, p);
    }
    const step s = run_and_clear();
    m_.further = {};
    return s;
  }
  void add_distance(const sass::address& to, register_place p) {
    const form* f = form_at(p);
    if (f == nullptr) return;
    const address_word which = word_of(to, p);
    if (which == address_word::high && f->is_part) return;
    const bool is_distance = which == address_word::low && !f->is_part && (is_uniform(p) || (mask_ & ~f->lanes) == 0);
    if (!is_distance || !f->alike || f->low < line_bits) c_.tighten(*f);
    for (unsigned axis = 0; axis < 3; ++axis)
      if (!is_distance && f->by[axis] != 0)
        c_.pin(axis);
      else if (is_distance)
        m_.further[axis] += f->by[axis];
  }
  enum class address_word : std::uint8_t { none, low, high };
  static address_word word_of(const sass::address& a, register_place p) {
    const auto is_of = [p](unsigned number, sass::file file) { return p.file == file && p.number == number; };
    const sass::file base = a.uniform_base ? sass::file::uniform : sass::file::vector;
    if (is_of(a.base, base) || (a.adds_uniform && is_of(a.uniform, sass::file::uniform))) return address_word::low;
    if ((a.wide && is_of(a.base + 1u, base)) || (a.adds_uniform && is_of(a.uniform + 1u, sass::file::uniform)))
      return address_word::high;
    return address_word::none;
  }

  // What it reads pins the block, but for the place in global memory. Nothing of that memory is needed, then.
  void place_in_bulk() {
    unsigned first = 0, last = 0;  // uniform registers of the place
    if (const auto* t = std::get_if<sass::tensor_transfer>(&u_.fields)) {
      const bool loads = op_ == opcode::UTMALDG || op_ == opcode::UTMALDG_U;
      first = t->box + (loads ? 2u : 1u);
      last = first + t->dimensions - 1;
    } else {
      const auto& b = u_.as<sass::bulk_transfer>();
      if (b.to_shared != b.from_shared) first = b.to_shared ? b.source : b.target, last = first + 1;
    }
    const bool matters = !(m_.s->leaves_shared && m_.s->leaves_global);
    for (const register_place p : f_.reads) {
      const bool is_place = p.file == sass::file::uniform && p.number >= first && p.number <= last && last != 0;
      if (const form* f = form_at(p); f != nullptr && (matters || !is_place)) c_.pin(*f);
    }
  }

  worker& m_;
  const micro_op& u_;
  const followed& f_;
  block_class& c_;
  warp& w_;
  std::uint32_t mask_;
  opcode op_ = vector_form(u_.op);
};

}  // namespace

step run_followed(worker& m, const micro_op& u, std::uint32_t mask) {
  if (m.blocks->box().blocks() != 1) return follower(m, u, mask).run();
  return mask != 0 || (*m.s->followed)[u.index].runs_unguarded ? u.checked(m, u, mask) : step::next;
}

}  // namespace bankwise::emulate
