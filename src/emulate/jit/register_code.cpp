// Code for runs: assigns rows and words to vector registers, and writes rows back.
#if defined(BANKWISE_HAS_PIECES)
#include "emulate/jit/piece_code.hpp"

#include <algorithm>

namespace bankwise::emulate::jit {

constexpr u32 canonical_nan = 0x7fffffffu;

bool piece_code::is_lanewise(const micro_op& u) {
  return does_nothing(u) || (is_table_handler(u) && !u.uniform_guard && emit(u, false));
}

void piece_code::lanewise(std::size_t begin, std::size_t end) {
  run_begin_ = begin, run_end_ = end;
  bool any = false;
  for (std::size_t i = begin; i < end; ++i) any |= !does_nothing(op(i));
  if (!any) return;
  homes_ = {};
  note_uses();
  xor_(r10d, r10d);
  mov(r11, ptr[r15 + offsetof(piece_frame, uniform)]);
  vpbroadcastd(nan_vector(), word_at(canonical_nan));
  Xbyak::Label again;
  L(again);
  for (now_ = begin; now_ < end; ++now_) {
    const micro_op& u = op(now_);
    ++instruction_;
    if (does_nothing(u) || is_never(u)) continue;
    masked_ = !is_unguarded(u) || !whole_;
    if (masked_) is_unguarded(u) ? load_lanes() : load_guard(u);
    emit(u, true);
    ++compiled_;
  }
  for (unsigned h = 0; h < places(); ++h) save(h);
  add(rbx, static_cast<int>(part_bytes()));
  add(r10d, part_bytes() / 32);
  cmp(r10d, 4);
  jb(again, T_NEAR);
  sub(rbx, 128);
}

piece_code::vec piece_code::v(unsigned n) const {
  return wide_ ? vec(Xbyak::Zmm(static_cast<int>(n))) : vec(Xbyak::Ymm(static_cast<int>(n)));
}

void piece_code::words() {
  if (uses_bits_) {
    align(32);
    L(bits_);
    for (unsigned lane = 0; lane < 8; ++lane) dd(1u << lane);
  }
  align(4);
  for (auto& [value, label] : words_) {
    L(label);
    dd(value);
  }
}

void piece_code::note_uses() {
  uses_.clear();
  for (std::size_t i = run_begin_; i < run_end_; ++i) {
    const micro_op& u = op(i);
    for (const source* s : {&u.a, &u.b, &u.c, &u.a_high, &u.b_high, &u.c_high}) uses_[key_of(*s)].push_back(i);
    uses_[key_of_row(u.d)].push_back(i);
  }
}

value_key piece_code::key_of(const source& s) {
  switch (s.kind) {
    case source_kind::constant: return key_of_word(s.lanes[0]);
    case source_kind::uniform: return key_of_uniform(s.index);
    default: return s.index == zero_row ? key_of_word(0) : key_of_row(s.index);
  }
}

std::optional<u32> piece_code::word_of(const source& s) {
  if (s.kind == source_kind::constant) return s.lanes[0];
  if (s.kind == source_kind::reg && s.index == zero_row) return 0;
  return {};
}

std::size_t piece_code::next_use(value_key k) const {
  const auto at = uses_.find(k);
  if (at == uses_.end()) return ~std::size_t{0};
  const auto next = std::upper_bound(at->second.begin(), at->second.end(), now_);
  return next == at->second.end() ? ~std::size_t{0} : *next;
}

void piece_code::save(unsigned h) {
  home& x = homes_[h];
  if (!x.used || !x.dirty) return;
  settle(h);
  wide_ ? vmovdqa32(row_at(static_cast<unsigned>(x.key)), v(h)) : vmovdqa(row_at(static_cast<unsigned>(x.key)), v(h));
  x.dirty = false;
}

void piece_code::settle(unsigned h) {
  home& x = homes_[h];
  if (!x.loose) return;
  canonicalise(v(h));
  x.loose = false;
}

void piece_code::canonicalise(const vec& x) {
  if (wide_) {
    vcmpps(k7, x, x, unordered);
    vmovdqa32(x | k7, nan_vector());
  } else {
    vcmpps(v(13), x, x, unordered);
    vblendvps(x, x, nan_vector(), v(13));
  }
}

unsigned piece_code::make_room() {
  unsigned best = places();
  std::size_t farthest = 0;
  for (unsigned h = 0; h < places(); ++h) {
    const home& x = homes_[h];
    if (!x.used) return h;
    if (x.pinned == instruction_) continue;
    const std::size_t next = next_use(x.key);
    const std::size_t distance = next == ~std::size_t{0} ? next - (x.dirty ? 1 : 0) : next;
    if (best == places() || distance > farthest) best = h, farthest = distance;
  }
  save(best);
  homes_[best] = {};
  return best;
}

std::optional<unsigned> piece_code::find(value_key k) const {
  for (unsigned h = 0; h < places(); ++h)
    if (homes_[h].used && homes_[h].key == k) return h;
  return {};
}

unsigned piece_code::load(value_key k) {
  if (const auto known = find(k)) {
    homes_[*known].pinned = instruction_;
    return *known;
  }
  const unsigned h = make_room();
  homes_[h] = {k, true, false, false, instruction_};
  if (is_row(k))
    wide_ ? vmovdqa32(v(h), row_at(static_cast<unsigned>(k))) : vmovdqa(v(h), row_at(static_cast<unsigned>(k)));
  else if (k == key_of_word(0))
    wide_ ? vpxord(v(h), v(h), v(h)) : vpxor(v(h), v(h), v(h));
  else if (k >> 40 == 1)
    vpbroadcastd(v(h), word_at(static_cast<u32>(k)));
  else
    vpbroadcastd(v(h), ptr[r11 + static_cast<int>(4 * (k & 0xff))]);
  return h;
}

piece_code::vec piece_code::read(const source& s) {
  const unsigned h = load(key_of(s));
  settle(h);
  return v(h);
}

unsigned piece_code::result() {
  const unsigned h = make_room();
  homes_[h] = {no_key, true, false, false, instruction_};
  return h;
}

void piece_code::put(unsigned h, unsigned row, bool loose) {
  home& r = homes_[h];
  if (row >= trash_row) {
    r = {};
  } else if (!masked_) {
    if (const auto old = find(key_of_row(row))) homes_[*old] = {};
    r = {key_of_row(row), true, true, loose, instruction_};
  } else {
    if (loose) canonicalise(v(h));
    const unsigned old = load(key_of_row(row));
    settle(old);
    if (wide_)
      vmovdqa32(v(old) | k1, v(h));
    else
      vblendvps(v(old), v(old), v(h), guard_vector());
    homes_[old].dirty = true;
    homes_[h] = {};
  }
}

}  // namespace bankwise::emulate::jit
#endif
