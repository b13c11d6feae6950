// Evidence as text and pictures for users.
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "base/text.hpp"
#include "evidence.hpp"
#include "report/table/text_table.hpp"

namespace bankwise::probe {

namespace {

const char* unit_of(quantity q) { return q == quantity::cycles ? "clocks" : "wavefronts"; }

std::string number(double value, quantity q) { return fixed(value, q == quantity::cycles ? 2 : 0); }

// Returns a text with the addresses of an access, such as "lanes 0-3 at 0, 8, 16, 24".
std::string spelled(const access& a) {
  std::string s = formatted("lanes {} at", lane_list(lanes_used(a)));
  bool first = true;
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if ((lanes_used(a) >> i & 1) == 0) continue;
    s += (first ? " " : ", ") + std::to_string(a.address[i]);
    first = false;
  }
  return s;
}

std::string rows_text(const std::vector<evidence_row>& rows, quantity q, const style& look) {
  std::size_t width = 0;
  for (const evidence_row& r : rows) width = std::max(width, r.operation.size());
  std::string s;
  for (const evidence_row& r : rows) {
    if (r.measured != q) continue;
    const bool good = r.holds == r.patterns;
    const std::string line = formatted("  {}  the rule holds on {} of {}", pad_right(r.operation, width),
                                       grouped(r.holds), grouped(r.patterns));
    s += formatted("{}\n", good ? look.good(line) : look.bad(line));
    if (r.smallest) {
      s += formatted("      the smallest: {}\n", spelled(r.smallest->what));
      s += formatted("      the rule gives {} {}, and the hardware takes {}\n", number(r.smallest->expected, q),
                     unit_of(q), number(r.smallest->measured, q));
    }
  }
  return s;
}

// Returns a line with the number of known cases for which the rule holds. If the rule does not hold for some of the
// cases, the rows of these cases follow.
std::string known_text(const std::vector<evidence_row>& rows, quantity q, const style& look) {
  std::uint64_t patterns = 0, holds = 0;
  std::vector<evidence_row> wrong;
  for (const evidence_row& r : rows) {
    if (r.measured != q) continue;
    patterns += r.patterns;
    holds += r.holds;
    if (r.holds != r.patterns) wrong.push_back(r);
  }
  if (patterns == 0) return "";
  const std::string line = formatted("  known cases: the rule holds on {} of {}", holds, patterns);
  return formatted("{}\n{}", wrong.empty() ? look.good(line) : look.bad(line), rows_text(wrong, q, look));
}

struct ladder {
  std::string operation;
  std::vector<latency_point> points;
  double first() const { return points.front().clocks; }
  double each() const {
    const u32 more = points.back().wavefronts - points.front().wavefronts;
    return more == 0 ? 0 : (points.back().clocks - first()) / more;
  }
};

std::vector<ladder> ladders_of(const gpu_evidence& e) {
  std::vector<ladder> all;
  for (const latency_point& p : e.latencies) {
    if (all.empty() || all.back().operation != p.operation) all.push_back({p.operation, {}});
    all.back().points.push_back(p);
  }
  return all;
}

}  // namespace

std::string to_text(const gpu_evidence& e, const style& look) {
  std::string s =
      formatted("{}, sm_{}, {} multiprocessors, driver {}.{}; compared with the rule for {}\n", look.strong(e.on.name),
                e.on.sm, e.on.multiprocessors, e.on.driver / 1000, e.on.driver % 1000 / 10, e.rule);
  const auto by = [&](quantity q, const char* title) {
    const auto has = [&](const evidence_row& r) { return r.measured == q; };
    if (std::none_of(e.random.begin(), e.random.end(), has) && std::none_of(e.known.begin(), e.known.end(), has))
      return;
    s += formatted("\n{}\n{}{}", title, known_text(e.known, q, look), rows_text(e.random, q, look));
  };
  by(quantity::cycles, "Measured in clocks, with accesses that keep the shared-memory pipe busy");
  by(quantity::wavefronts, "Measured by the hardware's counter of wavefronts");
  if (!e.latencies.empty()) {
    text_table table{{{"operation", "wavefronts", "latency", "each further wavefront"}}, 1, 0};
    for (const ladder& l : ladders_of(e))
      table.rows.push_back({l.operation, std::to_string(l.points.front().wavefronts), fixed(l.first(), 1),
                            l.points.size() > 1 ? fixed(l.each(), 2) : "-"});
    s += formatted("\nLatency in clocks for a single warp\n{}", table.text(look));
  }
  if (e.found) s += formatted("\nMeasured without using the rule\n{}", to_text(*e.found));
  for (const std::string& note : e.notes) s += formatted("\nnote: {}\n", note);
  return s;
}

