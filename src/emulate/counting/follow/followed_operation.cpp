#include "emulate/counting/follow/followed_operation.hpp"

#include <algorithm>

namespace bankwise::emulate {

register_place register_of(const source& s) {
  if (s.kind == source_kind::uniform) return {sass::file::uniform, s.index};
  if (s.kind == source_kind::reg && s.index < zero_row) return {sass::file::vector, s.index};
  return {};
}

const register_form* followed_operation::form_at(register_place p, std::uint32_t lanes) {
  if (p.file == sass::file::none) return nullptr;
  const register_form& f = blocks.form_at(w, p);
  return blocks.varies(f, lanes) ? &f : nullptr;
}

bool followed_operation::any_varies() {
  return std::any_of(flow.reads.begin(), flow.reads.end(), [&](register_place p) { return form_at(p) != nullptr; });
}

bool followed_operation::predicates_vary() {
  return std::any_of(flow.reads.begin(), flow.reads.end(), [&](register_place p) {
    return (p.file == sass::file::predicate || p.file == sass::file::uniform_predicate) && form_at(p) != nullptr;
  });
}

register_form followed_operation::part_of_reads() {
  register_form made{.is_part = true};
  for (const register_place p : flow.reads) {
    const register_form* f = form_at(p);
    if (f == nullptr) continue;
    for (int i = 0; i < 3; ++i) made.by[i] |= f->by[i] != 0 ? 1 : 0;
    if (!blocks.is_loose(*f)) continue;
    made.low = 0;
    for (unsigned i = 0; i < 3; ++i) made.last[i] = std::min(made.last[i], f->last[i]);
  }
  return made;
}

void followed_operation::pin_reads() {
  for (const register_place p : flow.reads)
    if (const register_form* f = form_at(p)) blocks.pin(*f);
}

void followed_operation::tighten_reads() {
  for (const register_place p : flow.reads)
    if (const register_form* f = form_at(p)) blocks.tighten(*f);
}

void followed_operation::clear() {
  for (const register_place p : flow.writes) blocks.set(w, p, {.lanes = lanes_of(p)});
}

step followed_operation::run_and_clear() {
  const step s = execute();
  clear();
  return s;
}

step followed_operation::give_up() {
  pin_reads();
  return run_and_clear();
}

register_place followed_operation::result() const {
  for (const register_place p : flow.writes)
    if (p.file == sass::file::vector || p.file == sass::file::uniform) return p;
  return {};
}

bool followed_operation::is_upper(register_place p) const {
  for (const source* s : {&u.a_high, &u.b_high, &u.c_high}) {
    const register_place q = register_of(*s);
    if (q.file == p.file && q.number == p.number && flow.writes.size() > 1) return true;
  }
  return false;
}

void followed_operation::read(register_place p, std::uint32_t* to) {
  switch (p.file) {
    case sass::file::vector: std::copy_n(w.reg(p.number), 32, to); return;
    case sass::file::uniform: std::fill_n(to, 32, w.uniform[p.number]); return;
    case sass::file::predicate: to[0] = w.predicates[p.number]; return;
    case sass::file::uniform_predicate: to[0] = w.uniform_predicates; return;
    default: return;
  }
}

void followed_operation::write(register_place p, const std::uint32_t* from) {
  switch (p.file) {
    case sass::file::vector: std::copy_n(from, 32, w.reg(p.number)); return;
    case sass::file::uniform: w.uniform[p.number] = from[0]; return;
    case sass::file::predicate: w.predicates[p.number] = from[0]; return;
    case sass::file::uniform_predicate: w.uniform_predicates = from[0]; return;
    default: return;
  }
}

}  // namespace bankwise::emulate
