#include "report/forms/access_code.hpp"

#include <optional>
#include <vector>

#include "base/text.hpp"

namespace bankwise {

namespace {

std::string operation_code(operation o) {
  const std::string width = "(" + std::to_string(o.width_bytes) + ")",
                    matrices = "(" + std::to_string(o.matrices) + ")";
  switch (o.kind) {
    case op_kind::load: return (o.generic ? "ld_generic" : "ld") + width;
    case op_kind::store: return "st" + width;
    case op_kind::ldmatrix: return "ldmatrix" + matrices;
    case op_kind::stmatrix: return "stmatrix" + matrices;
    case op_kind::atomic: return (o.returns ? "atom" : "red") + width;
    case op_kind::compare_and_swap: return "cas" + width;
    case op_kind::cas_spin: return "cas_spin" + width;
    case op_kind::increment: return "popc_inc()";
    case op_kind::copy_async: return "cp_async" + width;
    case op_kind::copy_async_cg: return "cp_async_cg()";
  }
  return "?";
}

bool same(const bank_model& a, const bank_model& b) {
  return a.banks == b.banks && a.bank_bytes == b.bank_bytes && a.row_bytes == b.row_bytes &&
         a.phase_lanes[0] == b.phase_lanes[0] && a.phase_lanes[1] == b.phase_lanes[1] &&
         a.phase_lanes[2] == b.phase_lanes[2] && a.split_bytes == b.split_bytes && a.merges_loads == b.merges_loads &&
         a.wide_loads == b.wide_loads && a.narrow == b.narrow && a.wide == b.wide &&
         a.clocks_per_wavefront == b.clocks_per_wavefront;
}

// Returns the model as a C++ expression, or an empty string for the default model.
std::string model_code(const bank_model& m) {
  const std::string name = "bankwise::";
  if (same(m, maxwell_model())) return {};
  if (same(m, maxwell_model(m.clocks_per_wavefront)))
    return name + "maxwell_model(" + std::to_string(m.clocks_per_wavefront) + ")";
  if (same(m, cdna3_model())) return name + "cdna3_model()";
  if (same(m, cdna4_model())) return name + "cdna4_model()";
  if (same(m, rdna4_model())) return name + "rdna4_model()";
  if (same(m, tesla_model())) return name + "tesla_model()";
  if (same(m, fermi_model())) return name + "fermi_model()";
  if (same(m, kepler_model(m.bank_bytes))) return name + "kepler_model(" + std::to_string(m.bank_bytes) + ")";
  std::string arguments = std::to_string(m.banks) + ", " + std::to_string(m.bank_bytes);
  if (!same(m, flat_model(m.banks, m.bank_bytes)))
    for (const u8 lanes : m.phase_lanes) arguments += ", " + std::to_string(lanes);
  return name + "flat_model(" + arguments + ")";
}

// Returns an expression such as "lane * 132 + 4" or "124 - lane * 4". Returns nothing if the addresses of the active
// lanes have different distances.
std::optional<std::string> progression(const access& a) {
  std::vector<u32> lanes;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes_used(a) >> lane & 1) != 0) lanes.push_back(lane);
  if (lanes.empty()) return "0u";
  using i64 = long long;
  const i64 begin = a.address[lanes[0]];
  const i64 step = lanes.size() == 1 ? 0 : (i64{a.address[lanes[1]]} - begin) / (i64{lanes[1]} - lanes[0]);
  const i64 at_zero = begin - step * lanes[0];
  for (const u32 lane : lanes)
    if (at_zero + step * lane != a.address[lane]) return std::nullopt;
  if (at_zero < 0 || at_zero > 0xffffffffll) return std::nullopt;
  const std::string start = std::to_string(at_zero);
  if (step == 0) return start + "u";
  if (step < 0) return start + " - lane * " + std::to_string(-step);
  return "lane * " + std::to_string(step) + (at_zero == 0 ? "" : " + " + start);
}

// Makes a text safe for a // comment. The result is one line without backslashes, because a backslash at the end would
// continue the comment on the next line.
std::string comment(std::string_view text) {
  std::string s;
  for (const char c : text) s += c == '\n' || c == '\r' || c == '\\' ? ' ' : c;
  return s;
}

}  // namespace

std::string to_cpp(const access_report& r) {
  const cost& c = r.why.total;
  const std::string model = model_code(r.on.model);
  std::string s = "#include <bankwise/bankwise.hpp>\n\n// " + comment(r.title) + " on " + r.on.name + ": " +
                  comment(verdict(r)) + "\n";
  std::string address = "byte_address[lane]";
  if (const auto formula = progression(r.what)) {
    address = *formula;
  } else {
    s += "constexpr bankwise::u32 byte_address[32] = {\n";
    for (u32 lane = 0; lane < lanes_per_warp; lane += 8) {
      s += "   ";
      for (u32 i = lane; i < lane + 8; ++i)
        s += " " + std::to_string((r.what.mask >> i & 1) != 0 ? r.what.address[i] : 0) + ",";
      s += "\n";
    }
    s += "};\n";
  }
  const bool unused = address.find("lane") == std::string::npos;
  s += "constexpr auto shared_access = bankwise::make_access(\n    bankwise::" + operation_code(r.what.op) +
       ", [](bankwise::u32" + (unused ? "" : " lane") + ") { return " + address + "; }" +
       (r.what.mask == full_mask ? "" : ", 0x" + hex(r.what.mask, 8) + "u") + ");\n";
  s += "BANKWISE_ASSERT_WAVEFRONTS(shared_access, " + std::to_string(c.wavefronts) +
       (model.empty() ? "" : ", " + model) + ");\n";
  return s;
}

}  // namespace bankwise
