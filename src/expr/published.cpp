// Compares published numbers with the rule. Each row is like a question to `bankwise explain`, and its columns are the
// flags. A semicolon separates two accesses: "a; b".
#include "expr/published.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bankwise/wavefronts.hpp"
#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "expr/question.hpp"

namespace bankwise {

// Returns the tables of data/published/, which src/CMakeLists.txt embeds.
std::string_view published_accesses();
std::string_view published_sources();

namespace {

constexpr double near_counts = 0.03, near_few = 0.05, near_times = 0.10, near_latencies = 0.05;
// near_few applies up to this number of wavefronts. One wavefront is more than 10 % of them, so a difference of one
// wavefront is never near.
constexpr double few_wavefronts = 8;

// Reads the lines of a table. The table must have exactly these columns, in this order.
class rows_of {
 public:
  rows_of(std::string_view text, const std::string& name, std::vector<std::string_view> columns)
      : csv_(text, name), columns_(std::move(columns)) {}

  // Returns the fields of the next line, or an empty list at the end.
  result<std::vector<csv_field>> next() {
    if (!begun_) {
      const auto header = csv_.next();
      if (!header) return header.error();
      const bool same = *header && (*header)->size() == columns_.size() &&
                        std::equal(columns_.begin(), columns_.end(), (*header)->begin(),
                                   [](std::string_view a, const csv_field& b) { return a == b.text; });
      if (!same) {
        std::string all;
        for (const std::string_view c : columns_) all += (all.empty() ? "" : ",") + std::string(c);
        return csv_.error("the columns of this table are wrong", formatted("expected {}", all));
      }
      begun_ = true;
    }
    auto fields = csv_.next();
    if (!fields) return fields.error();
    if (!*fields) return std::vector<csv_field>{};
    if ((*fields)->size() != columns_.size())
      return csv_.error(
          formatted("this line has {} fields, but the header has {} fields", (*fields)->size(), columns_.size()));
    return std::move(**fields);
  }
  diagnostic error(const csv_field& at, std::string message, std::string hint = {}) const {
    return csv_.error(at, std::move(message), std::move(hint));
  }

 private:
  csv_reader csv_;
  std::vector<std::string_view> columns_;
  bool begun_ = false;
};

// Reads a number such as "12.5", or a fraction such as "1395.27/16".
std::optional<double> read_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto digits = [](std::string_view s) -> std::optional<double> {
    const bool plain = !s.empty() && s.size() < 20 && s.find_first_not_of("0123456789.") == std::string_view::npos &&
                       std::count(s.begin(), s.end(), '.') <= 1 && s != ".";
    return plain ? std::optional(std::stod(std::string(s))) : std::nullopt;
  };
  if (slash == std::string_view::npos) return digits(text);
  const auto above = digits(text.substr(0, slash)), below = digits(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view s : split(text, ';')) parts.emplace_back(trim(s));
  return parts;
}

result<std::vector<published_source>> read_sources(std::string_view text, const std::string& name) {
  rows_of table(text, name, {"source", "title", "url", "date"});
  std::vector<published_source> all;
  for (;;) {
    const auto row = table.next();
    if (!row) return row.error();
    if (row->empty()) return all;
    const auto& f = *row;
    for (const std::size_t i : {0u, 1u})
      if (f[i].text.empty()) return table.error(f[i], "a source needs a name and a title");
    if (!f[2].text.empty() && !f[2].text.starts_with("https://"))
      return table.error(f[2], "the address of a source must begin with https://");
    for (const published_source& s : all)
      if (s.name == f[0].text) return table.error(f[0], "a source with this name already exists");
    all.push_back({std::string(f[0].text), std::string(f[1].text), std::string(f[2].text), std::string(f[3].text)});
  }
}

explanation explain_access(const named_access& a) {
  return a.has_source ? explain(a.what, a.from, a.on.model) : explain(a.what, a.on.model);
}

// Marks latencies that rise with their wavefronts.
void compare_latencies(std::vector<published_access>& rows) {
  for (published_access& p : rows) {
    if (p.counted != published_quantity::latency) continue;
    p.in_order = true;
    for (const published_access& q : rows) {
      if (q.counted != p.counted || q.arch != p.arch || q.gpu != p.gpu || q.source != p.source ||
          q.accesses[0].op.spelling != p.accesses[0].op.spelling)
        continue;
      const double ours = p.rule() - q.rule(), theirs = p.published - q.published;
      const bool as_many = std::fabs(theirs) <= near_latencies * std::max(p.published, q.published);
      if (ours == 0 ? !as_many : ours * theirs <= 0) p.in_order = false;
    }
  }
}

// Splits "a from b" into the access and the source.
std::pair<std::string, std::string> access_and_source(const std::string& text) {
  const std::size_t at = text.find(" from ");
  if (at == std::string::npos) return {text, ""};
  return {text.substr(0, at), text.substr(at + 6)};
}

}  // namespace

double published_access::rule() const {
  double count = 0;
  for (const named_access& a : accesses) {
    const explanation e = explain_access(a);
    count += e.total.wavefronts - (counted == published_quantity::conflicts ? e.phases : 0);
  }
  return count * unit;
}

agreement published_access::holds() const {
  const double off = std::fabs(published - rule());
  if (counted == published_quantity::milliseconds)
    return off <= near_times * rule() ? agreement::near : agreement::differs;
  if (counted == published_quantity::latency) return in_order ? agreement::in_order : agreement::differs;
  if (off == 0) return agreement::equal;
  double wavefronts = 0;
  for (const named_access& a : accesses) wavefronts += explain_access(a).total.wavefronts;
  const double limit = wavefronts <= few_wavefronts ? near_few : near_counts;
  return off <= limit * wavefronts * unit ? agreement::near : agreement::differs;
}

