// Evidence as JSON: writes and reads it.
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/text.hpp"
#include "evidence.hpp"
#include "expr/names/operation_names.hpp"
#include "report/json/syntax/json_text.hpp"

namespace bankwise::probe {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* schema_name = "bankwise.evidence/1";
constexpr std::size_t most_bytes = std::size_t{1} << 24, most_rows = 4096;

double rounded(double value) { return std::stod(fixed(value, 3)); }
const char* name_of(quantity q) { return q == quantity::cycles ? "cycles" : "wavefronts"; }

json to_json(const evidence_row& r) {
  json j{{"operation", r.operation}, {"by", name_of(r.measured)}, {"patterns", r.patterns}, {"holds", r.holds}};
  if (r.smallest) {
    const access& a = r.smallest->what;
    json addresses = json::array();
    for (u32 i = 0; i < lanes_per_warp; ++i) addresses.push_back((a.mask >> i & 1) != 0 ? json(a.address[i]) : json());
    j["smallest"] = {{"op", spell(a.op)},
                     {"mask", hex(a.mask, 8)},
                     {"addresses", addresses},
                     {"rule", rounded(r.smallest->expected)},
                     {"hardware", rounded(r.smallest->measured)}};
  }
  return j;
}

json to_json(const found_phases& p) {
  json phases = json::array(), merged = json::array();
  for (const u32 mask : p.phases) phases.push_back(hex(mask, 8));
  for (const auto& [a, b] : p.merged) merged.push_back({a, b});
  return {{"operation", p.operation->name},
          {"shares", p.shares},
          {"phases", phases},
          {"merging_partners", p.merging_partners},
          {"merged", merged},
          {"explained", p.explained},
          {"tried", p.tried}};
}

// --- reading: every value is checked, and the first error is reported with its place

class reader {
 public:
  explicit reader(const std::string& file) : file_(file) {}

  static std::string path(const std::string& where, const char* key) {
    return where.empty() ? key : formatted("{}.{}", where, key);
  }

  const json& at(const json& in, const char* key, const std::string& where) {
    static const json nothing;
    if (wrong || !in.is_object() || !in.contains(key)) {
      fail(formatted("{} is missing", path(where, key)));
      return nothing;
    }
    return in.at(key);
  }
  std::string text(const json& in, const char* key, const std::string& where) {
    const json& v = at(in, key, where);
    if (!wrong && (!v.is_string() || v.get_ref<const std::string&>().size() > 4096))
      fail(formatted("{} is not a text of at most 4096 characters", path(where, key)));
    return wrong ? std::string() : v.get<std::string>();
  }
  std::uint64_t number(const json& in, const char* key, const std::string& where, std::uint64_t most) {
    const json& v = at(in, key, where);
    if (!wrong && (!v.is_number_unsigned() || v.get<std::uint64_t>() > most))
      fail(formatted("{} is not a whole number up to {}", path(where, key), most));
    return wrong ? 0 : v.get<std::uint64_t>();
  }
  double real(const json& in, const char* key, const std::string& where) {
    const json& v = at(in, key, where);
    if (!wrong && (!v.is_number() || !(v.get<double>() >= -1e6 && v.get<double>() <= 1e9)))
      fail(formatted("{} is not a possible measurement", path(where, key)));
    return wrong ? 0 : v.get<double>();
  }
  const json& list(const json& in, const char* key, const std::string& where, std::size_t most) {
    static const json none = json::array();
    const json& v = at(in, key, where);
    if (!wrong && (!v.is_array() || v.size() > most))
      fail(formatted("{} is not a list of at most {} entries", path(where, key), most));
    return wrong ? none : v;
  }
  u32 mask(const json& v, const std::string& where) {
    std::optional<std::uint64_t> m;
    if (v.is_string() && v.get_ref<const std::string&>().size() == 8)
      m = parse_u64(formatted("0x{}", v.get<std::string>()));
    if (!m) fail(formatted("{} is not a mask of 8 hexadecimal digits", where));
    return static_cast<u32>(m.value_or(0));
  }
  void fail(const std::string& message) {
    if (!wrong) wrong = diagnostic{message, {.file = file_}, "pass a file that bankwise probe --format json wrote"};
  }

