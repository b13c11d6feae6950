// Parses names of operations. A name is split at its dots. Parts that do not affect bank conflicts are missing in the
// printed name.
#include "expr/names/operation_names.hpp"

#include "base/format.hpp"
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
    "ld, ld.generic, st, ldmatrix.x1 .x2 .x4, ldmatrix.m16n16.x1 .x2, stmatrix.x1 .x2 .x4, atom.add, red.add, "
    "atom.cas, atom.cas.spin, "
    "popc.inc, "
    "cp.async.ca, cp.async.cg";

// Returns the bytes that a part of a name specifies: 8 for "b64" and "u64". A number without a letter is a number of
// bytes if it is at most 16, and otherwise a number of bits. So both "8" and "64" are 8 bytes. Returns 0 if the part is
// not a width.
std::uint32_t width_in(std::string_view part) {
  const bool bits = part.size() > 1 && starts_with_any(part, "busf");
  const std::uint64_t n = parse_u64(bits ? part.substr(1) : part).value_or(0);
  const std::uint64_t bytes = bits || n > 16 ? n / 8 : n;
  const bool exists = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  return exists && (!bits || n % 8 == 0) ? static_cast<std::uint32_t>(bytes) : 0;
}

// Whether a part of a name does not affect bank conflicts.
bool makes_no_difference(std::string_view part) {
  for (const std::string_view p :
       {"shared", "sync", "aligned", "async", "ca", "global", "l2", "weak", "volatile", "relaxed", "acquire", "release",
        "cta", "gpu", "sys", "noftz", "u", "e", "commit_group"})
    if (p == part) return true;
  return false;
}

diagnostic bad_operation(std::string_view name, const std::string& message) {
  return {formatted("operation '{}': {}", name, message), {}, formatted("operations: {}", known_operations)};
}

// The parts of a name after the first part. For example, "ld.shared.v4.f32" has a vector of four floats.
struct operation_parts {
  named_operation n;  // the operation, as far as it is known from the parts of the name
  std::uint32_t width = 0, matrices = 0, vector = 1;
  bool trans = false, spins = false, generic = false, bypasses = false;
  std::string arithmetic, shape;
};

bool is_arithmetic(std::string_view p) {
  for (const std::string_view known : {"add", "max", "min", "exch", "and", "or", "xor", "inc", "dec", "cas"})
    if (p == known) return true;
  return false;
}

// Handles one part of a name. Returns the error, or an empty text if the part is known.
std::string add_part(operation_parts& o, std::string_view p) {
  if (p == "x1" || p == "x2" || p == "x4")
    o.matrices = static_cast<std::uint32_t>(p[1] - '0');
  else if (p == "m8n8" || p == "m16n16" || p == "m8n16" || p == "m16n8")
    o.shape = p;
  else if (p == "b8x16" || p == "b6x16_p32" || p == "b4x16_p64")
    ;  // ldmatrix.m16n16 and .m8n16 produce rows of 16 bytes
  else if (p == "trans")
    o.trans = true;
  else if (p == "spin")
    o.spins = true;
  else if (p == "generic")
    o.generic = true;
  else if (p == "cg")
    o.bypasses = true;
  else if (p == "v2" || p == "v4" || p == "v8")
    o.vector = static_cast<std::uint32_t>(p[1] - '0');
  else if (p == "f16x2" || p == "bf16x2")
    o.width = 4, o.n.width_given = o.n.is_float = true;
  else if (p == "bf16")
    o.width = 2, o.n.width_given = o.n.is_float = true;
  else if (const std::uint32_t bytes = width_in(p))
    o.width = bytes, o.n.width_given = true, o.n.is_float |= p[0] == 'f', o.n.is_number |= p[0] != 'b';
  else if (is_arithmetic(p)) {
    if (!o.arithmetic.empty()) return formatted("'.{}' and '.{}' cannot be combined", o.arithmetic, p);
    o.arithmetic = p;
  } else if (!makes_no_difference(p))
    return formatted("'.{}' is not a known part of an operation", p);
  return {};
}

// Sets the operation and spelling of an ldmatrix or stmatrix. Returns the error, or an empty text.
std::string read_matrices(operation_parts& o, std::string_view head, std::string& spelled) {
  if (o.matrices == 0) return ".x1, .x2 or .x4 is missing";
  const bool loads = head == "ldmatrix";
  o.n.of_bytes = !o.shape.empty() && o.shape != "m8n8";
  if (o.n.of_bytes && loads == (o.shape == "m16n8"))
    return formatted("only {} has '.{}'", loads ? "stmatrix" : "ldmatrix", o.shape);
  if (o.shape == "m16n16" && o.matrices == 4) return "'.m16n16' has only .x1 and .x2";
  const bool trans = o.n.of_bytes ? o.shape != "m8n16" : o.trans;
  // number of matrices of 8 rows, each with 16 bytes
  const std::uint32_t eights = o.shape == "m16n16" ? 2 * o.matrices : o.matrices;
  o.n.op = loads ? ldmatrix(eights) : stmatrix(eights);
  o.n.width_given = true;
  spelled += formatted("{}.x{}{}", o.n.of_bytes ? formatted(".{}", o.shape) : "", o.matrices, trans ? ".trans" : "");
  return {};
}

}  // namespace

