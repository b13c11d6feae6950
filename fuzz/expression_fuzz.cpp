// Fuzzes the lane language and the names of operations and machines. Each line of the input is parsed as an expression,
// an operation and a machine. A declaration is valid in the lines below it.
#include "expr/parse/declaration.hpp"
#include "expr/parse/expression.hpp"

#include "bankwise/wavefronts.hpp"
#include "base/text.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"
#include "expr/parse/line.hpp"
#include "expr/parse/type_names.hpp"
#include "require.hpp"

using namespace bankwise;
using fuzz::succeeded;

namespace {

// Computes the cost of an access for every supported operation on this machine, with any addresses.
void judge(const bankwise::access& a, const machine& on) {
  if (unsupported(on, a.op)) return;
  const cost c = analyze(a, on.model);
  const explanation e = explain(a, on.model);
  BANKWISE_REQUIRE(c.wavefronts == e.total.wavefronts && c.reachable == e.total.reachable && c.ideal == e.total.ideal);
  BANKWISE_REQUIRE(c.passes == e.total.passes && c.cycles == e.total.cycles);
  BANKWISE_REQUIRE(c.reachable <= c.wavefronts && c.ideal <= c.wavefronts);
  BANKWISE_REQUIRE((c.wavefronts == 0) == (lanes_used(a) == 0));
  const u32 floor = layout_floor(a, on.model);
  BANKWISE_REQUIRE(c.reachable <= floor && floor <= c.wavefronts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  expr::scope names;
  names.block = {16, 4, 2};
  names.warp = 1;
  bankwise::access a{};
  a.op = ld(4);
  a.mask = full_mask;
  machine on = *parse_machine("sm_90");
  std::size_t lines = 0;
  for (const std::string_view line : split(fuzz::text_of(data, size), '\n')) {
    if (++lines > 64) break;
    if (auto array = expr::parse_array(line, names); succeeded(array) && names.arrays.size() < 8)
      expr::add_array(names, std::move(*array));
    if (auto constant = expr::parse_constant(line, names); succeeded(constant) && names.constants.size() < 8)
      names.constants.insert(*constant);
    if (const auto op = parse_operation(line, 8); succeeded(op)) {
      a.op = op->op;
      BANKWISE_REQUIRE(parse_operation(op->spelling)->op == op->op);
    }
    if (auto m = parse_machine(line); succeeded(m)) on = std::move(*m);
    type_bytes(line);
    // Parses declarations of kernels, and lines of kernels.
    expr::scope declared = names;
    if (succeeded(expr::declare(line, declared)) && declared.arrays.size() < 8 && declared.structures.size() < 8)
      names = declared;
    if (succeeded(expr::parse_let(line, declared)) && declared.variables.size() < 8) names = declared;
    succeeded(find_machine(line));
    if (const auto l = expr::parse_line(line, names); succeeded(l)) {
      BANKWISE_REQUIRE(l->number.has_value() == l->accesses.empty());
      for (const expr::line_access& one : l->accesses)
        if (const auto v = one.address.evaluate(0); succeeded(v)) {
          const u32 width = v->element_bytes;
          BANKWISE_REQUIRE(width != 0 && width <= 16 && (width & (width - 1)) == 0 && v->pieces != 0);
        }
    }
    const auto e = expr::parse(line, names);
    if (!succeeded(e)) continue;
    bool all = true;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const auto v = e->evaluate(lane);
      if ((all &= succeeded(v))) a.address[lane] = static_cast<u32>(v->number);
    }
    if (all) judge(a, on);
  }
  return 0;
}
