// Parses names of operations. A name is split at its dots; parts that make no difference to the banks are omitted from
// the printed name.
#include "expr/names/operation_names.hpp"

#include "base/text.hpp"
#include "expr/names/operation_synonyms.hpp"

namespace bankwise {

namespace {

struct async_row {
  async_kind kind;
  std::string_view name;
};

constexpr async_row async_names[] = {
    {async_kind::wgmma, "wgmma"},
    {async_kind::bulk_copy, "cp.async.bulk"},
    {async_kind::tensor_copy, "cp.async.bulk.tensor"},
    {async_kind::barrier_init, "mbarrier.init"},
    {async_kind::barrier, "mbarrier"},
    {async_kind::remote_load, "ld.cluster"},
    {async_kind::remote_store, "st.cluster"},
    {async_kind::remote_store_async, "st.async"},
    {async_kind::remote_atomic, "atom.cluster"},
    {async_kind::remote_compare_and_swap, "atom.cas.cluster"},
    {async_kind::warp_end, "exit"},
    {async_kind::tensor_product, "tcgen05.mma"},
    {async_kind::tensor_fill, "tcgen05.cp"},
};

constexpr std::string_view known_operations =
    "ld, ld.generic, st, ldmatrix.x1 .x2 .x4, ldmatrix.m16n16.x1 .x2, stmatrix.x1 .x2 .x4, atom.add, red.add, atom.cas, atom.cas.spin, "
    "popc.inc, "
    "cp.async.ca, cp.async.cg";

// The width in a part of an operation's name: "b64" and "u64" are 8 bytes. "8" is 8 bytes and so is "64", because no
// lane accesses 64 bytes. 0 if there is none.
std::uint32_t width_in(std::string_view part) {
  const bool bits = part.size() > 1 && starts_with_any(part, "busf");
  const std::uint64_t n = parse_u64(bits ? part.substr(1) : part).value_or(0);
  const std::uint64_t bytes = bits || n > 16 ? n / 8 : n;
  const bool exists = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  return exists && (!bits || n % 8 == 0) ? static_cast<std::uint32_t>(bytes) : 0;
}

// Parts that make no difference to the banks.
bool makes_no_difference(std::string_view part) {
  for (const std::string_view p :
       {"shared", "sync", "aligned", "async", "ca", "global", "l2", "weak", "volatile", "relaxed", "acquire", "release",
        "cta", "gpu", "sys", "noftz", "u", "e", "commit_group"})
    if (p == part) return true;
  return false;
}

}  // namespace

result<named_operation> parse_operation(std::string_view name, std::uint32_t width_bytes) {
  const auto bad = [&](const std::string& message) {
    return diagnostic{
        message + " in operation '" + std::string(name) + "'", {}, "operations: " + std::string(known_operations)};
  };
  if (parse_async(name))
    return diagnostic{"'" + std::string(name) + "' is an asynchronous operation: its cost does not depend on addresses",
                      {},
                      "docs/reference/open-rules.md lists the costs, and bankwise arch shows the evidence"};
  const std::string ptx = ptx_name(name);
  const std::vector<std::string_view> parts = split(ptx, '.');
  named_operation n;
  std::uint32_t width = width_bytes, matrices = 0;
  bool trans = false, spins = false, generic = false, bypasses = false;
  std::string arithmetic, shape;
  std::uint32_t vector = 1;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view p = parts[i];
    if (p == "x1" || p == "x2" || p == "x4")
      matrices = static_cast<std::uint32_t>(p[1] - '0');
    else if (p == "m8n8" || p == "m16n16" || p == "m8n16" || p == "m16n8")
      shape = p;
    else if (p == "b8x16" || p == "b6x16_p32" || p == "b4x16_p64")
      ;  // the rows of 16 bytes that ldmatrix.m16n16 and .m8n16 produce
    else if (p == "trans")
      trans = true;
    else if (p == "spin")
      spins = true;
    else if (p == "generic")
      generic = true;
    else if (p == "cg")
      bypasses = true;
    else if (p == "v2" || p == "v4" || p == "v8")
      vector = static_cast<std::uint32_t>(p[1] - '0');
    else if (p == "f16x2" || p == "bf16x2")
      width = 4, n.width_given = n.is_float = true;
    else if (p == "bf16")
      width = 2, n.width_given = n.is_float = true;
    else if (const std::uint32_t bytes = width_in(p))
      width = bytes, n.width_given = true, n.is_float = n.is_float || p[0] == 'f',
      n.is_number = n.is_number || p[0] != 'b';
    else if (p == "add" || p == "max" || p == "min" || p == "exch" || p == "and" || p == "or" || p == "xor" ||
             p == "inc" || p == "dec" || p == "cas") {
      if (!arithmetic.empty()) return bad("'." + arithmetic + "' and '." + std::string(p) + "'");
      arithmetic = p;
    } else if (!makes_no_difference(p))
      return bad("unknown part '." + std::string(p) + "'");
  }
  const std::string_view head = parts[0];
  if (vector != 1) {
    if (head != "ld" && head != "st") return bad("'.v" + std::to_string(vector) + "', a vector,");
    width = (n.width_given ? width : width_bytes == 0 ? 4 : vector * width_bytes <= 16 ? width_bytes : 4) * vector;
    n.width_given = true;
    if (width > 16) return bad("a vector of more than 16 bytes");
  }
  if (generic && head != "ld") return bad("'.generic', which matters only for ld,");
  if (!shape.empty() && head != "ldmatrix" && head != "stmatrix") return bad("'." + shape + "', a matrix,");
  std::string spelled(head);
  if (head == "ld" || head == "st") {
    n.op = head == "st" ? st(width) : generic ? ld_generic(width) : ld(width);
    spelled += (generic ? ".generic" : std::string()) + ".b" + std::to_string(width * 8);
  } else if (head == "ldmatrix" || head == "stmatrix") {
    if (matrices == 0) return bad("missing .x1, .x2 or .x4");
    const bool loads = head == "ldmatrix";
    n.of_bytes = !shape.empty() && shape != "m8n8";
    if (n.of_bytes && loads == (shape == "m16n8"))
      return bad("'." + shape + "', which belongs to the opposite direction,");
    if (shape == "m16n16" && matrices == 4) return bad("four matrices of 16 rows");
    trans = n.of_bytes ? shape != "m8n16" : trans;
    const std::uint32_t eights = shape == "m16n16" ? 2 * matrices : matrices;  // rows, of 16 bytes each
    n.op = loads ? ldmatrix(eights) : stmatrix(eights);
    n.width_given = true;
    spelled += (n.of_bytes ? "." + shape : "") + ".x" + std::to_string(matrices) + (trans ? ".trans" : "");
  } else if (head == "atom" || head == "red") {
    if (arithmetic.empty()) arithmetic = "add";
    if (spins && arithmetic != "cas") return bad(".spin belongs to atom.cas.spin");
    n.op = spins ? cas_spin(width) : arithmetic == "cas" ? cas(width) : head == "atom" ? atom(width) : red(width);
    if (spins) arithmetic += ".spin";
    spelled += "." + arithmetic + ".b" + std::to_string(width * 8);
  } else if (head == "popc") {
    n.op = popc_inc();
    n.width_given = true;
    spelled = "popc.inc.b32";
  } else if (head == "cp") {
    if (bypasses && !n.width_given) width = 16, n.width_given = true;
    if (bypasses && width != 16) return bad("cp.async.cg copies 16 bytes; other widths do not exist");
    n.op = bypasses ? cp_async_cg() : cp_async(width);
    spelled = std::string("cp.async.") + (bypasses ? "cg." : "ca.") + std::to_string(width);
  } else {
    const std::vector<std::string> near = nearest(head,
                                                  {"ld", "st", "load", "store", "LDS", "STS", "atomicAdd", "ldmatrix",
                                                   "stmatrix", "atom", "red", "popc.inc", "cp.async"},
                                                  1);
    return diagnostic{"unknown operation '" + std::string(name) + "'",
                      {},
                      (near.empty() ? std::string() : "did you mean " + near[0] + "? ") +
                          "operations: " + std::string(known_operations)};
  }
  if (!valid(n.op)) return bad("a width of " + std::to_string(width) + " bytes does not exist");
  n.spelling = spelled;
  return n;
}

