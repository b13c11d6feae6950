#include "report/picture/card.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"
#include "expr/layout_change.hpp"
#include "expr/question.hpp"
#include "report/picture/picture.hpp"
#include "report/picture/svg_text.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

namespace {

constexpr int card_margin = 60, grid_top = 250, grid_height = 320, panel_width = 512, number_width = 32, panel_gap = 56;
constexpr int most_cell_height = 40;
constexpr std::size_t most_headline = 62, most_line = 120;  // limits in characters

constexpr const char* card_style = R"css(
.card{font:16px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;--paper:#fff;--ink:#1b2733;--soft:#52606d;--cell:#cfe2f3;--accent:#2b6ca3;--excess:#a63c06;--line:#dde3e8}
@media (prefers-color-scheme:dark){.card{--paper:#14191f;--ink:#e8edf2;--soft:#9fb0c0;--cell:#1f4668;--accent:#7db8e8;--excess:#e0793c;--line:#2c3640}}
.card .paper{fill:var(--paper)} .card text{fill:var(--ink)} .card .soft{fill:var(--soft)}
.card .headline{font-size:30px;font-weight:bold} .card .count{font-size:44px;font-weight:bold} .card .label{font-size:20px;fill:var(--soft)}
.card .mid{text-anchor:middle;font-size:10px;fill:var(--soft)} .card .end{text-anchor:end;font-size:10px;fill:var(--soft)}
.card .bank{fill:none;stroke:var(--line)} .card .cell{fill:var(--cell);stroke:var(--accent)} .card .more{fill:var(--excess);stroke:var(--paper)}
.card text.more{fill:var(--excess);stroke:none}
)css";
// The loop shows the access before the change for a quarter of the time, and the access after the change for another
// quarter. In the remaining time, the cells move.
constexpr const char* loop_style = R"css(
.card .moves{animation:slide 3s ease-in-out infinite;transform:translate(var(--x),var(--y))}
@keyframes slide{0%,25%{transform:translate(var(--x),var(--y));fill:var(--was)}50%,75%{transform:none;fill:var(--now)}100%{transform:translate(var(--x),var(--y));fill:var(--was)}}
.card .then{animation:go 3s ease-in-out infinite;opacity:0} .card .now{animation:come 3s ease-in-out infinite}
@keyframes go{0%,25%{opacity:1}45%,80%{opacity:0}100%{opacity:1}}
@keyframes come{0%,30%{opacity:0}50%,75%{opacity:1}95%,100%{opacity:0}}
@media (prefers-reduced-motion:reduce){.card .moves,.card .then,.card .now{animation:none;transform:none} .card .then{opacity:0}}
)css";

struct grid {
  picture p;
  double cell_width = 0, cell_height = 0;

  grid(const access_report& r, std::size_t rows, int width) : p(draw(r)) {
    cell_width = static_cast<double>(width - number_width) / p.banks;
    cell_height = std::min<double>(
        most_cell_height, static_cast<double>(grid_height) / static_cast<double>(std::max<std::size_t>(rows, 1)));
  }
  double x(u32 bank) const { return number_width + bank * cell_width; }
  double y(std::size_t wave) const { return static_cast<double>(wave) * cell_height; }
};

std::string rectangle(double x, double y, double width, double height, const std::string& kind,
                      const std::string& more = {}) {
  return "<rect" + svg_number("x", x) + svg_number("y", y) + svg_number("width", width) + svg_number("height", height) +
         " class=\"" + kind + "\"" + more + "/>\n";
}

// Draws a grid of banks with their numbers above it.
std::string banks_of(const grid& g, std::size_t rows) {
  std::string s;
  for (u32 bank = 0; bank < g.p.banks; ++bank) {
    s += rectangle(g.x(bank), 0, g.cell_width, g.y(rows), "bank");
    if (bank % std::max<u32>(1, g.p.banks / 8) == 0 || bank + 1 == g.p.banks)
      s += svg_text(g.x(bank) + g.cell_width / 2, -6, "mid", std::to_string(bank));
  }
  return s;
}

std::string wavefronts_text(const access_report& r) { return count_of(r.why.total.wavefronts, "wavefront"); }

std::string panel(const access_report& r, double left, const std::string& label) {
  const grid g(r, r.why.total.wavefronts, panel_width);
  std::string s = svg_text(left, grid_top - 48,
                           std::string("count") + (r.why.total.wavefronts > r.why.total.reachable ? " more" : ""),
                           wavefronts_text(r)) +
                  svg_text(left, grid_top - 96, "label", label) + "<g transform=\"translate(" + hundredths(left) + " " +
                  std::to_string(grid_top) + ")\">\n" + banks_of(g, g.p.waves.size());
  for (std::size_t w = 0; w < g.p.waves.size(); ++w) {
    if (g.cell_height >= 8)
      s += svg_text(number_width - 6, g.y(w) + g.cell_height / 2 + 4, "end", std::to_string(w + 1));
    for (const picture_cell& c : g.p.waves[w].cells)
      s += rectangle(g.x(c.bank), g.y(w), g.cell_width, g.cell_height, g.p.waves[w].excess ? "cell more" : "cell");
  }
  return s + "</g>\n";
}

struct place {
  u32 bank = 0;
  std::size_t wave = 0;
  bool excess = false;
};
// Returns the bank and the wavefront of each word of each lane.
std::array<std::vector<place>, lanes_per_warp> places_of(const picture& p) {
  std::array<std::vector<place>, lanes_per_warp> all;
  for (std::size_t w = 0; w < p.waves.size(); ++w)
    for (const picture_cell& c : p.waves[w].cells)
      for (u32 lane = 0; lane < lanes_per_warp; ++lane)
        if ((c.lanes >> lane & 1) != 0) all[lane].push_back({c.bank, w, p.waves[w].excess});
  return all;
}

std::string moving_panel(const access_report& before, const access_report& after) {
  const std::size_t rows = std::max(before.why.total.wavefronts, after.why.total.wavefronts);
  constexpr int width = card_width - 2 * card_margin;
  const grid from(before, rows, width), to(after, rows, width);
  std::string s = svg_text(card_margin, grid_top - 48, "count more then", wavefronts_text(before)) +
                  svg_text(card_margin, grid_top - 48, "count now", wavefronts_text(after)) +
                  "<g transform=\"translate(" + std::to_string(card_margin) + " " + std::to_string(grid_top) +
                  ")\">\n" + banks_of(to, rows);
  const auto a = places_of(from.p), b = places_of(to.p);
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    for (std::size_t i = 0; i < std::min(a[lane].size(), b[lane].size()); ++i) {
      const place &x = a[lane][i], &y = b[lane][i];
      s += rectangle(to.x(y.bank), to.y(y.wave), to.cell_width, to.cell_height,
                     y.excess ? "cell more moves" : "cell moves",
                     " style=\"--x:" + hundredths(from.x(x.bank) - to.x(y.bank)) +
                         "px;--y:" + hundredths(from.y(x.wave) - to.y(y.wave)) + "px;--was:var(--" +
                         (x.excess ? "excess" : "cell") + ");--now:var(--" + (y.excess ? "excess" : "cell") + ")\"");
    }
  return s + "</g>\n";
}

}  // namespace

std::string headline_of(const card& c) {
  if (!c.before) return verdict(c.shown);
  const std::uint64_t before = c.before->why.total.wavefronts, after = c.shown.why.total.wavefronts;
  const auto times = [](std::uint64_t more, std::uint64_t less) {
    const std::uint64_t tenths = (more * 10 + less / 2) / less;
    return std::to_string(tenths / 10) + (more % less == 0 ? "" : "." + std::to_string(tenths % 10));
  };
  const std::string what = before == after             ? "as many wavefronts"
                           : after == 0 || before == 0 ? count_of(after, "wavefront")
                           : after < before            ? times(before, after) + " times fewer wavefronts"
                                                       : times(after, before) + " times as many wavefronts";
  return what + ": " + c.change;
}

result<card> read_card(const flag_values& flags, access_report shown, const std::string& text,
                       const std::string& list_name, std::string command) {
  card c{std::move(shown), {}, {}, std::move(command)};
  if (!flags.has("pad") && !flags.has("swizzle")) return c;
  std::string title;
  const auto names = read_scope(without_change(flags));
  if (!names) return names.error();
  const auto change = read_layout(flags, *names, list_name.empty() ? text : "", title);
  if (!change) return change.error();
  if (change->every != 0)
    c.change = count_of(change->free_bytes, "free byte") + " after every " + grouped(change->every);
  if (change->permute)
    c.change += (c.change.empty() ? "" : ", ") + std::string("Swizzle<") + words_of(*change).swizzle + ">" +
                (change->arrays.empty() ? "" : " over elements");
  auto q = read_question(without_change(flags), text, list_name);
  if (!q) return q.error();
  c.before = report_access(std::move(*q));
  return c;
}

std::string to_svg(const card& c, card_form form) {
  const bool moves = form == card_form::loop && c.before;
  std::string s = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(card_width) + " " +
                  std::to_string(card_height) + "\" width=\"" + std::to_string(card_width) + "\" height=\"" +
                  std::to_string(card_height) + "\" class=\"card\" role=\"img\" aria-label=\"" +
                  svg_escaped(headline_of(c)) + "\">\n<style>" + card_style + (moves ? loop_style : "") +
                  "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  s += svg_text(card_margin, 76, "headline", shortened(headline_of(c), most_headline));
  s += svg_text(card_margin, 108, "soft",
                shortened((c.before ? c.before->title : c.shown.title) + ", " + c.shown.op.spelling, most_line));
  if (moves) {
    s += moving_panel(*c.before, c.shown);
  } else if (c.before) {
    s += panel(*c.before, card_margin, "before") + panel(c.shown, card_margin + panel_width + panel_gap, "after");
  } else {
    s += panel(c.shown, card_margin, "");
  }
  s += svg_text(card_margin, card_height - 62, "soft",
                "each row is a wavefront, and each column is a bank. A wavefront takes one word of each bank");
  s += svg_text(card_margin, card_height - 36, "soft",
                shortened(c.shown.on.name + " (" + c.shown.on.family + "), " + name_of(c.shown.rule.level) + ": " +
                              c.shown.rule.source,
                          most_line));
  s += svg_text(card_margin, card_height - 12, "soft", shortened(c.command, most_line));
  return s + "</svg>\n";
}

}  // namespace bankwise
