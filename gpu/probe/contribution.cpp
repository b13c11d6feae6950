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
constexpr std::string_view columns = "arch,gpu,driver,timed,timed_holds,counted,counted_holds,parameters,bankwise,file";
constexpr std::string_view not_fitting = "the measurements contradict each other";

diagnostic wrong(const std::string& file, std::string message, std::string hint = {}) {
  return {std::move(message),
          {.file = file},
          hint.empty() ? "pass a file that bankwise probe --contribute wrote" : std::move(hint)};
}

diagnostic too_large(std::size_t bytes, const std::string& file) {
  return wrong(file, formatted("the file has {} bytes, but a contribution has at most {} bytes", grouped(bytes),
                               grouped(most_contributed_bytes)));
}

bool has_only(std::string_view text, std::string_view beside) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           beside.find(c) != std::string_view::npos;
  });
}

// The words of names that the driver reports, apart from numbers such as H100, 3080 and 80GB.
constexpr std::string_view makers[] = {"NVIDIA", "GeForce", "Tesla", "Quadro", "TITAN", "GRID"};
constexpr std::string_view name_words[] = {
    "RTX",      "GTX",    "CMP",    "Ti",         "SUPER",       "Super",   "Laptop", "GPU",      "with", "Max",
    "Q",        "Design", "Ada",    "Generation", "Blackwell",   "PCIe",    "PCIE",   "SXM",      "NVL",  "HBM3",
    "HBM3e",    "HBM2e",  "HBM2",   "Server",     "Workstation", "Edition", "Mobile", "Embedded", "D",    "V",
    "Xp",       "X",      "Pro",    "PRO",        "Orin",        "Thor",    "Jetson", "AGX",      "DGX",  "Spark",
    "Graphics", "Device", "Hopper", "Ampere",     "Turing",      "Volta",   "GH",     "MIG"};

// Whether a word is a number such as "3080", "80GB", "L40S" or "SXM4": up to 3 capital letters, digits, up to 2 letters.
bool is_model_number(std::string_view word) {
  const auto count = [&](std::size_t from, const auto& is) {
    std::size_t n = 0;
    while (from + n < word.size() && is(word[from + n])) ++n;
    return n;
  };
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t first = count(0, capital), digits = count(first, digit),
                    last = count(first + digits, [&](char c) { return capital(c) || c == 'i'; });
  return first <= 3 && digits >= 1 && digits <= 4 && last <= 2 && first + digits + last == word.size();
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
  if (!is_gpu_name(e.on.name))
    return wrong(file, "gpu.name is not the name of a GPU",
                 "a name begins with NVIDIA, and has at most 64 characters and only words of NVIDIA's names");
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

}  // namespace

diagnostic first_difference(std::string_view text, std::string_view expected, const std::string& file,
                            std::string message) {
  const auto lines = split(text, '\n'), others = split(expected, '\n');
  std::size_t i = 0;
  while (i < lines.size() && i < others.size() && lines[i] == others[i]) ++i;
  location at{.file = file, .line = static_cast<std::uint32_t>(i + 1)};
  std::string shown(i < lines.size() ? lines[i].substr(0, 120) : "");
  if (has_only(shown, " \"_:,.{}[]()+-/%^")) at.source_line = shown;
  return {std::move(message), at,
          i < others.size() ? formatted("expected: {}", trim(others[i])) : "the file ends before this line"};
}

bool is_gpu_name(std::string_view s) {
  if (s.size() > 64 || !has_only(s, " ()+./-")) return false;
  std::size_t words = 0;
  for (std::size_t at = 0; at < s.size();) {
    const std::size_t end = std::min(s.find_first_of(" ()+./-", at), s.size());
    if (const std::string_view word = s.substr(at, end - at); !word.empty()) {
      const auto is_among = [&](const auto& list) {
        return std::find(std::begin(list), std::end(list), word) != std::end(list);
      };
      if (words++ == 0 ? !is_among(makers) : !is_among(makers) && !is_among(name_words) && !is_model_number(word))
        return false;
    }
    at = end + 1;
  }
  return words >= 2 && s[0] != ' ' && s.back() != ' ';
}

void keep_private(gpu_evidence& e) {
  std::vector<std::string> kept;
  for (const std::string& note : e.notes)
    kept.emplace_back(note.starts_with(not_fitting) ? not_fitting : std::string_view(no_counters));
  e.notes = std::move(kept);
}

std::string slug_of(std::string_view name) {
  std::string s;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (plain || (!s.empty() && s.back() != '-')) s += plain ? lower : '-';
  }
  while (!s.empty() && s.back() == '-') s.pop_back();
  return s;
}

std::string file_stem(const gpu_facts& on) { return formatted("sm_{}-{}", on.sm, slug_of(on.name)); }

result<gpu_evidence> pack_evidence(std::string_view text, const std::string& file) {
  if (text.size() > most_contributed_bytes) return too_large(text.size(), file);
  auto e = read_evidence(text, file);
  if (!e) return e.error();
  if (const std::string again = to_json(*e); again != text) return first_difference(text, again, file);
  keep_private(*e);
  return read_contribution(to_json(*e), file);
}

result<gpu_evidence> read_contribution(std::string_view text, const std::string& file) {
  if (text.size() > most_contributed_bytes) return too_large(text.size(), file);
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
    for (const std::uint64_t n : {c.timed, c.timed_holds, c.counted, c.counted_holds, c.parameters})
      s += formatted(",{}", n);
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
    if (f.size() != 10) return table.error(formatted("the columns of the table must be {}", columns));
    if (header) continue;
    std::uint64_t numbers[6];
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
      const auto n = parse_u64(f[2 + i].text);
      if (!n) return table.error(f[2 + i], "expected a number");
      numbers[i] = *n;
    }
    all.push_back({std::string(f[0].text), std::string(f[1].text), std::string(f[8].text), std::string(f[9].text),
                   static_cast<unsigned>(numbers[0]), numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]});
  }
}

result<std::vector<contribution>> contributions_of_this() {
  return read_contributions(contributed_rows(), "data/contributed.csv");
}

}  // namespace bankwise::probe
