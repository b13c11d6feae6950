#include "emulate/counting/counting.hpp"

#include <algorithm>

#include "sass/flow/clock_waits.hpp"
#include "sass/isa.hpp"

namespace bankwise::emulate {

namespace {

counting_code find_code(const sass::code_flow& flow, bool tells_global) {
  counting_code c;
  c.tells_global = tells_global;
  if (!flow.complete) {
    c.why_not = "the kernel's control flow is not known before the kernel runs";
    return c;
  }
  c.needed = sass::slice_of(flow, tells_global);
  const bool loads_global = sass::touches(c.needed.loaded, sass::space::global);
  c.leaves_shared = !sass::touches(c.needed.loaded, sass::space::shared);
  c.leaves_tensors = !sass::touches(c.needed.loaded, sass::space::tensor_memory);
  c.leaves_global = !loads_global;
  // A block that takes the work of other blocks (UGETNEXTWORKID) cannot represent other blocks, because it does more
  // than its own work.
  const bool asks = std::any_of(flow.order.begin(), flow.order.end(), [&](std::uint32_t n) {
    const sass::opcode_info* const info = flow.instruction_at(n).info();
    return info != nullptr && info->op == sass::opcode::UGETNEXTWORKID;
  });
  c.by_class = !asks && (!loads_global || !sass::touches(c.needed.written, sass::space::global));
  const bool reads_clock = std::any_of(flow.order.begin(), flow.order.end(), [&](std::uint32_t n) {
    return c.needed.needed[n] && sass::reads_clock(flow.instruction_at(n));
  });
  c.possible = (!flow.has_calls_out || c.by_class) && !reads_clock;
  if (!c.possible)
    c.why_not = reads_clock ? "the counts depend on the time that the kernel sees, and so on all instructions"
                            : "the kernel calls functions that change values on which the counts depend";
  if (!c.by_class) c.racing = racing_code_of(flow, c.needed);
  if (c.by_class) c.follows = followed_instructions(flow, c.needed);
  return c;
}

}  // namespace

sass::code_flow flow_of(const cubin::program& p, const cubin::kernel& k) {
  const cubin::code_section& section = p.sections[k.section];
  return sass::flow_of_code(section.bytes, sass::isa_of(p.sm), k.offset, section.address);
}

counting_code code_to_count(const cubin::program& p, const cubin::kernel& k, told_global global) {
  return code_to_count(flow_of(p, k), global);
}

counting_code code_to_count(const sass::code_flow& flow, told_global global) {
  counting_code c = find_code(flow, global != told_global::no);
  if (global == told_global::no || (c.leaves_global && c.leaves_shared)) return c;
  // The slice without global addresses is a part of c's slice. If c.by_class is true, c's slice needs no value of
  // another block and has no racing code. The smaller slice then has the same properties, so c.by_class is not computed
  // again.
  if (global == told_global::yes && c.by_class) return c;
  counting_code without = find_code(flow, false);
  if (global == told_global::yes) {
    c.racing = without.racing;  // the counts of shared memory depend on this code
    return c;
  }
  const bool is_cheap = c.possible == without.possible && c.by_class == without.by_class &&
                        c.leaves_global == without.leaves_global && c.leaves_shared == without.leaves_shared;
  return is_cheap ? c : without;
}

}  // namespace bankwise::emulate