std::string latency_svg(const gpu_evidence& e) {
  constexpr int left = 56, top = 20, width = 560, height = 320, right = 150, bottom = 46;
  double most_x = 1, most_y = 1;
  for (const latency_point& p : e.latencies) {
    most_x = std::max<double>(most_x, p.wavefronts);
    most_y = std::max(most_y, p.clocks);
  }
  const double step_y = most_y > 400 ? 100 : most_y > 200 ? 50 : most_y > 80 ? 20 : 10;
  most_y = (static_cast<int>(most_y / step_y) + 1) * step_y;
  const auto x = [&](double v) { return fixed(left + v / most_x * width, 1); };
  const auto y = [&](double v) { return fixed(top + height - v / most_y * height, 1); };
  const std::string size = formatted("0 0 {} {}", left + width + right, top + height + bottom);
  std::string s = formatted(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{}\" role=\"img\" aria-label=\"latency over "
      "wavefronts\">\n<style>svg{{background:#fff;color:#222;font:12px "
      "system-ui,sans-serif}}text{{fill:currentColor}}.grid{{stroke:#8884}}.line,.to{{fill:none}}.line{{stroke-width:2}}.to{{opacity:.6}}path.moves{{stroke:#1f5fbf}}text.moves{{fill:#1f5fbf}}path.updates{{stroke:#b4410e}}text.updates{{fill:#b4410e}}@media(prefers-color-scheme:dark){{svg{{background:#16181c;color:#ddd}}path.moves{{stroke:#7db3ff}}text.moves{{fill:#7db3ff}}path.updates{{stroke:#ffab70}}text.updates{{fill:#ffab70}}}}</style>\n",
      size);
  for (double v = 0; v <= most_y; v += step_y)
    s += formatted(
        "<path class=\"grid\" d=\"M{} {}H{}\"/><text x=\"{}\" y=\"{}\" dy=\".35em\" "
        "text-anchor=\"end\">{}</text>\n",
        x(0), y(v), x(most_x), left - 8, y(v), fixed(v, 0));
  for (double v = 1; v <= most_x; v *= 2)
    s += formatted("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(v), top + height + 18, fixed(v, 0));
  s += formatted(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">wavefronts</text><text x=\"4\" "
      "y=\"12\">clocks</text>\n",
      x(most_x / 2), top + height + 38);
  const std::vector<ladder> all = ladders_of(e);
  // The position of each line's end, where its name is written. Names that are too close to each other are moved apart.
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t i = 0; i < all.size(); ++i)
    ends.emplace_back(top + height - all[i].points.back().clocks / most_y * height, i);
  std::sort(ends.begin(), ends.end());
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i].first = std::max(ends[i].first, ends[i - 1].first + 13);
  for (const auto& [at, i] : ends) {
    // There are only two colours, because nobody can distinguish a dozen colours. So the name of a line is next to its
    // end.
    const std::string& name = all[i].operation;
    const bool updates = name.starts_with("atom") || name.starts_with("red") || name.starts_with("popc");
    const std::string color = updates ? "updates" : "moves";
    std::string path;
    for (const latency_point& p : all[i].points)
      path += formatted("{}{} {}", path.empty() ? "M" : "L", x(p.wavefronts), y(p.clocks));
    const latency_point& last = all[i].points.back();
    s += formatted(
        "<path class=\"line {}\" d=\"{}\"/><path class=\"to {}\" d=\"M{} {}L{} {}\"/><text class=\"{}\" "
        "x=\"{}\" y=\"{}\" dy=\".35em\">{}</text>\n",
        color, path, color, x(last.wavefronts), y(last.clocks), left + width + 12, fixed(at, 1), color,
        left + width + 14, fixed(at, 1), name);
  }
  return formatted("{}</svg>\n", s);
}

}  // namespace bankwise::probe
