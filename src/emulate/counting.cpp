#include "emulate/counting.hpp"

#include "sass/isa.hpp"

namespace bankwise::emulate {

counting_code code_to_count(const cubin::program& p, const cubin::kernel& k) {
  counting_code c;
  const cubin::code_section& section = p.sections[k.section];
  const sass::isa set = sass::isa_of(p.sm);
  const sass::code_flow flow = sass::flow_of_code(section.bytes, set, k.offset, section.address);
  if (!flow.complete) {
    c.why_not = "where its code goes is not known before it runs";
    return c;
  }
  c.possible = true;
  c.needed = sass::slice_of(flow, section.bytes, set);
  c.by_class =
      !sass::touches(c.needed.written, sass::space::global) || !sass::touches(c.needed.loaded, sass::space::global);
  if (c.by_class) c.follows = followed_instructions(flow, c.needed, section.bytes, set);
  return c;
}

}  // namespace bankwise::emulate
