// Compares published numbers with the rule. Each row is a question like those of `bankwise explain`: its columns are
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

// data/published/, embedded by src/CMakeLists.txt.
std::string_view published_accesses();
std::string_view published_sources();

namespace {

constexpr double near_counts = 0.03, near_times = 0.10;

// Reads the lines of a table that must have exactly these columns, in this order.
class rows_of {
 public:
  rows_of(std::string_view text, const std::string& name, std::vector<std::string_view> columns)
      : csv_(text, name), columns_(std::move(columns)) {}

  // The next line; empty at the end.
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
        return csv_.error("wrong columns for this table", "expected " + all);
      }
      begun_ = true;
    }
    auto fields = csv_.next();
    if (!fields) return fields.error();
    if (!*fields) return std::vector<csv_field>{};
    if ((*fields)->size() != columns_.size())
      return csv_.error(formatted("this line has {} fields, the header has {}", (*fields)->size(), columns_.size()));
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

// "12.5", or "1395.27/16".
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
    for (const std::size_t i : {0u, 1u, 2u})
      if (f[i].text.empty()) return table.error(f[i], "a source needs a name, a title and an address");
    if (!f[2].text.starts_with("https://")) return table.error(f[2], "expected an address that begins with https://");
    for (const published_source& s : all)
      if (s.name == f[0].text) return table.error(f[0], "a source with this name already exists");
    all.push_back({std::string(f[0].text), std::string(f[1].text), std::string(f[2].text), std::string(f[3].text)});
  }
}

}  // namespace

double published_access::rule() const {
  double count = 0;
  for (const named_access& a : accesses) {
    const explanation e = explain(a.what, a.on.model);
    count += e.total.wavefronts - (counted == published_quantity::conflicts ? e.phases : 0);
  }
  return count * unit;
}

agreement published_access::holds() const {
  const double off = std::fabs(published - rule());
  if (counted == published_quantity::milliseconds)
    return off <= near_times * rule() ? agreement::near : agreement::differs;
  if (off == 0) return agreement::equal;
  double wavefronts = 0;
  for (const named_access& a : accesses) wavefronts += analyze(a.what, a.on.model).wavefronts * unit;
  return off <= near_counts * wavefronts ? agreement::near : agreement::differs;
}

result<published_table> read_published(std::string_view rows, const std::string& rows_name, std::string_view sources,
                                       const std::string& sources_name) {
  published_table t;
  auto known = read_sources(sources, sources_name);
  if (!known) return known.error();
  t.sources = std::move(*known);
  rows_of table(rows, rows_name,
                {"arch", "gpu", "op", "type", "where", "access", "counted", "unit", "published", "source", "note"});
  for (;;) {
    const auto row = table.next();
    if (!row) return row.error();
    if (row->empty()) return t;
    const auto& f = *row;
    published_access p;
    p.arch = f[0].text;
    p.gpu = f[1].text;
    p.note = f[10].text;
    if (p.gpu.empty()) return table.error(f[1], "the GPU is missing: each row must name it");
    const std::vector<std::string> ops = parts_of(f[2].text), texts = parts_of(f[5].text);
    if (ops.size() != texts.size()) return table.error(f[5], "expected one access for each operation, separated by ;");
    for (std::size_t i = 0; i < ops.size(); ++i) {
      flag_values asked;
      asked.values = {{"arch", {p.arch}}, {"op", {ops[i]}}, {"type", {std::string(f[3].text)}}};
      if (!f[4].text.empty()) asked.values["where"] = {std::string(f[4].text)};
      auto access = read_question(asked, texts[i]);
      if (!access) return table.error(f[5], access.error().message, access.error().hint);
      p.accesses.push_back(std::move(*access));
    }
    const std::string_view counted = f[6].text;
    if (counted != "wavefronts" && counted != "conflicts" && counted != "milliseconds")
      return table.error(f[6], "expected wavefronts, conflicts or milliseconds");
    p.counted = counted == "wavefronts"  ? published_quantity::wavefronts
                : counted == "conflicts" ? published_quantity::conflicts
                                         : published_quantity::milliseconds;
    const auto unit = read_number(f[7].text), published = read_number(f[8].text);
    if (!unit || *unit <= 0) return table.error(f[7], "expected a number, or one through another");
    if (!published) return table.error(f[8], "expected a number");
    p.unit = *unit;
    p.published = *published;
    const auto source = std::find_if(t.sources.begin(), t.sources.end(),
                                     [&](const published_source& s) { return s.name == f[9].text; });
    if (source == t.sources.end()) return table.error(f[9], formatted("no source '{}' in {}", f[9].text, sources_name));
    p.source = static_cast<std::size_t>(source - t.sources.begin());
    if (p.holds() == agreement::differs && p.note.empty())
      return table.error(f[8], "this differs from the rule, and the row has no note that explains why");
    t.rows.push_back(std::move(p));
  }
}

result<published_table> published_table_of_this() {
  return read_published(published_accesses(), "data/published/accesses.csv", published_sources(),
                        "data/published/sources.csv");
}

std::string summary(const published_table& t, std::string_view arch) {
  std::size_t rows = 0, equal = 0, near = 0, differ = 0;
  std::set<std::size_t> sources;
  for (const published_access& p : t.rows) {
    if (p.arch != arch) continue;
    ++rows;
    sources.insert(p.source);
    const agreement a = p.holds();
    ++(a == agreement::equal ? equal : a == agreement::near ? near : differ);
  }
  if (rows == 0) return "";
  const auto of = [](std::size_t n, const char* one, const char* more) {
    return std::to_string(n) + " " + (n == 1 ? one : more);
  };
  std::string s = formatted("{} of {}", of(rows, "row", "rows"), of(sources.size(), "source", "sources"));
  if (equal == rows) return s + ", all equal";
  std::string parts;
  const auto add = [&](std::size_t n, const std::string& what) {
    if (n != 0) parts += (parts.empty() ? ": " : ", ") + std::to_string(n) + " " + what;
  };
  add(equal, "equal");
  add(near, "near");
  add(differ, differ == 1 ? "differs" : "differ");
  return s + parts;
}

}  // namespace bankwise