result<named_operation> parse_operation(std::string_view name, std::uint32_t width_bytes) {
  const auto bad = [&](const std::string& message) { return bad_operation(name, message); };
  if (parse_async(name))
    return diagnostic{formatted("'{}' is an asynchronous operation, whose cost does not depend on addresses", name),
                      {},
                      "docs/reference/open-rules.md lists the costs, and bankwise arch shows the evidence"};
  const std::string ptx = ptx_name(name);
  const std::vector<std::string_view> parts = split(ptx, '.');
  operation_parts o;
  o.width = width_bytes;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (const std::string error = add_part(o, parts[i]); !error.empty()) return bad(error);
  named_operation& n = o.n;
  const std::string_view head = parts[0];
  if (o.vector != 1) {
    if (head != "ld" && head != "st") return bad(formatted("only ld and st can have vectors ('.v{}')", o.vector));
    const std::uint32_t element = n.width_given                                      ? o.width
                                  : width_bytes != 0 && o.vector * width_bytes <= 16 ? width_bytes
                                                                                     : 4;
    o.width = element * o.vector;
    n.width_given = true;
    if (o.width > 16) return bad("the vector has more than 16 bytes");
  }
  if (o.generic && head != "ld") return bad("only ld has '.generic'");
  if (!o.shape.empty() && head != "ldmatrix" && head != "stmatrix")
    return bad(formatted("only ldmatrix and stmatrix have '.{}'", o.shape));
  std::string spelled(head);
  if (head == "ld" || head == "st") {
    n.op = head == "st" ? st(o.width) : o.generic ? ld_generic(o.width) : ld(o.width);
    spelled += formatted("{}.b{}", o.generic ? ".generic" : std::string(), o.width * 8);
  } else if (head == "ldmatrix" || head == "stmatrix") {
    if (const std::string error = read_matrices(o, head, spelled); !error.empty()) return bad(error);
  } else if (head == "atom" || head == "red") {
    if (o.arithmetic.empty()) o.arithmetic = "add";
    const bool swaps = o.arithmetic == "cas";
    if (o.spins && !swaps) return bad("only atom.cas has '.spin'");
    n.op = o.spins ? cas_spin(o.width) : swaps ? cas(o.width) : head == "atom" ? atom(o.width) : red(o.width);
    spelled += formatted(".{}{}.b{}", o.arithmetic, o.spins ? ".spin" : "", o.width * 8);
  } else if (head == "popc") {
    n.op = popc_inc();
    n.width_given = true;
    spelled = "popc.inc.b32";
  } else if (head == "cp") {
    if (o.bypasses && !n.width_given) o.width = 16, n.width_given = true;
    if (o.bypasses && o.width != 16) return bad("cp.async.cg always copies 16 bytes");
    n.op = o.bypasses ? cp_async_cg() : cp_async(o.width);
    spelled = formatted("cp.async.{}{}", o.bypasses ? "cg." : "ca.", o.width);
  } else {
    const std::vector<std::string> near = nearest(head,
                                                  {"ld", "st", "load", "store", "LDS", "STS", "atomicAdd", "ldmatrix",
                                                   "stmatrix", "atom", "red", "popc.inc", "cp.async"},
                                                  1);
    return diagnostic{
        formatted("unknown operation '{}'", name),
        {},
        formatted("{}operations: {}", near.empty() ? std::string() : formatted("did you mean {}? ", near[0]),
                  known_operations)};
  }
  if (!valid(n.op)) return bad(formatted("a width of {} bytes does not exist", o.width));
  n.spelling = spelled;
  return std::move(n);
}

std::vector<std::string> operation_names() {
  return {"ld",          "st",          "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x1",
          "stmatrix.x2", "stmatrix.x4", "atom.add",    "red.add",     "atom.cas",    "atom.cas.spin",
          "popc.inc",    "cp.async.ca", "cp.async.cg"};
}

std::string spell(operation op) {
  const std::string bits = formatted(".b{}", op.width_bytes * 8);
  switch (op.kind) {
    case op_kind::load: return (op.generic ? "ld.generic" : "ld") + bits;
    case op_kind::store: return formatted("st{}", bits);
    case op_kind::ldmatrix: return formatted("ldmatrix.x{}", op.matrices);
    case op_kind::stmatrix: return formatted("stmatrix.x{}", op.matrices);
    case op_kind::atomic: return (op.returns ? "atom" : "red") + bits;
    case op_kind::compare_and_swap: return formatted("atom.cas{}", bits);
    case op_kind::cas_spin: return formatted("atom.cas.spin{}", bits);
    case op_kind::increment: return formatted("popc.inc{}", bits);
    case op_kind::copy_async: return formatted("cp.async.{}", op.width_bytes);
    case op_kind::copy_async_cg: return formatted("cp.async.cg.{}", op.width_bytes);
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
