#include "source/declared_array.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "expr/parse/declaration.hpp"
#include "source/reader.hpp"

namespace bankwise::source {

namespace {

// Returns the type of an alias that is defined before this position: `typedef int site_t;` or `using site_t = int;`.
// Returns the name itself if there is no such alias, or if there are several.
std::string meant_type(const reader& r, std::string name, std::size_t before) {
  const auto& t = r.all();
  for (int depth = 0; depth < 4; ++depth) {
    std::vector<std::string> meant;
    for (std::size_t i = 0; i + 3 < before; ++i) {
      const bool is_using = t[i].spelled == "using" && t[i + 1].spelled == name && t[i + 2].spelled == "=";
      if (!is_using && t[i].spelled != "typedef") continue;
      const std::size_t from = is_using ? i + 3 : i + 1;
      std::size_t stop = from;
      while (stop < before && (t[stop].is == reader::kind::word || t[stop].spelled == "::")) ++stop;
      if (stop >= before || t[stop].spelled != ";" || (!is_using && t[stop - 1].spelled != name)) continue;
      const std::size_t last = is_using ? stop - 1 : stop - 2;
      if (last >= from) meant.push_back(r.text(from, last));
    }
    if (meant.empty() || std::any_of(meant.begin(), meant.end(), [&](const auto& m) { return m != meant[0]; })) break;
    name = meant[0];
  }
  return name;
}

declared_array declared_of(const reader& r, const declaration& d) {
  declared_array a;
  a.name = r.all()[d.name].spelled;
  a.type = meant_type(r, d.type, d.word);
  a.at = r.all()[d.name].at;
  a.line = r.all()[d.name].line;
  for (const auto& [first, last] : d.extent) a.extents.push_back(r.text(first, last));
  return a;
}
}  // namespace

std::optional<declared_array> find_declared(std::string_view source, const std::string& name,
                                            const std::vector<std::uint32_t>& lines) {
  const reader r(source);
  std::optional<declared_array> best;
  std::size_t most = 0;
  for (const declaration& d : r.declarations(name)) {
    const std::uint32_t from = r.all()[d.word].line;
    const std::uint32_t to = d.close < r.all().size() ? r.all()[d.close].line : ~0u;
    const auto inside = static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](std::uint32_t line) { return line >= from && line <= to; }));
    if (inside == 0 || inside < most) continue;
    most = inside;
    best = declared_of(r, d);
  }
  return best;
}

std::optional<expr::array_decl> plain_shape(const declared_array& d, std::uint64_t bytes) {
  // If the only extent is not a number, the extent follows from the size of the array and the size of the type.
  if (d.extents.size() == 1 && !plain_number(d.extents[0])) {
    const auto one = expr::parse_array(formatted("{} {}[1]", d.type, d.name), {});
    if (!one || bytes == 0 || bytes % one->element_bytes != 0) return std::nullopt;
    expr::array_decl a = *one;
    a.extents = {bytes / a.element_bytes};
    return a;
  }
  expr::array_decl a;
  a.name = d.name;
  a.type = d.type;
  std::uint64_t count = 1;
  for (const std::string& extent : d.extents) {
    const auto n = plain_number(extent);
    if (!n || *n == 0 || *n > bytes / count) return std::nullopt;
    count *= *n;
    a.extents.push_back(*n);
  }
  if (a.extents.empty() || bytes % count != 0 || bytes / count > 1024) return std::nullopt;
  a.element_bytes = static_cast<std::uint32_t>(bytes / count);
  return a;
}

bool joins_elements(std::string_view source, const declared_array& d) {
  const reader r(source);
  for (const declaration& one : r.declarations(d.name)) {
    if (r.all()[one.name].at != d.at) continue;
    const std::vector<use> uses = r.uses(one);
    return std::none_of(uses.begin(), uses.end(), [&](const use& u) {
      if (r.all()[u.name - 1].spelled != "&") return false;
      const std::size_t open = r.call_around(u.name - 1).second;
      return open == 0 || !r.only_dereferenced(u, open);
    });
  }
  return false;
}

std::vector<kept_element> kept_elements(std::string_view source, const declared_array& d) {
  const reader r(source);
  const auto& t = r.all();
  std::vector<kept_element> kept;
  for (const declaration& one : r.declarations(d.name)) {
    if (t[one.name].at != d.at) continue;
    // key: text of the index; value: lines of stores
    std::map<std::string, std::vector<std::uint32_t>> stored;
    for (const use& u : r.uses(one)) {
      if (u.index.empty() || u.end >= t.size()) continue;
      const std::string_view before = t[u.name - 1].spelled, after = t[u.end].spelled;
      const std::string index = r.text(u.name + 1, u.end - 1);
      const bool steps = before == "++" || before == "--" || after == "++" || after == "--";
      const bool updates = steps || (after.size() >= 2 && after.ends_with('=') && after != "==" && after != "!=" &&
                                     after != "<=" && after != ">=");
      if (updates)
        kept.push_back({t[u.name].line, t[u.name].line});
      else if (after == "=")
        stored[index].push_back(t[u.name].line);
      else
        for (const std::uint32_t line : stored[index]) kept.push_back({t[u.name].line, line});
    }
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}
}  // namespace bankwise::source
