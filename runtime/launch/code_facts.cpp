#include "runtime/launch/code_facts.hpp"

#include <algorithm>

#include "timing/clocks/launch_clocks.hpp"

namespace bankwise::cuda {

namespace {

const sass::code_flow& flow_of(function& f) {
  if (!f.flow) f.flow = emulate::flow_of(*f.owner->program, *f.kernel);
  return *f.flow;
}

}  // namespace

const emulate::counting_code& counting_of(const run_options& o, function& f) {
  using emulate::told_global;
  const told_global global = o.leaves_out_global                     ? told_global::no
                             : o.counts_only && !o.insists_on_global ? told_global::where_cheap
                                                                     : told_global::yes;
  if (f.counting == nullptr)
    f.counting = std::make_shared<emulate::counting_code>(emulate::code_to_count(flow_of(f), global));
  return *f.counting;
}

bool reads_clock(function& f) {
  if (!f.has_clock) f.has_clock = timing::reads_clock(*f.owner->program, *f.kernel);
  return *f.has_clock;
}

bool computes_sleeps(function& f) {
  const sass::code_flow& flow = flow_of(f);
  const auto sleeps = [&](std::uint32_t n) {
    const sass::opcode_info* const info = flow.instruction_at(n).info();
    return info != nullptr && info->op == sass::opcode::NANOSLEEP_R;
  };
  if (!f.computes_sleeps) f.computes_sleeps = std::any_of(flow.order.begin(), flow.order.end(), sleeps);
  return *f.computes_sleeps;
}

const sass::global_pointers& pointers_of(function& f) {
  if (!f.pointers) f.pointers = sass::global_pointers_of(flow_of(f));
  return *f.pointers;
}

}  // namespace bankwise::cuda
