// The loop is followed round by round: each serves one lane of every bank.
#include "expr/atomic_choice.hpp"

#include "bankwise/wavefronts.hpp"
#include "expr/type_names.hpp"

namespace bankwise {

namespace {

atomic_loop follow_loop(const access& a, const bank_model& m) {
  atomic_loop loop;
  access load = a, swap = a;
  load.op = ld(a.op.width_bytes);
  swap.op = cas_spin(a.op.width_bytes);
  while (swap.mask != 0 && loop.rounds < lanes_per_warp) {
    load.mask = swap.mask;
    loop.wavefronts += wavefronts(load, m) + wavefronts(swap, m);
    ++loop.rounds;
    swap.mask &= ~lanes_served(swap, m);
  }
  return loop;
}

bool has_rule(const named_access& q, operation op) { return !unsupported(q.on, op) && valid(op); }

std::string rounds_of(const atomic_loop& l) {
  return "a loop of ld and atom.cas.spin, " + std::to_string(l.rounds) + (l.rounds == 1 ? " round" : " rounds");
}

}  // namespace

u32 loop_wavefronts(const access& a, const bank_model& m) { return follow_loop(a, m).wavefronts; }

void choose_atomic(named_access& q, std::string_view type, const expr::atomic_use& use) {
  if (q.what.op.kind != op_kind::atomic || q.on.of_amd) return;
  if (number_of(q.on.name.c_str()) < 70) return;  // of older GPUs nobody has looked
  const std::string name = q.op.spelling;
  const bool adds = name.find(".add") != std::string::npos;
  const bool exchanges = name.find(".exch") != std::string::npos;
  const u32 width = q.what.op.width_bytes;
  const bool type_known = !type.empty() || q.op.is_number;
  const bool is_float = q.op.is_float || is_float_type(type);
  const auto cost_of = [&](operation op) {
    access a = q.what;
    a.op = op;
    return wavefronts(a, q.on.model);
  };

  // Hardware adds 32-bit integers alone; exchanges and compare-and-swaps it has of 64 bits, too.
  const bool loops = !exchanges && (width == 8 || is_float);
  if (loops && has_rule(q, cas_spin(width))) {
    q.loop = follow_loop(q.what, q.on.model);
    if (width == 4 && !type_known) q.alternatives.push_back({"the type is an integer", name, cost_of(q.what.op)});
    q.what.op = cas_spin(width);
    q.op = *parse_operation("atom.cas.spin.b" + std::to_string(width * 8));
    q.notes.push_back("hardware has no " + name + " of this type: compilers write " + rounds_of(*q.loop) + ", " +
                      std::to_string(q.loop->wavefronts) +
                      " wavefronts in all; the picture shows the first atom.cas.spin");
    return;
  }
  if (exchanges || !adds || width != 4) return;
  const bool counts = use.constant == 1 && !use.result_used && use.is_function;
  if (counts && has_rule(q, popc_inc())) {
    q.alternatives.push_back({"another operand than 1, or the result is used", name, cost_of(q.what.op)});
    q.what.op = popc_inc();
    q.op = *parse_operation("popc.inc");
    q.notes.push_back("nvcc makes ATOMS.POPC.INC of adding 1 where nobody uses the result: lanes on one word share");
    return;
  }
  // Adding a constant is all that decides: where it is not known, both are said.
  if (!use.constant && has_rule(q, popc_inc()))
    q.alternatives.push_back(
        {"the operand is the constant 1 and nobody uses the result", "popc.inc.b32", cost_of(popc_inc())});
  if (!type_known && has_rule(q, cas_spin(4))) {
    const atomic_loop l = follow_loop(q.what, q.on.model);
    q.alternatives.push_back({"the type is float or half2", rounds_of(l), l.wavefronts});
  }
}

}  // namespace bankwise
