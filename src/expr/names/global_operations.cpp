// Parses names of operations on global memory. A name is split at its dots. Parts that do not affect sectors are
// missing in the printed name.
#include "expr/names/global_operations.hpp"

#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/names/operation_synonyms.hpp"

namespace bankwise {

namespace {

constexpr std::string_view global_operations =
    "ld, ld.nc, st, atom.add, atom.cas, atom.exch, red.add, red.add.v4.f32, cp.async.ca, cp.async.cg";

// Caches, memory orders, scopes and address types, which do not affect sectors.
constexpr std::string_view of_no_matter[] = {
    "global",      "generic", "nc",      "ca",      "cg",         "cs",          "lu",       "cv",           "wb",
    "wt",          "weak",    "relaxed", "acquire", "release",    "volatile",    "acq_rel",  "cta",          "cluster",
    "gpu",         "sys",     "noftz",   "l1",      "l2",         "e",           "constant", "strong",       "mmio",
    "level1",      "level2",  "async",   "shared",  "evict_last", "evict_first", "ef",       "el",           "lu",
    "no_allocate", "na",      "ltc128b", "ltc256b", "ltc64b",     "ftz",         "rn",       "commit_group", "access",
};

constexpr std::string_view arithmetics[] = {"add", "min", "max", "and", "or", "xor", "inc", "dec", "exch", "cas"};

bool is_any_of(std::string_view part, const std::string_view* from, const std::string_view* to) {
  return std::find(from, to, part) != to;
}

// Returns the bytes that a part of a name specifies: 8 for "b64", "u64" and "f64". As in SASS, a number without a
// letter is a number of bits: "64" is 8 bytes, and "16" is 2 bytes. Returns 0 if the part is not a width.
std::uint32_t bytes_of_part(std::string_view part) {
  const bool typed = part.size() > 1 && starts_with_any(part, "busf");
  const std::uint64_t bits = parse_u64(typed ? part.substr(1) : part).value_or(0);
  for (const std::uint64_t known : {8, 16, 32, 64, 128, 256})
    if (bits == known) return static_cast<std::uint32_t>(known / 8);
  return 0;
}

struct global_name {
  std::string arithmetic;
  std::uint32_t width = 0, vector = 1;
  bool given = false, bypasses = false, is_float = false;
};

bool valid_on_global(op_kind kind, std::uint32_t width, bool returns) {
  if (width == 0 || (width & (width - 1)) != 0) return false;
  switch (kind) {
    case op_kind::load:
    case op_kind::store: return width <= 32;
    case op_kind::compare_and_swap: return width >= 2 && width <= 16;
    case op_kind::atomic: return width >= 2 && width <= (returns ? 16u : 32u);
    case op_kind::copy_async: return width == 4 || width == 8 || width == 16;
    case op_kind::copy_async_cg: return width == 16;
    default: return false;
  }
}

}  // namespace

bool names_global_memory(std::string_view name) {
  std::string small;
  for (const char c : trim(name)) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::vector<std::string_view> parts = split(small, '.');
  // whether the operation copies from global to shared memory
  const bool copies = parts[0] == "cp" || parts[0] == "ldgsts";
  if (parts[0] == "ldg" || parts[0] == "stg" || parts[0] == "atomg") return true;
  return !copies && std::find(parts.begin(), parts.end(), "global") != parts.end();
}

result<named_operation> parse_global_operation(std::string_view name, std::uint32_t width_bytes) {
  const auto bad = [&](const std::string& message) {
    return diagnostic{formatted("operation '{}': {}", name, message),
                      {},
                      formatted("operations on global memory: {}", global_operations)};
  };
  if (parse_async(name))
    return diagnostic{formatted("'{}' copies a whole block of memory, so the lanes have no addresses", name),
                      {},
                      "bankwise run counts the bytes of bulk copies"};
  const std::string ptx = ptx_name(name);
  const std::vector<std::string_view> parts = split(ptx, '.');
  const std::string_view head = parts[0] == "ldg"     ? "ld"
                                : parts[0] == "stg"   ? "st"
                                : parts[0] == "atomg" ? "atom"
                                                      : parts[0];
  if (head == "ldmatrix" || head == "stmatrix" || head == "popc")
    return diagnostic{formatted("'{}' is an operation on shared memory, not on global memory", name),
                      {},
                      formatted("operations on global memory: {}", global_operations)};
  global_name n{"", width_bytes};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view p = parts[i];
    if (head == "cp" && p == "cg") n.bypasses = true;
    if (p == "v2" || p == "v4" || p == "v8") {
      n.vector = static_cast<std::uint32_t>(p[1] - '0');
    } else if (p == "f16x2" || p == "bf16x2") {
      n.width = 4, n.given = n.is_float = true;
    } else if (p == "bf16") {
      n.width = 2, n.given = n.is_float = true;
    } else if (head == "cp" && (p == "4" || p == "8" || p == "16")) {
      n.width = static_cast<std::uint32_t>(*parse_u64(p)), n.given = true;
    } else if (const std::uint32_t bytes = bytes_of_part(p)) {
      n.width = bytes, n.given = true, n.is_float = n.is_float || p[0] == 'f';
    } else if (is_any_of(p, std::begin(arithmetics), std::end(arithmetics))) {
      if (!n.arithmetic.empty()) return bad(formatted("'.{}' and '.{}' cannot be combined", n.arithmetic, p));
      n.arithmetic = p;
    } else if (!is_any_of(p, std::begin(of_no_matter), std::end(of_no_matter))) {
      return bad(formatted("'.{}' is not a known part of an operation", p));
    }
  }
  const bool atomic = head == "atom" || head == "red";
  if (n.vector != 1) {
    // If the name of an operation with a vector has no width, each component is a float. --width and --type specify the
    // width of the whole vector instead.
    n.width = n.given ? n.width * n.vector : width_bytes != 4 ? width_bytes : 4 * n.vector;
    n.given = true;
  }
  named_operation op;
  op.width_given = n.given;
  op.is_float = n.is_float;
  const u32 width = n.width;
  if (head == "ld" || head == "st") {
    op.op = head == "ld" ? ld(width) : st(width);
    op.spelling = formatted("{}.global.b{}", head, width * 8);
  } else if (atomic) {
    if (n.arithmetic.empty()) n.arithmetic = "add";
    op.op = n.arithmetic == "cas" ? cas(width) : head == "atom" ? atom(width) : red(width);
    op.spelling = formatted("{}.global.{}.b{}", head, n.arithmetic, width * 8);
  } else if (head == "cp") {
    op.op = n.bypasses ? cp_async_cg() : cp_async(n.given ? width : width_bytes);
    if (n.bypasses && n.given && width != 16) return bad("cp.async.cg always copies 16 bytes");
    op.width_given = op.width_given || n.bypasses;
    op.spelling = formatted("cp.async.{}{}", n.bypasses ? "cg." : "ca.", op.op.width_bytes);
  } else {
    const std::vector<std::string> near =
        nearest(head, {"ld", "st", "load", "store", "LDG", "STG", "atomicAdd", "atom", "red", "cp.async"}, 1);
    return diagnostic{
        formatted("unknown operation '{}'", name),
        {},
        formatted("{}operations on global memory: {}",
                  near.empty() ? std::string() : formatted("did you mean {}? ", near[0]), global_operations)};
  }
  if (!valid_on_global(op.op.kind, op.op.width_bytes, op.op.returns))
    return bad(formatted("a width of {} bytes does not exist", width));
  return op;
}

std::vector<std::string> global_operation_names() {
  return {"ld", "st", "atom.add", "red.add", "atom.cas", "atom.exch", "cp.async.ca", "cp.async.cg"};
}

}  // namespace bankwise