  std::optional<diagnostic> wrong;

 private:
  std::string file_;
};

evidence_row read_row(reader& r, const json& j, const std::string& where) {
  evidence_row row;
  row.operation = r.text(j, "operation", where);
  const std::string by = r.text(j, "by", where);
  if (by != "cycles" && by != "wavefronts") r.fail(formatted("{}.by must be 'cycles' or 'wavefronts'", where));
  row.measured = by == "cycles" ? quantity::cycles : quantity::wavefronts;
  row.patterns = r.number(j, "patterns", where, std::uint64_t{1} << 40);
  row.holds = r.number(j, "holds", where, row.patterns);
  if (r.wrong || !j.contains("smallest")) return row;
  const json& s = j.at("smallest");
  const std::string here = formatted("{}.smallest", where);
  mismatch m{};
  const auto op = parse_operation(r.text(s, "op", here));
  if (!op) r.fail(formatted("{}.op: {}", here, op.error().message));
  if (r.wrong) return row;
  m.what.op = op->op;
  m.what.mask = r.mask(r.at(s, "mask", here), formatted("{}.mask", here));
  const json& addresses = r.list(s, "addresses", here, lanes_per_warp);
  for (u32 i = 0; i < addresses.size(); ++i) {
    if (addresses[i].is_null()) continue;
    if (!addresses[i].is_number_unsigned() || addresses[i].get<std::uint64_t>() >= address_limit)
      r.fail(formatted("{}.addresses[{}] is not an address below {}", here, i, address_limit));
    else
      m.what.address[i] = addresses[i].get<u32>();
  }
  m.expected = r.real(s, "rule", here);
  m.measured = r.real(s, "hardware", here);
  row.smallest = m;
  return row;
}

found_machine read_found(reader& r, const json& j) {
  found_machine m;
  m.banks = static_cast<u32>(r.number(j, "banks", "found", address_limit));
  m.bank_bytes = static_cast<u32>(r.number(j, "bank_bytes", "found", address_limit));
  m.row_bytes = static_cast<u32>(r.number(j, "row_bytes", "found", address_limit));
  m.clocks_per_wavefront = r.real(j, "clocks_per_wavefront", "found");
  const json& operations = r.list(j, "operations", "found", 64);
  for (std::size_t n = 0; n < operations.size() && !r.wrong; ++n) {
    const std::string where = formatted("found.operations[{}]", n);
    const json& o = operations[n];
    found_phases p;
    p.operation = find_probed(r.text(o, "operation", where));
    if (p.operation == nullptr) r.fail(formatted("{}.operation is not an operation of the probe", where));
    const json& shares = r.at(o, "shares", where);
    if (!shares.is_boolean()) r.fail(formatted("{}.shares must be true or false", where));
    p.shares = shares.is_boolean() && shares.get<bool>();
    for (const json& v : r.list(o, "phases", where, lanes_per_warp))
      p.phases.push_back(r.mask(v, formatted("{}.phases", where)));
    for (const json& v : r.list(o, "merging_partners", where, lanes_per_warp)) {
      if (!v.is_number_unsigned() || v.get<std::uint64_t>() >= lanes_per_warp)
        r.fail(formatted("{}.merging_partners has a value that is not a lane", where));
      else
        p.merging_partners.push_back(v.get<u32>());
    }
    for (const json& v : r.list(o, "merged", where, 512)) {
      const bool pair = v.is_array() && v.size() == 2 && v[0].is_number_unsigned() && v[1].is_number_unsigned() &&
                        v[0].get<std::uint64_t>() < p.phases.size() && v[1].get<std::uint64_t>() < p.phases.size();
      if (!pair)
        r.fail(formatted("{}.merged has a value that is not a pair of phases", where));
      else
        p.merged.emplace_back(v[0].get<std::size_t>(), v[1].get<std::size_t>());
    }
    p.tried = r.number(o, "tried", where, std::uint64_t{1} << 40);
    p.explained = r.number(o, "explained", where, p.tried);
    m.operations.push_back(std::move(p));
  }
  return m;
}

}  // namespace

