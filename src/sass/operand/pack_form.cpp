#include "sass/operand/pack_form.hpp"

#include "sass/row.hpp"

namespace bankwise::sass {

pack_form pack_form_of(const instruction& i) {
  const row_fields f(i);
  const auto pack = f.value("pack");
  const bool merge = f.flag("merge");
  pack_form p;
  p.from = static_cast<pack_source>(f.value("from") | f.value("from_high") << 2);
  p.to = static_cast<pack_target>(f.value("to_low") | f.value("to_high") << 1 | f.value("to_short") << 3);
  p.unpacks = p.from != pack_source::f32;
  p.packs_b = !p.unpacks && pack == 1;
  p.merges_one = merge && pack == 0;
  p.merges_pair = pack == 2;
  p.has_c = p.merges_one || p.merges_pair;
  return p;
}

}  // namespace bankwise::sass
