// Chooses the instruction for an atomic function. If the compiler generates a loop, this file executes the loop round
// by round. Each round serves one lane of every bank.
#include "expr/atomic_choice.hpp"

#include "bankwise/wavefronts.hpp"
#include "base/format.hpp"
#include "expr/parse/type_names.hpp"

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

// Executes a loop as in CUDA's headers: a load, followed by compare-and-swaps. Each compare-and-swap serves one lane of
// every word.
atomic_loop follow_swaps(const access& a, const bank_model& m) {
  atomic_loop loop;
  access load = a, swap = a;
  load.op = ld(a.op.width_bytes);
  swap.op = cas(a.op.width_bytes);
  loop.wavefronts = wavefronts(load, m);
  while (swap.mask != 0) {
    loop.wavefronts += wavefronts(swap, m);
    ++loop.rounds;
    u32 left = 0;
    for (u32 lane = 0; lane < lanes_per_warp; ++lane)
      for (u32 before = 0; before < lane && (swap.mask >> lane & 1) != 0; ++before)
        if ((swap.mask >> before & 1) != 0 && swap.address[before] == swap.address[lane]) left |= 1u << lane;
    swap.mask = left;
  }
  return loop;
}

std::string rounds_text(const atomic_loop& l) {
  return std::to_string(l.rounds) + (l.rounds == 1 ? " round" : " rounds");
}
std::string rounds_of(const atomic_loop& l) {
  return formatted("a loop of ld and atom.cas.spin, with {}", rounds_text(l));
}

bool is_unsigned_type(std::string_view type) { return type.starts_with('u') || type.starts_with("size_t"); }

// Whether the stored value depends only on the operand. If so, the compiler uses an exchange.
bool is_an_exchange(std::string_view name, std::string_view type, u32 width, const expr::atomic_use& use) {
  if (!use.constant || !use.is_function || (width != 4 && width != 8)) return false;
  const u32 unused = 64 - width * 8;
  const std::uint64_t ones = ~std::uint64_t{0} >> unused, highest = ones >> 1;
  const std::uint64_t n = static_cast<std::uint64_t>(*use.constant) & ones;
  const bool is_unsigned = is_unsigned_type(type);
  const auto does = [&](std::string_view what) { return name.find(what) != std::string_view::npos; };
  return (does(".or") && n == ones) || (does(".and") && n == 0) ||
         (does(".max") && n == (is_unsigned ? ones : highest)) ||
         (does(".min") && n == (is_unsigned ? 0 : highest + 1));
}

}  // namespace

u32 loop_wavefronts(const access& a, const bank_model& m) { return follow_loop(a, m).wavefronts; }

void choose_atomic(named_access& q, std::string_view type, const expr::atomic_use& use) {
  if (q.what.op.kind != op_kind::atomic || q.on.of_amd) return;
  const u32 arch = number_of(q.on.name.c_str());
  if (arch < 70) return;  // the choice for older GPUs is unknown
  std::string name = q.op.spelling;
  // atomicInc with the largest number as its limit never wraps, so it only adds 1.
  const bool counts_on = name.find(".inc") != std::string::npos && q.what.op.width_bytes == 4 && use.is_function &&
                         use.constant && static_cast<u32>(*use.constant) == ~u32{0};
  if (counts_on) {
    q.op = *parse_operation("atom.add.b32");
    name = q.op.spelling;
  }
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

  if (arch >= 100 && !is_float && is_an_exchange(name, type, width, use)) {
    q.op = *parse_operation(formatted("atom.exch.b{}", width * 8));
    q.what.op = q.op.op;
    q.notes.push_back(
        "from sm_100 on, nvcc compiles this operation to ATOMS.EXCH, because with this operand the old value does "
        "not matter");
    return;
  }
  if (adds && arch < 90 && type.ends_with("bfloat162") && has_rule(q, cas(width))) {
    q.loop = follow_swaps(q.what, q.on.model);
    q.op = *parse_operation("atom.cas.b32");
    q.what.op = q.op.op;
    q.notes.push_back(
        formatted("before sm_90, cuda_bf16.h uses a loop of atom.cas with {} and {} wavefronts in total. The picture "
                  "shows only the first atom.cas",
                  rounds_text(*q.loop), q.loop->wavefronts));
    return;
  }

  // The hardware adds only integers of 32 bits. Exchanges and compare-and-swaps exist for 32 and 64 bits.
  const bool loops = !exchanges && (width == 8 || is_float);
  if (loops && has_rule(q, cas_spin(width))) {
    q.loop = follow_loop(q.what, q.on.model);
    if (width == 4 && !type_known) q.alternatives.push_back({"the type is an integer", name, cost_of(q.what.op)});
    q.what.op = cas_spin(width);
    q.op = *parse_operation(formatted("atom.cas.spin.b{}", width * 8));
    q.notes.push_back(
        formatted("the hardware has no {} of this type, so compilers write {} and {} wavefronts in total. The "
                  "picture shows only the first atom.cas.spin",
                  name, rounds_of(*q.loop), q.loop->wavefronts));
    return;
  }
  if (exchanges || !adds || width != 4) return;
  const bool has_popc = arch >= 80 && has_rule(q, popc_inc());
  const bool counts = (counts_on || use.constant == 1) && !use.result_used && use.is_function;
  if (counts && has_popc) {
    q.alternatives.push_back({"the operand is not 1, or the result is used", name, cost_of(q.what.op)});
    q.what.op = popc_inc();
    q.op = *parse_operation("popc.inc");
    q.notes.push_back(
        "if you add 1 and do not use the result, nvcc compiles this operation to ATOMS.POPC.INC. The lanes of this "
        "instruction that use the same word share a wavefront");
    return;
  }
  // The hardware counts lanes only if the operand is the constant 1. If the operand is unknown, both costs are
  // reported.
  if (!use.constant && has_popc)
    q.alternatives.push_back(
        {"the operand is the constant 1 and the result is not used", "popc.inc.b32", cost_of(popc_inc())});
  if (!type_known && has_rule(q, cas_spin(4))) {
    const atomic_loop l = follow_loop(q.what, q.on.model);
    q.alternatives.push_back({"the type is float or half2", rounds_of(l), l.wavefronts});
  }
}

}  // namespace bankwise