std::string to_json(const gpu_evidence& e) {
  json known = json::array(), random = json::array(), latencies = json::array();
  for (const evidence_row& r : e.known) known.push_back(to_json(r));
  for (const evidence_row& r : e.random) random.push_back(to_json(r));
  for (const latency_point& p : e.latencies)
    latencies.push_back({{"operation", p.operation}, {"wavefronts", p.wavefronts}, {"clocks", rounded(p.clocks)}});
  json j{{"schema", schema_name},
         {"tool", {{"name", "bankwise"}, {"version", e.version}}},
         {"gpu",
          {{"name", e.on.name},
           {"sm", e.on.sm},
           {"multiprocessors", e.on.multiprocessors},
           {"clock_khz", e.on.clock_khz},
           {"shared_bytes_per_block", e.on.shared_bytes_per_block},
           {"driver", e.on.driver}}},
         {"rule", e.rule},
         {"seed", e.seed},
         {"holds", e.holds()},
         {"known", known},
         {"random", random},
         {"latency", latencies}};
  if (e.found) {
    json operations = json::array();
    for (const found_phases& p : e.found->operations) operations.push_back(to_json(p));
    j["found"] = {{"banks", e.found->banks},
                  {"bank_bytes", e.found->bank_bytes},
                  {"row_bytes", e.found->row_bytes},
                  {"clocks_per_wavefront", rounded(e.found->clocks_per_wavefront)},
                  {"operations", operations}};
  }
  j["notes"] = e.notes;
  return formatted("{}\n", json_text(j));
}

result<gpu_evidence> read_evidence(std::string_view text, const std::string& file) {
  if (text.size() > most_bytes) return diagnostic{"the file is too large for the evidence of a probe", {.file = file}};
  const json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (j.is_discarded())
    return diagnostic{
        "the file is not valid JSON", {.file = file}, "pass a file that bankwise probe --format json wrote"};
  reader r(file);
  gpu_evidence e;
  if (const std::string schema = r.text(j, "schema", ""); !r.wrong && schema != schema_name)
    r.fail(formatted("the schema of the file is '{}', but this version of bankwise reads {}", schema.substr(0, 40),
                     schema_name));
  e.version = r.text(r.at(j, "tool", ""), "version", "tool");
  const json& g = r.at(j, "gpu", "");
  e.on.name = r.text(g, "name", "gpu");
  e.on.sm = static_cast<unsigned>(r.number(g, "sm", "gpu", 999));
  e.on.multiprocessors = static_cast<unsigned>(r.number(g, "multiprocessors", "gpu", 1 << 20));
  e.on.clock_khz = static_cast<unsigned>(r.number(g, "clock_khz", "gpu", 1 << 30));
  e.on.shared_bytes_per_block = static_cast<unsigned>(r.number(g, "shared_bytes_per_block", "gpu", 1 << 30));
  e.on.driver = static_cast<unsigned>(r.number(g, "driver", "gpu", 1 << 30));
  e.rule = r.text(j, "rule", "");
  e.seed = r.number(j, "seed", "", ~std::uint64_t{0});
  for (const auto& [key, rows] : {std::pair{"known", &e.known}, std::pair{"random", &e.random}}) {
    const json& list = r.list(j, key, "", most_rows);
    for (std::size_t i = 0; i < list.size() && !r.wrong; ++i)
      rows->push_back(read_row(r, list[i], formatted("{}[{}]", key, i)));
  }
  const json& latencies = r.list(j, "latency", "", most_rows);
  for (std::size_t i = 0; i < latencies.size() && !r.wrong; ++i) {
    const std::string where = formatted("latency[{}]", i);
    e.latencies.push_back({r.text(latencies[i], "operation", where),
                           static_cast<u32>(r.number(latencies[i], "wavefronts", where, 4096)),
                           r.real(latencies[i], "clocks", where)});
  }
  if (!r.wrong && j.contains("found")) e.found = read_found(r, j.at("found"));
  for (const json& note : r.list(j, "notes", "", 64)) {
    if (!note.is_string()) r.fail("notes has a value that is not a text");
    if (!r.wrong) e.notes.push_back(note.get<std::string>());
  }
  if (r.wrong) return *r.wrong;
  return e;
}

}  // namespace bankwise::probe