std::vector<std::string> operation_names() {
  return {"ld",          "st",          "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x1",
          "stmatrix.x2", "stmatrix.x4", "atom.add",    "red.add",     "atom.cas",    "atom.cas.spin",
          "popc.inc",    "cp.async.ca", "cp.async.cg"};
}

std::string spell(operation op) {
  const std::string bits = ".b" + std::to_string(op.width_bytes * 8);
  switch (op.kind) {
    case op_kind::load: return (op.generic ? "ld.generic" : "ld") + bits;
    case op_kind::store: return "st" + bits;
    case op_kind::ldmatrix: return "ldmatrix.x" + std::to_string(op.matrices);
    case op_kind::stmatrix: return "stmatrix.x" + std::to_string(op.matrices);
    case op_kind::atomic: return (op.returns ? "atom" : "red") + bits;
    case op_kind::compare_and_swap: return "atom.cas" + bits;
    case op_kind::cas_spin: return "atom.cas.spin" + bits;
    case op_kind::increment: return "popc.inc" + bits;
    case op_kind::copy_async: return "cp.async." + std::to_string(op.width_bytes);
    case op_kind::copy_async_cg: return "cp.async.cg." + std::to_string(op.width_bytes);
  }
  return "?";
}

std::string spell(async_kind kind) {
  for (const async_row& r : async_names)
    if (r.kind == kind) return std::string(r.name);
  return "?";
}

std::optional<async_kind> parse_async(std::string_view name) {
  for (const async_row& r : async_names)
    if (r.name == name) return r.kind;
  return std::nullopt;
}

}  // namespace bankwise
