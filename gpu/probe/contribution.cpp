// Checks contributions: files with evidence that users send. The last check is the strictest: it writes the evidence
// again, and the result must equal the file. So no list of allowed keys is needed.
#include "contribution.hpp"
#include "base/format.hpp"

#include <algorithm>

#include "bankwise/arch.hpp"
#include "base/csv.hpp"
#include "base/text.hpp"
#include "patterns.hpp"

namespace bankwise {
// Returns data/contributed.csv, which is part of the program (gpu/probe/CMakeLists.txt).
std::string_view contributed_rows();
}  // namespace bankwise

namespace bankwise::probe {

namespace {

constexpr std::size_t most_contributed_bytes = std::size_t{1} << 18;
constexpr std::string_view columns = "arch,gpu,driver,timed,timed_holds,counted,counted_holds,bankwise,file";
constexpr std::string_view not_fitting = "the measurements contradict each other";

diagnostic wrong(const std::string& file, std::string message, std::string hint = {}) {
  return {std::move(message),
          {.file = file},
          hint.empty() ? "pass a file that bankwise probe --contribute wrote" : std::move(hint)};
}

bool has_only(std::string_view text, std::string_view beside) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           beside.find(c) != std::string_view::npos;
  });
}

// Whether a text can be the name of a GPU, such as "NVIDIA GeForce RTX 3080 Ti (12 GB)".
bool is_product_name(std::string_view s) {
  return !s.empty() && s.size() <= 64 && s[0] != ' ' && s.back() != ' ' && has_only(s, " ()+./-");
}

// Returns the error in a list of rows. For this quantity, the list must have exactly one row for each of `names`, in
// order.
std::optional<std::string> rows_wrong(const std::vector<evidence_row>& rows, const std::string& list, quantity q,
                                      const std::vector<std::string>& names, std::uint64_t least) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].measured != q) continue;
    const std::string place = formatted("{}[{}]", list, i);
    if (at == names.size()) return formatted("{}: a complete probe does not write this row", place);
    if (rows[i].operation != names[at]) return formatted("{}.operation must be '{}'", place, names[at]);
    if (rows[i].patterns < least)
      return formatted("{}.patterns is {}, but must be at least {}", place, rows[i].patterns, least);
    if ((rows[i].holds == rows[i].patterns) == rows[i].smallest.has_value())
      return formatted("{}: at least one access differs, but the smallest differing access is missing", place);
    ++at;
  }
  if (at != names.size()) return formatted("{} has no row for {}", list, names[at]);
  return std::nullopt;
}

std::optional<diagnostic> wrong_machine(const gpu_evidence& e, const std::string& file) {
  const std::string name = formatted("sm_{}", e.on.sm);
  const arch* a = find_arch(name.c_str());
  if (a == nullptr)
    return wrong(file, formatted("gpu.sm: bankwise has no rule for {}", name),
                 "add a row to include/bankwise/arch.hpp first");
  if (e.rule != name)
    return wrong(file,
                 formatted("rule: a GPU with {} was compared with the rule for '{}'", name, e.rule.substr(0, 40)));
  if (e.on.shared_bytes_per_block != a->shared_kib_per_block * 1024u)
    return wrong(file, formatted("gpu.shared_bytes_per_block is {}, but a block on {} has {} bytes",
                                 e.on.shared_bytes_per_block, name, a->shared_kib_per_block * 1024u));
  if (!is_product_name(e.on.name))
    return wrong(file, "gpu.name is not the name of a GPU",
                 "a name has at most 64 characters, which are letters, digits, blanks or ()+./-");
  if (e.on.multiprocessors == 0 || e.on.multiprocessors > 1024)
    return wrong(file, formatted("gpu.multiprocessors is {}, which is not possible", e.on.multiprocessors));
  if (e.on.driver < 8000 || e.on.driver > 99999)
    return wrong(file,
                 formatted("gpu.driver is {}, which is not possible. As an example, 13000 is CUDA 13.0", e.on.driver));
  return std::nullopt;
}

std::optional<diagnostic> incomplete(const gpu_evidence& e, const std::string& file) {
  const auto machine = parse_machine(e.rule);
  std::vector<std::string> operations, known;
  for (const probed_operation& p : probed_operations())
    if (is_probed_on(p, e.on.sm) && !unsupported(*machine, p.op)) operations.emplace_back(p.name);
  for (const known_case& k : known_cases())
    if (std::find(operations.begin(), operations.end(), k.operation) != operations.end()) known.emplace_back(k.name);
  const bool counted = std::any_of(e.random.begin(), e.random.end(),
                                   [](const evidence_row& r) { return r.measured == quantity::wavefronts; });
  for (const quantity q : {quantity::cycles, quantity::wavefronts}) {
    if (q == quantity::wavefronts && !counted) continue;
    if (auto w = rows_wrong(e.random, "random", q, operations, q == quantity::cycles ? least_timed : least_counted))
      return wrong(file, *w);
    if (auto w = rows_wrong(e.known, "known", q, known, 1)) return wrong(file, *w);
  }
  for (const latency_point& p : e.latencies)
    if (std::find(operations.begin(), operations.end(), p.operation) == operations.end())
      return wrong(file,
                   formatted("latency: the probe has no operation '{}' on {}", p.operation.substr(0, 40), e.rule));
  for (const std::string& note : e.notes)
    if (note != no_counters && note != not_fitting)
      return wrong(file, "notes: the file has a note that the probe does not write",
                   formatted("allowed: '{}' and '{}'", no_counters, not_fitting));
  if (!e.found && std::find(e.notes.begin(), e.notes.end(), not_fitting) == e.notes.end())
    return wrong(file, "the key 'found' is missing, and no note gives the reason");
  return std::nullopt;
}

