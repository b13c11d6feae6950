#include "report/read_report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "report/hazard_report.hpp"
#include "report/out_of_bounds_report.hpp"

namespace bankwise {

namespace {

using parsed_json = nlohmann::json;

constexpr std::size_t most_text_bytes = std::size_t{1} << 28;
constexpr std::size_t most_string_bytes = std::size_t{1} << 16;
constexpr std::size_t most_launches = std::size_t{1} << 16;
// Of a launch. So many sites of so large numbers add up without an overflow.
constexpr std::size_t most_sites = (std::size_t{1} << 16) - 1;
constexpr std::uint64_t most_counted = std::uint64_t{1} << 48;
constexpr std::uint64_t shared_memory_limit = std::uint64_t{1} << 18;
constexpr std::uint64_t most_u32 = 0xffffffff;
constexpr const char* schema_name = "bankwise.report/1";

// --- a value and where it stands

struct node {
  const parsed_json* value = nullptr;
  const node* parent = nullptr;
  const char* key = nullptr;  // in an object; null: `index` in a list
  std::size_t index = 0;
};

// "launches[0].sites[3].worst.mask"
std::string path_of(const node& n) {
  if (n.parent == nullptr) return "the report";
  const std::string before = n.parent->parent == nullptr ? "" : path_of(*n.parent);
  return n.key == nullptr ? before + "[" + std::to_string(n.index) + "]" : before + (before.empty() ? "" : ".") + n.key;
}

std::string excerpt(const parsed_json& j) {
  if (j.is_object()) return "an object";
  if (j.is_array()) return "a list";
  const std::string text = j.dump(-1, ' ', true, parsed_json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

bool is_hex(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// --- the syntax

// Finds where the text stops being JSON.
struct syntax_reader : nlohmann::json_sax<parsed_json> {
  std::size_t position = 0;  // bytes that were read

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

diagnostic syntax_error(std::string_view text, const std::string& name) {
  syntax_reader syntax;
  parsed_json::sax_parse(text.begin(), text.end(), &syntax);
  const std::string_view before = text.substr(0, std::min(syntax.position == 0 ? 0 : syntax.position - 1, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
  location where{.file = name};
  where.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  where.column = static_cast<std::uint32_t>(1 + before.size() - line_begin);
  return {"this is not JSON from here on", where, "expected what bankwise run --format json writes"};
}

// --- the report

class report_reader {
 public:
  explicit report_reader(const std::string& name) : name_(name) {}

  result<report> read(const parsed_json& document) {
    const node root{&document};
    report r;
    if (const std::string schema = text(root, "schema"); !wrong_ && schema != schema_name)
      return diagnostic{"the schema is '" + schema.substr(0, 40) + "', and this version reads " + schema_name,
                        {.file = name_},
                        "make the report again with bankwise run --format json"};
    r.arch = text(root, "arch");
    r.source = text(root, "source");
    if (!wrong_ && r.source != "emulated" && r.source != "recorded")
      fail(at(root, "source"), "expected \"emulated\" or \"recorded\"");
    if (!wrong_) {
      auto on = parse_machine(r.arch);
      if (!on)
        fail(at(root, "arch"), on.error().message, on.error().hint);
      else
        r.on = std::move(*on);
    }
    r.partial = read_early_end(root);
    const node launches = list(root, "launches", most_launches);
    for (std::size_t i = 0; i < size(launches); ++i) r.launches.push_back(read_launch(item(launches, i), r.on));
    if (has(root, "not_recorded")) {
      const node rest = list(root, "not_recorded", most_launches);
      for (std::size_t i = 0; i < size(rest); ++i) {
        const node one = item(rest, i);
        r.not_recorded.push_back({text(one, "kernel"), triple(one, "grid"), triple(one, "block"),
                                  number(one, "launches", most_counted, 1), flag(one, "without_accesses")});
      }
    }
    if (wrong_) return *wrong_;
    return r;
  }

 private:
  // The first error stays.
  void fail(const node& n, const std::string& message, const std::string& hint = {}) {
    if (!wrong_) wrong_ = diagnostic{path_of(n) + ": " + message, {.file = name_}, hint};
  }
  void refuse(const node& n, const std::string& expected) {
    if (!wrong_) fail(n, "expected " + expected + ", not " + excerpt(*n.value));
  }

  // A member; null, and an error, if there is none. `parent` must outlive it.
  node at(const node& parent, const char* key) {
    static const parsed_json nothing;
    if (!parent.value->is_object()) {
      refuse(parent, "an object");
    } else if (const auto it = parent.value->find(key); it != parent.value->end()) {
      return {&*it, &parent, key};
    } else {
      fail(parent, std::string("the key \"") + key + "\" is missing");
    }
    return {&nothing, &parent, key};
  }
  static bool has(const node& parent, const char* key) {
    return parent.value->is_object() && parent.value->contains(key);
  }
  static node item(const node& parent, std::size_t index) { return {&(*parent.value)[index], &parent, nullptr, index}; }
  node list(const node& parent, const char* key, std::size_t most) {
    const node n = at(parent, key);
    if (!n.value->is_array())
      refuse(n, "a list");
    else if (n.value->size() > most)
      fail(n, "a list of " + grouped(n.value->size()) + ", and at most " + grouped(most) + " are read");
    return n;
  }
  // Of a list; none to read where there was an error.
  std::size_t size(const node& n) const { return wrong_ || !n.value->is_array() ? 0 : n.value->size(); }

  std::uint64_t number(const node& n, std::uint64_t most, std::uint64_t least = 0) {
    if (n.value->is_number_unsigned())
      if (const auto value = n.value->get<std::uint64_t>(); value >= least && value <= most) return value;
    refuse(n, "a whole number from " + grouped(least) + " to " + grouped(most));
    return least;
  }
  std::uint64_t number(const node& parent, const char* key, std::uint64_t most, std::uint64_t least = 0) {
    return number(at(parent, key), most, least);
  }
  std::uint32_t number_32(const node& parent, const char* key) {
    return static_cast<std::uint32_t>(number(parent, key, most_u32));
  }
  std::string text(const node& n) {
    if (!n.value->is_string()) {
      refuse(n, "a text");
      return {};
    }
    const auto& s = n.value->get_ref<const std::string&>();
    if (s.size() > most_string_bytes)
      fail(n, "a text of " + grouped(s.size()) + " bytes");
    else if (std::any_of(s.begin(), s.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }))
      fail(n, "a text with control characters");  // it goes to terminals
    else
      return s;
    return {};
  }
  std::string text(const node& parent, const char* key) { return text(at(parent, key)); }
  bool flag(const node& parent, const char* key) {
    const node n = at(parent, key);
    if (!n.value->is_boolean()) refuse(n, "true or false");
    return n.value->is_boolean() && n.value->get<bool>();
  }
  std::uint64_t pc(const node& parent) {
    const node n = at(parent, "pc");
    const std::uint64_t value = number(n, most_u32);
    if (value % 16 != 0) refuse(n, "a multiple of 16");
    return value;
  }
  std::array<std::uint32_t, 3> triple(const node& parent, const char* key, std::uint64_t least = 1) {
    const node n = list(parent, key, 3);
    std::array<std::uint32_t, 3> t{1, 1, 1};
    if (size(n) != 3) {
      refuse(n, "three numbers");
      return t;
    }
    for (std::size_t i = 0; i < 3; ++i) t[i] = static_cast<std::uint32_t>(number(item(n, i), most_u32, least));
    return t;
  }
  // A file: its path, or in its absence the name without folders.
  std::string file(const node& parent, const char* path, const char* bare) {
    return text(parent, has(parent, path) ? path : bare);
  }

  access read_access(const node& n, operation op) {
    access a{op, 0, {}};
    const node mask = at(n, "mask");
    const std::string digits = text(mask);
    if (digits.size() != 8 || !is_hex(digits)) refuse(mask, "8 hexadecimal digits");
    a.mask = static_cast<u32>(parse_u64("0x" + digits).value_or(0));
    const node addresses = list(n, "addresses", lanes_per_warp);
    if (!wrong_ && size(addresses) != lanes_per_warp) fail(addresses, "expected 32 addresses, a lane each");
    if (wrong_) return a;
    const u32 used = lanes_used(a);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      const node one = item(addresses, lane);
      const bool active = (a.mask >> lane & 1) != 0;
      if (active != !one.value->is_null()) {
        refuse(one, active ? "an address: the mask has this lane" : "null: the mask does not have this lane");
        return a;
      }
      if (!active) continue;
      // What lanes hold whose addresses nobody reads may be anything.
      const bool read = (used >> lane & 1) != 0;
      a.address[lane] = static_cast<u32>(number(one, read ? shared_memory_limit - op.width_bytes : most_u32));
      if (read && a.address[lane] % op.width_bytes != 0)
        refuse(one, "a multiple of the " + std::to_string(op.width_bytes) + " bytes that a lane accesses");
    }
    return a;
  }

  // Of a copy. Reports of before did not have it: contiguous.
  copy_source read_source(const node& n, const access& a) {
    copy_source from = contiguous_source();
    from.reads = a.mask;
    if (!has(n, "sources")) return from;
    from = {{}, 0, has(n, "may_fill") && flag(n, "may_fill")};
    const node sources = list(n, "sources", lanes_per_warp);
    if (!wrong_ && size(sources) != lanes_per_warp) fail(sources, "expected 32 addresses, a lane each");
    for (u32 lane = 0; lane < lanes_per_warp && !wrong_; ++lane) {
      const node one = item(sources, lane);
      if (one.value->is_null()) continue;
      from.reads |= 1u << lane;
      from.address[lane] = static_cast<u32>(number(one, most_u32));
      if ((a.mask >> lane & 1) == 0 || from.address[lane] % a.op.width_bytes != 0)
        refuse(one, "null, or a multiple of the " + std::to_string(a.op.width_bytes) + " bytes that a lane copies");
    }
    return from;
  }

  // "ld" and a width, "cp.async.cg", "ldmatrix.x4"
  named_operation read_operation(const node& n, const machine& on) {
    const std::string name = text(n, "op");
    const auto width = static_cast<std::uint32_t>(number(n, "width_bytes", 16, 1));
    if (wrong_) return {};
    auto op = parse_operation(name, width);
    if (!op) {
      fail(at(n, "op"), op.error().message, op.error().hint);
      return {};
    }
    if (op->op.width_bytes != width || !valid(op->op)) {
      fail(at(n, "width_bytes"), name + " of " + std::to_string(width) + " bytes does not exist");
      return {};
    }
    if (const auto none = unsupported(on, op->op)) fail(at(n, "op"), none->message, none->hint);
    // As it was called, and not as it would be today: the arithmetic of an atomic may be named or not.
    const std::string bits = ".b" + std::to_string(8 * width);
    if (is_copy(op->op.kind))
      op->spelling = spell(op->op);
    else if (name.find(".b") != std::string::npos)
      refuse(at(n, "op"), "an operation without its width");
    else
      op->spelling = name + (is_matrix(op->op.kind) ? "" : bits);
    op->width_given = false;
    return *op;
  }

  // Code, of several lines.
  std::string code(const node& parent, const char* key) {
    const node n = at(parent, key);
    if (!n.value->is_string()) {
      refuse(n, "a text");
      return {};
    }
    std::string s = n.value->get<std::string>(), line = s;
    std::erase(line, '\n');
    const parsed_json without(line);
    text({&without, n.parent, n.key, n.index});
    return wrong_ ? "" : s;
  }

  // As advice_report.cpp writes it; what renderers ask of it is there.
  known_fix read_fix(const node& n) {
    known_fix f;
    f.array = text(n, "array");
    f.verdict = text(n, "verdict");
    for (const char* key :
         {"bytes", "pitch_bytes", "wavefronts", "lower_bound", "kept_together_bytes", "lower_bound_kept_together"})
      number(n, key, most_counted);
    flag(n, "exhaustive");
    const node groups = list(n, "accesses", most_sites);
    for (std::size_t i = 0; i < size(groups); ++i) {
      const node group = item(groups, i);
      for (const char* key : {"name", "op"}) text(group, key);
      for (const char* key : {"executed", "wavefronts", "lower_bound"}) number(group, key, most_counted);
      const node sites = list(group, "sites", most_sites);
      for (std::size_t k = 0; k < size(sites); ++k) {
        const node place = item(sites, k);
        if (place.value->is_object())
          f.sites.emplace_back(text(place, "function"), number(place, "pc", most_u32));
        else
          f.sites.emplace_back("", number(place, most_u32));
      }
    }
    const node answers = list(n, "answers", most_sites);
    for (std::size_t i = 0; i < size(answers); ++i) {
      const node one = item(answers, i);
      for (const char* key : {"family", "summary", "index"}) text(one, key);
      for (const char* key : {"wavefronts", "bytes", "extra_bytes"}) number(one, key, most_counted);
      flag(one, "reaches_lower_bound");
      const node by_access = list(one, "wavefronts_by_access", most_sites);
      for (std::size_t k = 0; k < size(by_access); ++k) number(item(by_access, k), most_counted);
      if (!wrong_ && size(by_access) != size(groups)) fail(by_access, "expected a number for each of the accesses");
      for (const char* key : {"cute", "triton", "hardware"})
        if (has(one, key)) code(one, key);
      const std::string cuda = code(one, "cuda");
      if (i == 0) f.code = cuda;
    }
    const node families = list(n, "looked_at", most_sites);
    for (std::size_t i = 0; i < size(families); ++i) {
      const node one = item(families, i);
      for (const char* key : {"family", "scope"}) text(one, key);
      number(one, "tried", most_counted);
      flag(one, "exhaustive");
    }
    const node notes = list(n, "notes", most_sites);
    for (std::size_t i = 0; i < size(notes); ++i) text(item(notes, i));
    if (!wrong_) f.json = n.value->dump(-1, ' ', false, parsed_json::error_handler_t::replace);
    return f;
  }

  site read_site(const node& n, const machine& on, bool has_accesses) {
    site s;
    s.pc = pc(n);
    if (has(n, "function")) s.function = text(n, "function");
    s.sass = text(n, "sass");
    if (const auto kind = has(n, "op") ? parse_async(text(n, "op")) : std::nullopt) {
      read_async(n, *kind, on, s);
      return s;
    }
    s.op = read_operation(n, on);
    if (wrong_) return s;
    s.rule = on.rules->by_group[static_cast<u32>(group_of(s.op.op))];
    read_place(n, s);
    read_counts(n, s);

    const node worst = at(n, "worst");
    s.worst = read_access(worst, s.op.op);
    if (wrong_) return s;
    s.worst_cost = analyze(s.worst, on.model);
    if (is_copy(s.op.op.kind)) s.worst_from = read_source(worst, s.worst);
    if (wrong_) return s;
    s.worst_cost.wavefronts = number_32(worst, "wavefronts");
    s.worst_cost.reachable = has(worst, "reachable") ? number_32(worst, "reachable") : s.worst_cost.wavefronts;
    if (s.worst_cost.reachable > s.worst_cost.wavefronts) fail(worst, "more wavefronts are reachable than there are");
    if (s.worst.mask == 0 && s.wavefronts != 0) fail(worst, "no lane takes part, but there are wavefronts");

    if (has_accesses) {
      const node accesses = list(n, "accesses", most_text_bytes);
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < size(accesses); ++i) {
        const node one = item(accesses, i);
        s.accesses.push_back({read_access(one, s.op.op), number(one, "count", most_counted, 1)});
        sum += s.accesses.back().count;
        if (s.accesses.back().what.mask == 0) fail(one, "no lane takes part");
        if (sum > s.executed) fail(one, "the accesses are more than were executed");
      }
    }
    return s;
  }

  // What is no access of lanes: nothing collides, and no layout wins anything.
  void read_async(const node& n, async_kind kind, const machine& on, site& s) {
    s.async = async_of(kind);
    s.op.spelling = spell(kind);
    s.rule = on.async_rules->by_group[static_cast<u32>(group_of(kind))];
    if (s.rule.level == evidence::none)
      return fail(at(n, "op"), "no rule for " + s.op.spelling + " on " + on.name + ": " + s.rule.source,
                  "bankwise arch " + on.name + " lists what is known");
    if (has(n, "to_shared")) s.async.to_shared = flag(n, "to_shared");
    read_place(n, s);
    read_counts(n, s);
    s.bytes = number(n, "bytes", most_counted);
    for (const char* key : {"ideal", "reachable"})
      if (!wrong_ && number(n, key, most_counted) != s.wavefronts)
        fail(at(n, key),
             "expected the " + grouped(s.wavefronts) + " wavefronts: " + s.op.spelling + " has no conflicts");
    s.layout_floor = s.wavefronts;
    s.best_cycles = s.cycles;
    s.worst_cost.wavefronts = s.worst_cost.reachable = number_32(at(n, "worst"), "wavefronts");
  }

  void read_place(const node& n, site& s) {
    s.file = file(n, "path", "file");
    s.line = number_32(n, "line");
    if (s.file.empty() && s.line != 0) fail(at(n, "line"), "a line of no file");
    if (has(n, "text")) s.text = text(n, "text");
    s.outer_file = s.file;
    s.outer_line = s.line;
    if (has(n, "outer_file")) {
      s.outer_file = file(n, "outer_path", "outer_file");
      s.outer_line = number_32(n, "outer_line");
    }
    if (has(n, "ptx_line")) s.ptx_line = number_32(n, "ptx_line");
  }

  void read_counts(const node& n, site& s) {
    const auto counted = [&](const char* key) { return number(n, key, most_counted); };
    const auto at_most = [&](const char* key, std::uint64_t most, const char* of) {
      const std::uint64_t value = counted(key);
      if (value > most) fail(at(n, key), grouped(value) + " is more than " + of + ", " + grouped(most));
      return value;
    };
    s.executed = counted("executed");
    s.lanes = counted("lanes");
    if (has(n, "shared_executed")) {
      s.generic = true;
      s.shared_executed = at_most("shared_executed", s.executed, "executed");
      s.shared_lanes = at_most("shared_lanes", s.lanes, "lanes");
    }
    if (has(n, "retries")) read_retries(at(n, "retries"), s.again);
    s.executed_at_least = has(n, "executed_at_least") && flag(n, "executed_at_least");
    s.wavefronts = counted("wavefronts");
    s.ideal = at_most("ideal", s.wavefronts, "wavefronts");
    s.ncu_wavefronts = has(n, "ncu_wavefronts") ? counted("ncu_wavefronts") : s.wavefronts;
    s.ncu_ideal = has(n, "ncu_ideal") ? at_most("ncu_ideal", s.ncu_wavefronts, "ncu_wavefronts")
                                      : std::min(s.ideal, s.ncu_wavefronts);
    s.reachable = at_most("reachable", s.wavefronts, "wavefronts");
    s.layout_floor = has(n, "layout_floor") ? at_most("layout_floor", s.wavefronts, "wavefronts") : s.reachable;
    s.passes = counted("passes");
    s.cycles = counted("cycles");
    s.best_cycles = has(n, "best_cycles") ? counted("best_cycles") : s.cycles;
    const std::string level = text(n, "evidence");
    if (has(n, "open_accesses"))
      s.open_accesses = at_most("open_accesses", s.executed, "executed");
    else if (level == "open")
      s.open_accesses = s.executed;
  }

  early_end read_early_end(const node& n) {
    early_end c;
    if (!has(n, "partial") || !flag(n, "partial")) return c;
    using reason = early_end::reason;
    const std::string why = text(n, "partial_reason");
    for (const reason r : {reason::interrupted, reason::budget, reason::fault})
      if (why == name_of(r)) c.why = r;
    if (!c) refuse(at(n, "partial_reason"), "interrupted, budget or fault");
    if (has(n, "signal")) c.signal = text(n, "signal");
    return c;
  }

  void read_retries(const node& n, retries& r) {
    r.entries = number(n, "entries", most_counted, 1);
    r.rounds = number(n, "rounds", most_counted);
    r.queued = number(n, "queued", most_counted);
    r.conflicting = number(n, "conflicting", most_counted);
    r.contended = number(n, "contended", most_counted);
    r.most = number(n, "most", most_counted);
    if (!wrong_ && r.entries + r.queued + r.conflicting + r.contended != r.rounds)
      fail(at(n, "rounds"), "expected the entries and the rounds of each reason, together");
    if (!has(n, "loop")) return;
    const node loop = list(n, "loop", 2);
    if (size(loop) != 2) return refuse(loop, "two numbers");
    r.loop_begin = number(item(loop, 0), most_u32);
    r.loop_end = number(item(loop, 1), most_u32);
  }

  launch_report read_launch(const node& n, const machine& on) {
    launch_report l;
    l.kernel = text(n, "kernel");
    l.name = text(n, "name");
    l.mangled = text(n, "mangled");
    l.grid = triple(n, "grid");
    l.block = triple(n, "block");
    const auto shared = number(n, "shared_bytes", shared_memory_limit);
    l.dynamic_shared_bytes =
        has(n, "dynamic_shared_bytes") ? static_cast<std::uint32_t>(number(n, "dynamic_shared_bytes", shared)) : 0;
    l.static_shared_bytes = static_cast<std::uint32_t>(shared) - l.dynamic_shared_bytes;
    if (has(n, "registers")) l.registers = number_32(n, "registers");
    l.count = number(n, "count", most_counted, 1);
    l.ctas_executed = number(n, "ctas_executed", most_counted);
    if (has(n, "launches_seen")) l.launches_seen = number(n, "launches_seen", most_counted);
    if (has(n, "block_period")) l.block_period = number(n, "block_period", most_counted, 1);
    if (has(n, "lost_accesses")) l.lost_accesses = number(n, "lost_accesses", most_counted);
    l.scaled = has(n, "scaled") && flag(n, "scaled");
    l.partial = read_early_end(n);
    if (l.partial) l.ctas_begun = number(n, "ctas_begun", most_counted, l.ctas_executed);
    l.has_accesses = has(n, "accesses_seen");

    const node sites = list(n, "sites", most_sites);
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> by_pc;
    for (std::size_t i = 0; i < size(sites); ++i) {
      const node one = item(sites, i);
      l.sites.push_back(read_site(one, on, l.has_accesses));
      const site& s = l.sites.back();
      if (!by_pc.try_emplace({s.function, s.pc}, i).second) fail(one, "a second site at pc 0x" + hex(s.pc));
      l.sum += s;
    }
    read_totals(at(n, "totals"), l);
    if (has(n, "fixes")) {
      const node fixes = list(n, "fixes", most_sites);
      for (std::size_t i = 0; i < size(fixes); ++i) l.fixes.push_back(read_fix(item(fixes, i)));
    }
    if (has(n, "checks")) read_hazards(n, l);
    if (has(n, "out_of_bounds")) read_out_of_bounds(n, l);
    if (!l.has_accesses || wrong_) return l;
    l.accesses_seen = number(n, "accesses_seen", l.sum.executed);
    l.accesses_kept = number(n, "accesses_kept", l.accesses_seen);
    std::uint64_t kept = 0;
    for (const site& s : l.sites)
      for (const recorded_access& a : s.accesses) kept += a.count;
    if (!wrong_ && kept != l.accesses_kept)
      fail(at(n, "accesses_kept"), "expected " + grouped(kept) + ", the sum over the sites");
    const node arrays = list(n, "arrays", most_sites);
    for (std::size_t i = 0; i < size(arrays); ++i) l.arrays.push_back(read_array(item(arrays, i), by_pc));
    const node idle = list(n, "not_executed", most_sites);
    for (std::size_t i = 0; i < size(idle); ++i) {
      const node one = item(idle, i);
      l.not_executed.push_back({pc(one), text(one, "sass"), file(one, "path", "file"), number_32(one, "line")});
    }
    return l;
  }

  void read_hazards(const node& n, launch_report& l) {
    const node wanted = list(n, "checks", 2);
    for (std::size_t i = 0; i < size(wanted); ++i) {
      const node one = item(wanted, i);
      const std::string name = one.value != nullptr && one.value->is_string() ? one.value->get<std::string>() : "";
      if (name != "uninit" && name != "race") refuse(one, "uninit or race");
      (name == "race" ? l.checked.races : l.checked.uninitialised) = true;
    }
    const node found = list(n, "hazards", most_sites);
    for (std::size_t i = 0; i < size(found); ++i) {
      const node one = item(found, i);
      hazard& h = l.hazards.emplace_back();
      if (!parse_hazard_kind(text(one, "kind"), h.kind)) refuse(at(one, "kind"), "the name of a hazard");
      h.count = number(one, "count", most_counted, 1);
      h.block = triple(one, "block", 0);
      h.offset = number(one, "offset", shared_memory_limit);
      h.array = text(one, "array");
      h.first = read_place(at(one, "first"), h.first_thread);
      h.second = read_place(at(one, "second"), h.second_thread);
    }
  }

  void read_out_of_bounds(const node& n, launch_report& l) {
    const node found = list(n, "out_of_bounds", most_sites);
    for (std::size_t i = 0; i < size(found); ++i) {
      const node one = item(found, i);
      out_of_bounds_access& a = l.out_of_bounds.emplace_back();
      if (!parse_direction(text(one, "access"), a.direction)) refuse(at(one, "access"), "read, write or update");
      a.bytes = static_cast<std::uint32_t>(number(one, "bytes", 16, 1));
      a.count = number(one, "count", most_counted, 1);
      a.lanes = number(one, "lanes", most_counted, 1);
      a.place = read_place(one, a.thread);
      if (has(one, "text")) a.place.text = text(one, "text");
      a.block = triple(one, "block", 0);
      a.warp = static_cast<std::uint32_t>(number(one, "warp", 31));
      a.lane = static_cast<std::uint32_t>(number(one, "lane", lanes_per_warp - 1));
      a.address = number(one, "address", ~std::uint64_t{0});
      a.nearest = text(one, "nearest");
      const node trail = list(one, "trail", most_sites);
      for (std::size_t k = 0; k < size(trail); ++k) a.trail.push_back(text(item(trail, k)));
    }
  }

  code_place read_place(const node& n, std::array<std::uint32_t, 3>& thread) {
    code_place p;
    p.pc = pc(n);
    if (has(n, "function")) p.function = text(n, "function");
    p.sass = text(n, "sass");
    p.file = file(n, "path", "file");
    p.line = number_32(n, "line");
    thread = triple(n, "thread", 0);
    return p;
  }

  // They are the sums over the sites.
  void read_totals(const node& n, launch_report& l) {
    const auto check = [&](const char* key, std::uint64_t sum) {
      const node one = at(n, key);
      if (number(one, ~std::uint64_t{0}) != sum) refuse(one, grouped(sum) + ", the sum over the sites");
    };
    check("executed", l.sum.executed);
    check("wavefronts", l.sum.wavefronts);
    check("ideal", l.sum.ideal);
    check("reachable", l.sum.reachable);
    check("cycles", l.sum.cycles);
    l.sum.warp_instructions = number(n, "warp_instructions", ~std::uint64_t{0} / 2);
  }

  shared_array read_array(const node& n, const std::map<std::pair<std::string, std::uint64_t>, std::size_t>& by_pc) {
    shared_array a;
    a.name = text(n, "name");
    a.begin = number(n, "begin", shared_memory_limit);
    a.end = number(n, "end", shared_memory_limit, a.begin);
    a.dynamic = flag(n, "dynamic");
    a.declared_bytes = number(n, "declared_bytes", shared_memory_limit);
    const node sites = list(n, "sites", most_sites);
    for (std::size_t i = 0; i < size(sites); ++i) {
      const node one = item(sites, i);
      const bool in_function = one.value->is_object();
      const auto it =
          by_pc.find({in_function ? text(one, "function") : "", in_function ? pc(one) : number(one, most_u32)});
      if (it == by_pc.end())
        fail(one, "no site has this pc");
      else
        a.sites.push_back(it->second);
    }
    return a;
  }

  const std::string& name_;
  std::optional<diagnostic> wrong_;
};

}  // namespace

result<report> read_report(std::string_view text, const std::string& name) {
  if (text.size() > most_text_bytes)
    return diagnostic{
        "a report of " + grouped(text.size()) + " bytes; at most " + grouped(most_text_bytes) + " are read",
        {.file = name}};
  const parsed_json document = parsed_json::parse(text.begin(), text.end(), nullptr, false);
  if (document.is_discarded()) return syntax_error(text, name);
  return report_reader(name).read(document);
}

}  // namespace bankwise
