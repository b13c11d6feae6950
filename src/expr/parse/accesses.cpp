#include "expr/parse/accesses.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/parse/elements.hpp"
#include "expr/parse/named_values.hpp"

namespace bankwise::expr {

namespace {

constexpr std::size_t most_accesses = 64;

// An atomic function, and the name of its operation in PTX.
struct atomic_row {
  std::string_view function, op;
};
constexpr atomic_row atomic_functions[] = {
    {"atomicAdd", "add"}, {"atomicSub", "add"}, {"atomicMin", "min"}, {"atomicMax", "max"},
    {"atomicAnd", "and"}, {"atomicOr", "or"},   {"atomicXor", "xor"}, {"atomicExch", "exch"},
    {"atomicCAS", "cas"}, {"atomicInc", "inc"}, {"atomicDec", "dec"},
};

}  // namespace

void record_access(parser& p, const operand& o, std::string_view op, atomic_use atomic) {
  if (p.error) return;
  if (p.accesses.size() == most_accesses) {
    p.fail(o.at, 1, formatted("the line has more than {} accesses", most_accesses));
    return;
  }
  const std::uint32_t root = access_node(p, o);
  p.accesses.push_back(
      {root, std::string(op), std::string(trim(std::string_view(p.text).substr(o.at, o.end - o.at))), atomic});
}

operand parse_atomic_call(parser& p, std::size_t at, std::string_view word) {
  std::string_view plain = word;
  for (const std::string_view ending : {"_block", "_system"})
    if (plain.ends_with(ending)) plain.remove_suffix(ending.size());
  const atomic_row* row = nullptr;
  for (const atomic_row& r : atomic_functions)
    if (r.function == plain) row = &r;
  if (row == nullptr)
    return p.fail(at, word.size(), formatted("unknown function '{}'", word),
                  "bankwise knows atomicAdd, atomicSub, atomicMin, atomicMax, atomicAnd, atomicOr, atomicXor, "
                  "atomicExch, atomicCAS, atomicInc and atomicDec");
  const std::size_t before = p.accesses.size();
  const std::vector<operand> given = parse_arguments(p);
  if (p.error) return {};
  if (given.size() < 2) return p.fail(at, word.size(), formatted("{} needs an address and a value", word));
  operand where = given[0];
  if (where.is == operand_form::unknown) return where;  // the address is in global memory
  if (where.is == operand_form::element && !where.extents.empty()) where = as_pointer(where);
  if (where.is != operand_form::pointer)
    return p.fail(where.at, std::max<std::size_t>(where.end - where.at, 1), formatted("{} needs an address", word),
                  formatted("write & before the element: {}(&s[t], 1)", word));
  where = dereferenced(p, where, where.at);
  atomic_use use;
  use.is_function = true;
  for (std::size_t i = 1; i < given.size(); ++i) {
    const operand value = number_only(p, given[i]);
    if (p.error) return {};
    if (value.is == operand_form::number && i + 1 == given.size()) {
      const node& n = p.nodes[value.node];
      if (n.code == op::number) use.constant = n.number;
      if (n.code == op::negate && p.nodes[n.a].code == op::number) use.constant = -p.nodes[n.a].number;
      use.same_in_all_lanes = use.constant.has_value();
    }
  }
  // atomicSub is an addition of the negated operand
  if (plain == "atomicSub" && use.constant) use.constant = -*use.constant;
  p.skip_blanks();
  use.result_used = before != p.accesses.size() ||
                    (at != 0 && trim(std::string_view(p.text).substr(0, at)) != "" && !p.where) ||
                    (p.here < p.end && trim(p.rest()) != "" && trim(p.rest()) != ";");
  where.end = p.here;
  record_access(p, where, formatted("atom.{}", row->op), use);
  if (!p.accesses.empty() && !p.error) p.accesses.back().text = p.text.substr(at, p.here - at);
  return p.unknown(at, p.here - at,
                   formatted("{} returns data, but an address in an expression cannot depend on data", word));
}

operand parse_copy_call(parser& p, std::size_t at) {
  const std::vector<operand> given = parse_arguments(p);
  if (p.error) return {};
  if (given.size() < 3)
    return p.fail(at, 3, "__pipeline_memcpy_async needs a destination, a source and a number of bytes");
  operand to = given[0];
  if (to.is == operand_form::element && !to.extents.empty()) to = as_pointer(to);
  const std::uint32_t size = index_node(p, given[2]);
  if (p.error) return {};
  if (to.is != operand_form::pointer || p.nodes[size].code != op::number)
    return p.fail(at, 3, "the destination must be an address in a declared array, and the size must be a number");
  const std::int64_t bytes = p.nodes[size].number;
  if (bytes != 4 && bytes != 8 && bytes != 16) return p.fail(given[2].at, 1, "cp.async copies 4, 8 or 16 bytes");
  to = dereferenced(p, to, to.at);
  to.type = {static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes), 0, {}};
  record_access(p, to, bytes == 16 ? std::string("cp.async.cg.16") : formatted("cp.async.ca.{}", bytes));
  return p.unknown(at, p.here - at, "__pipeline_memcpy_async returns nothing");
}

}  // namespace bankwise::expr