// Returns the error for two texts that differ. The error contains the number of the first different line.
diagnostic first_difference(std::string_view text, std::string_view expected, const std::string& file) {
  const auto lines = split(text, '\n'), others = split(expected, '\n');
  std::size_t i = 0;
  while (i < lines.size() && i < others.size() && lines[i] == others[i]) ++i;
  location at{.file = file, .line = static_cast<std::uint32_t>(i + 1)};
  std::string shown(i < lines.size() ? lines[i].substr(0, 120) : "");
  if (has_only(shown, " \"_:,.{}[]()+-/%^")) at.source_line = shown;
  return {"the probe does not write this line", at,
          i < others.size() ? formatted("expected: {}", trim(others[i])) : "the file ends before this line"};
}

}  // namespace

void keep_private(gpu_evidence& e) {
  std::vector<std::string> kept;
  for (const std::string& note : e.notes)
    kept.emplace_back(note.starts_with(not_fitting) ? not_fitting : std::string_view(no_counters));
  e.notes = std::move(kept);
}

std::string file_stem(const gpu_facts& on) {
  std::string s = formatted("sm_{}-", on.sm);
  for (const char c : on.name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain || s.back() != '-') s += plain ? lower : '-';
  }
  while (s.back() == '-') s.pop_back();
  return s;
}

result<gpu_evidence> read_contribution(std::string_view text, const std::string& file) {
  if (text.size() > most_contributed_bytes)
    return wrong(file, formatted("the file has {} bytes, but a contribution has at most {} bytes", grouped(text.size()),
                                 grouped(most_contributed_bytes)));
  auto e = read_evidence(text, file);
  if (!e) return e.error();
  if (e->version.size() > 16 || e->version.find_first_not_of("0123456789.") != std::string::npos)
    return wrong(file, "tool.version is not a version number");
  if (auto w = wrong_machine(*e, file)) return *w;
  if (auto w = incomplete(*e, file)) return *w;
  if (const std::string again = to_json(*e); again != text) return first_difference(text, again, file);
  return e;
}

contribution contribution_of(const gpu_evidence& e, const std::string& file) {
  contribution c;
  c.arch = e.rule;
  c.gpu = e.on.name;
  c.version = e.version;
  c.file = file;
  c.driver = e.on.driver;
  for (const auto* rows : {&e.known, &e.random})
    for (const evidence_row& r : *rows) {
      const bool timed = r.measured == quantity::cycles;
      (timed ? c.timed : c.counted) += r.patterns;
      (timed ? c.timed_holds : c.counted_holds) += r.holds;
    }
  return c;
}

std::string to_csv(const std::vector<contribution>& all) {
  std::string s = formatted("{}\n", columns);
  for (const contribution& c : all) {
    s += formatted("{},{},{}", c.arch, csv_text(c.gpu), c.driver);
    for (const std::uint64_t n : {c.timed, c.timed_holds, c.counted, c.counted_holds}) s += formatted(",{}", n);
    s += formatted(",{},{}\n", c.version, csv_text(c.file));
  }
  return s;
}

result<std::vector<contribution>> read_contributions(std::string_view csv, const std::string& name) {
  csv_reader table(csv, name);
  std::vector<contribution> all;
  for (bool header = true;; header = false) {
    auto row = table.next();
    if (!row) return row.error();
    if (!*row) return all;
    const auto& f = **row;
    if (f.size() != 9) return table.error(formatted("the columns of the table must be {}", columns));
    if (header) continue;
    std::uint64_t numbers[5];
    for (std::size_t i = 0; i < 5; ++i) {
      const auto n = parse_u64(f[2 + i].text);
      if (!n) return table.error(f[2 + i], "expected a number");
      numbers[i] = *n;
    }
    all.push_back({std::string(f[0].text), std::string(f[1].text), std::string(f[7].text), std::string(f[8].text),
                   static_cast<unsigned>(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4]});
  }
}

result<std::vector<contribution>> contributions_of_this() {
  return read_contributions(contributed_rows(), "data/contributed.csv");
}

}  // namespace bankwise::probe