namespace {

result<published_table> read_rows(std::string_view rows, const std::string& rows_name, std::string_view sources,
                                  const std::string& sources_name, std::string_view only) {
  published_table t;
  auto known = read_sources(sources, sources_name);
  if (!known) return known.error();
  t.sources = std::move(*known);
  rows_of table(rows, rows_name,
                {"arch", "gpu", "op", "type", "where", "access", "counted", "unit", "published", "source", "note"});
  for (;;) {
    const auto row = table.next();
    if (!row) return row.error();
    if (row->empty()) break;
    const auto& f = *row;
    if (!only.empty() && f[0].text != only) continue;
    published_access p;
    p.arch = f[0].text;
    p.gpu = f[1].text;
    p.note = f[10].text;
    if (p.gpu.empty()) return table.error(f[1], "the row does not name a GPU");
    const std::vector<std::string> ops = parts_of(f[2].text), texts = parts_of(f[5].text);
    if (ops.size() != texts.size())
      return table.error(f[5], "write one access for each operation, and separate the accesses by ;");
    for (std::size_t i = 0; i < ops.size(); ++i) {
      flag_values asked;
      asked.values = {{"arch", {p.arch}}, {"op", {ops[i]}}};
      if (!f[3].text.empty()) asked.values["type"] = {std::string(f[3].text)};
      if (!f[4].text.empty()) asked.values["where"] = {std::string(f[4].text)};
      const auto [text, from] = access_and_source(texts[i]);
      if (!from.empty()) asked.values["source"] = {from};
      auto access = read_question(asked, text);
      if (!access) return table.error(f[5], access.error().message, access.error().hint);
      p.accesses.push_back(std::move(*access));
    }
    const std::string_view counted = f[6].text;
    if (counted != "wavefronts" && counted != "conflicts" && counted != "milliseconds" && counted != "latency")
      return table.error(f[6], "the counted quantity must be wavefronts, conflicts, milliseconds or latency");
    p.counted = counted == "wavefronts"     ? published_quantity::wavefronts
                : counted == "conflicts"    ? published_quantity::conflicts
                : counted == "milliseconds" ? published_quantity::milliseconds
                                            : published_quantity::latency;
    const auto unit = read_number(f[7].text), published = read_number(f[8].text);
    if (!unit || *unit <= 0)
      return table.error(f[7], "the published value must be a positive number, or two numbers separated by /");
    if (!published) return table.error(f[8], "expected a number");
    p.unit = *unit;
    p.published = *published;
    const auto source = std::find_if(t.sources.begin(), t.sources.end(),
                                     [&](const published_source& s) { return s.name == f[9].text; });
    if (source == t.sources.end())
      return table.error(f[9], formatted("there is no source '{}' in {}", f[9].text, sources_name));
    p.source = static_cast<std::size_t>(source - t.sources.begin());
    if (p.counted != published_quantity::latency && p.holds() == agreement::differs && p.note.empty())
      return table.error(f[8], "the number differs from the rule, but the row has no note that gives the reason");
    t.rows.push_back(std::move(p));
  }
  compare_latencies(t.rows);
  return t;
}

}  // namespace

result<published_table> read_published(std::string_view rows, const std::string& rows_name, std::string_view sources,
                                       const std::string& sources_name) {
  return read_rows(rows, rows_name, sources, sources_name, {});
}

result<published_table> published_table_of_this(std::string_view arch) {
  return read_rows(published_accesses(), "data/published/accesses.csv", published_sources(),
                   "data/published/sources.csv", arch);
}

std::string summary(const published_table& t, std::string_view arch, std::optional<rule_group> group) {
  std::size_t rows = 0, equal = 0, near = 0, in_order = 0, differ = 0;
  std::set<std::size_t> sources;
  for (const published_access& p : t.rows) {
    if (p.arch != arch) continue;
    // A sum over several groups of operations does not show the cost of one group.
    if (group && !std::all_of(p.accesses.begin(), p.accesses.end(),
                              [&](const named_access& a) { return group_of(a.what.op) == *group; }))
      continue;
    ++rows;
    sources.insert(p.source);
    const agreement a = p.holds();
    ++(a == agreement::equal ? equal : a == agreement::near ? near : a == agreement::in_order ? in_order : differ);
  }
  if (rows == 0) return "";
  const auto of = [](std::size_t n, const char* one, const char* more) {
    return formatted("{} {}", n, n == 1 ? one : more);
  };
  std::string s = formatted("{} of {}", of(rows, "row", "rows"), of(sources.size(), "source", "sources"));
  if (equal == rows) return formatted("{}, all equal", s);
  if (near == rows) return formatted("{}, all near", s);
  if (in_order == rows) return formatted("{}, all of them in the predicted order", s);
  std::string parts;
  const auto add = [&](std::size_t n, const std::string& what) {
    if (n != 0) parts += formatted("{}{} {}", parts.empty() ? ": " : ", ", n, what);
  };
  add(equal, "equal");
  add(near, "near");
  add(in_order, "in order");
  add(differ, differ == 1 ? "differs" : "differ");
  return s + parts;
}

std::string basis_of(const published_table& t, std::string_view arch, rule_group group, const rule_source& rule) {
  if (rule.level != evidence::published) return rule.source;
  const std::string rows = summary(t, arch, group);
  return rows.empty() ? rule.source : formatted("{}; {}", rows, rule.source);
}

std::string basis_of(const machine& m, operation op) {
  const rule_group group = group_of(op);
  const rule_source& rule = m.rules->by_group[static_cast<u32>(group)];
  if (rule.level != evidence::published) return rule.source;
  const auto t = published_table_of_this(m.name);
  return t ? basis_of(*t, m.name, group, rule) : rule.source;
}

}  // namespace bankwise
