// A picture as SVG: for the page, for a phone, or as a separate file. Each element must be on its own line, because
// redraw.ts depends on this.
#include <algorithm>

#include "base/text.hpp"
#include "report/picture/picture.hpp"
#include "report/picture/svg_text.hpp"

namespace bankwise {

namespace {

// The dark colours of a separate file. A page has its own dark colours.
constexpr std::string_view dark_style =
    "@media(prefers-color-scheme:dark){.bw{--bw-ink:#e4e7eb;--bw-paper:#14171b;--bw-soft:#a3acb7;--bw-line:#444c56;"
    "--bw-cell:#1d3a5a;--bw-accent:#6ea8e6;--bw-excess:#ffab70;--bw-on-excess:#1b1206}}\n";

// Lengths in units of the viewBox. One unit is a CSS pixel if the picture is not scaled.
struct metrics {
  int left;        // x position of the first bank, to the right of the row numbers
  int lane_width;  // width of a box in the row of lanes
  int lane_height;
  int cell_width;  // width of a bank's column
  int cell_height;
  int header_step;  // number of banks between two numbers in the header
  bool one_character;
};

metrics metrics_of(const picture& p, svg_form form) {
  const int banks = static_cast<int>(p.banks);
  if (form == svg_form::narrow) return {30, 10, 16, std::clamp(324 / banks, 10, 22), 16, banks > 15 ? 4 : 1, true};
  if (form == svg_form::beside) return {36, 22, 18, std::clamp(416 / banks, 13, 22), 12, 1, false};
  if (banks > 32) return {54, 22, 18, 12, 18, 8, true};
  return {54, 22, 18, 22, 18, 1, false};
}

std::string attribute(const char* name, int value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

std::string text_at(int x, int y, const char* kind, std::string_view text) {
  return "<text" + attribute("x", x) + attribute("y", y) + " class=\"" + kind + "\">" + svg_escaped(text) + "</text>";
}

// A cell: a box with the lowest lane of a word. If several lanes share the word, the box has a notch.
struct cell {
  u32 lanes, bank, word, words;
  std::string waves;  // indices of wavefronts, separated by spaces; the first wavefront is 0
  bool excess;
};

class drawing {
 public:
  drawing(const picture& p, const access_report& r, svg_form form)
      : p_(p),
        r_(r),
        form_(form == svg_form::beside && p.banks > 32 ? svg_form::wide : form),
        m_(metrics_of(p, form_)) {
    const int grid = m_.left + m_.cell_width * static_cast<int>(p.banks);
    width_ = std::max(m_.left + m_.lane_width * 32, is_beside() ? 2 * grid : grid) + 6;
    if (form_ == svg_form::narrow) width_ = std::max(width_, 360);
  }

  std::string text() {
    if (form_ == svg_form::file) title();
    lanes();
    if (is_beside()) {
      const int top = y_;
      waves();
      const int end = y_;
      x_ = width_ / 2;
      y_ = top;
      words();
      y_ = std::max(y_, end) + 4;
    } else {
      waves();
      words();
      y_ += 8;
      legend(8);
      y_ += 20;
    }
    const std::string size = " viewBox=\"0 0 " + std::to_string(width_) + " " + std::to_string(y_) + "\"";
    std::string s = std::string("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bw") +
                    (is_beside() ? " bw-beside\"" : "\"") + size + attribute("width", width_) +
                    attribute("height", y_) + " role=\"img\" aria-label=\"" + svg_escaped(verdict(r_)) + "\">\n";
    if (form_ == svg_form::file)
      s += "<style>" + svg_style() + std::string(dark_style) +
           "</style>\n<rect class=\"bw-page\" width=\"100%\" height=\"100%\"/>\n";
    return s + out_ + "</svg>\n";
  }

 private:
  std::string lane_name(u32 lane) const {
    return m_.one_character ? std::string(1, lane_character(lane)) : std::to_string(lane);
  }
  bool is_beside() const { return form_ == svg_form::beside; }
  int left() const { return x_ + m_.left; }
  int bank_x(u32 bank) const { return left() + static_cast<int>(bank) * m_.cell_width; }
  // Returns a tooltip for a separate file. A page shows a sentence next to the pointer instead.
  std::string tip(const std::string& text) const {
    return form_ == svg_form::file ? "<title>" + text + "</title>" : "";
  }

  // Breaks a text into lines at spaces, because SVG has no line breaks.
  void lines(const char* kind, std::string_view text, int character_width, int line_height) {
    const auto room = static_cast<std::size_t>((width_ - 16) / character_width);
    while (!text.empty()) {
      std::size_t cut = text.size() <= room ? text.size() : text.rfind(' ', room);
      if (cut == std::string_view::npos || cut == 0) cut = std::min(room, text.size());
      out_ += text_at(8, y_, kind, text.substr(0, cut)) + "\n";
      y_ += line_height;
      text.remove_prefix(cut);
      text = trim(text);
    }
  }

  void title() {
    y_ = 24;
    lines("bw-title", verdict(r_), 9, 18);
    lines("bw-note", r_.title + "   " + r_.op.spelling + "   " + r_.on.name + " (" + r_.on.family + ")", 6, 14);
    y_ -= 4;
  }

  void heading(std::string_view what, std::string_view about) {
    y_ += 6;
    out_ += text_at(x_ + 8, y_ + 12, "bw-head", what) + "\n";
    out_ += text_at(x_ + 8 + 7 * static_cast<int>(what.size()) + 10, y_ + 12, "bw-note", about) + "\n";
    y_ += 20;
  }

  // --- the row of lanes
  void lanes() {
    heading("lanes", form_ == svg_form::narrow ? "a-v are 10-31"
                     : is_beside()             ? ""
                                               : "of the warp, divided into the phases that are served together");
    if (is_beside()) {
      y_ -= 19;
      legend(100);
      y_ += 19;
    }
    out_ += "<g class=\"bw-lanes\">\n";
    for (u32 lane = 0; lane < 32; ++lane) {
      const bool on = (p_.lanes >> lane & 1) != 0, retried = (p_.retried >> lane & 1) != 0;
      const int x = m_.left + static_cast<int>(lane) * m_.lane_width;
      out_ += std::string("<g class=\"bw-lane") + (on ? "" : " off") + (retried ? " retried" : "") +
              "\" data-lanes=\"" + hex(1u << lane) + "\">" +
              tip("lane " + std::to_string(lane) +
                  (!on       ? ": inactive"
                   : retried ? ": another lane uses the bank, so this lane retries"
                             : ": byte " + std::to_string(r_.what.address[lane]))) +
              box(x, y_, m_.lane_width, m_.lane_height) + label(x, y_, m_.lane_width, m_.lane_height, lane_name(lane)) +
              "</g>\n";
    }
    y_ += m_.lane_height + 4;
    // A wide access is split into phases with the same lanes. These phases share a bracket.
    for (std::size_t i = 0; i < p_.phases.size();) {
      std::size_t j = i + 1;
      while (j < p_.phases.size() && p_.phases[j].lanes == p_.phases[i].lanes) ++j;
      u32 last = 31;
      while ((p_.phases[i].lanes >> last & 1) == 0) --last;
      const int from = m_.left + static_cast<int>(first_lane(p_.phases[i].lanes)) * m_.lane_width + 2;
      const int to = m_.left + (static_cast<int>(last) + 1) * m_.lane_width - 3;
      const std::string name =
          (j - i > 1 ? "phases " + std::to_string(i) + "-" + std::to_string(j - 1) : "phase " + std::to_string(i)) +
          (p_.phases[i].merged ? ", merged" : "");
      out_ +=
          "<path class=\"bw-line\" d=\"M" + std::to_string(from) + " " + std::to_string(y_) + "v3H" +
          std::to_string(to) + "v-3" +
          (p_.phases[i].merged ? "M" + std::to_string(from) + " " + std::to_string(y_ + 6) + "H" + std::to_string(to)
                               : "") +
          "\"/>\n";
      // A phase with few lanes has only room for its number, not for its name.
      const bool room = to - from > static_cast<int>(name.size()) * (form_ == svg_form::narrow ? 5 : 6);
      out_ += text_at((from + to) / 2, y_ + 16, "bw-mid", room ? name : std::to_string(i)) + "\n";
      i = j;
    }
    out_ += "</g>\n";
    y_ += 20;
  }

  // --- the grid of words
  void words() {
    heading("words", form_ == svg_form::narrow ? "where the words are: bank, byte"
                     : is_beside()             ? "where the words are: the number of a row is its first byte"
                                   : "where the words are: a column is a bank, and the number of a row is its first "
                                     "byte");
    out_ += "<g class=\"bw-words\">\n";
    bank_numbers();
    for (const picture_row& row : p_.rows) {
      if (row.skipped != 0 && &row != &p_.rows.front()) {
        out_ += text_at(left() + 2, y_ + 11, "bw-note",
                        "... " + grouped(row.skipped) + (row.skipped == 1 ? " row" : " rows") + " further") +
                "\n";
        y_ += 16;
      }
      out_ +=
          text_at(left() - 5, y_ + number_drop(), "bw-num", std::to_string(u64{row.row} * p_.banks * p_.bank_bytes)) +
          "\n";
      idle_banks();
      out_ += "\n";
      for (const picture_word& w : row.words) {
        std::string waves;
        for (const u32 wave : w.waves) waves += (waves.empty() ? "" : " ") + std::to_string(wave);
        draw_cell({w.lanes, w.word % p_.banks, w.word, 1, waves, w.excess});
      }
      y_ += m_.cell_height;
    }
    out_ += "</g>\n";
  }

  // --- the grid of wavefronts
  void waves() {
    heading("wavefronts", form_ == svg_form::narrow ? "when the words are served"
                          : is_beside()             ? "each row is one wavefront, and time runs downwards"
                                        : "when the words are served: each row is one wavefront, and time runs "
                                          "downwards");
    out_ += "<g class=\"bw-time\">\n";
    bank_numbers();
    for (u32 i = 0; i < p_.waves.size(); ++i) {
      const picture_wave& wave = p_.waves[i];
      phase_heading(i);
      out_ += "<g class=\"bw-wave\" data-wave=\"" + std::to_string(i) + "\">" +
              text_at(left() - 5, y_ + number_drop(), wave.excess ? "bw-num bw-more" : "bw-num",
                      std::to_string(i + 1) + (wave.excess ? "!" : ""));
      idle_banks();
      out_ += "</g>\n";
      for (const picture_cell& c : wave.cells)
        draw_cell({c.lanes, c.bank, c.word, c.words, std::to_string(i), wave.excess});
      y_ += m_.cell_height;
    }
    out_ += "</g>\n";
  }

  void phase_heading(u32 wave) {
    std::string name;
    if (p_.overlapping) {
      name = wave == 0 ? "set-up" : wave == 1 ? "all phases together" : "";
    } else {
      for (std::size_t k = 0; k < p_.phases.size(); ++k)
        if (const picture_phase& ph = p_.phases[k]; ph.first_wave == wave && ph.waves != 0)
          name = "phase " + std::to_string(k) + (ph.merged ? ", merged: " : ": ") + lane_words(ph.lanes);
    }
    if (name.empty() || (p_.phases.size() == 1 && !p_.overlapping)) return;
    if (form_ == svg_form::narrow && name.size() > 56) name = name.substr(0, 53) + "...";
    out_ += text_at(left() + 2, y_ + 12, "bw-note", name) + "\n";
    y_ += 16;
  }

  // --- parts of both grids
  void bank_numbers() {
    for (u32 bank = 0; bank < p_.banks; bank += static_cast<u32>(m_.header_step))
      out_ += text_at(bank_x(bank) + m_.cell_width / 2, y_ + 9, "bw-mid", std::to_string(bank)) + "\n";
    out_ += text_at(left() - 5, y_ + 9, "bw-num", "bank") + "\n";
    y_ += 13;
  }

  // Draws a dot for every bank of a row. All dots together are one dashed line.
  void idle_banks() {
    const int step = m_.cell_width;
    out_ += "<path class=\"bw-idle\" d=\"M" + std::to_string(bank_x(0) + step / 2) + " " +
            std::to_string(y_ + m_.cell_height / 2) + "H" + std::to_string(bank_x(p_.banks - 1) + step / 2 + 1) +
            "\" stroke-dasharray=\"0 " + std::to_string(step) + "\"/>";
  }

  static std::string box(int x, int y, int width, int height) {
    return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width - 1) +
           attribute("height", height - 1) + "/>";
  }
  static std::string label(int x, int y, int width, int height, const std::string& text) {
    return "<text" + attribute("x", x + (width - 1) / 2) + attribute("y", y + height - (height > 14 ? 5 : 3)) + ">" +
           text + "</text>";
  }
  // Returns the distance from the top of a row to the bottom of its number.
  int number_drop() const { return m_.cell_height > 14 ? 13 : 9; }

  // The position is an attribute of the group, so that a cell can move without a new drawing.
  void draw_cell(const cell& c) {
    const int right = m_.cell_width - 1;
    const bool shared = (c.lanes & (c.lanes - 1)) != 0;
    const u64 first_byte = u64{c.word} * p_.bank_bytes;
    std::string waves;  // here the first wavefront is 1
    for (const std::string_view w : split(c.waves, ' '))
      waves += (waves.empty() ? "" : ", ") + std::to_string(parse_u64(w).value_or(0) + 1);
    out_ += std::string("<g class=\"bw-cell") + (c.excess ? " excess" : "") + "\" data-lanes=\"" + hex(c.lanes) +
            "\" data-wave=\"" + c.waves + "\" data-bank=\"" + std::to_string(c.bank) + "\" data-word=\"" +
            std::to_string(c.word) + "\" transform=\"translate(" + std::to_string(bank_x(c.bank)) + " " +
            std::to_string(y_) + ")\">" +
            tip(lane_words(c.lanes) + ": " +
                (c.words > 1 ? std::to_string(c.words) + " words of one row"
                             : "word " + std::to_string(c.word) + ", bytes " + std::to_string(first_byte) + "-" +
                                   std::to_string(first_byte + p_.bank_bytes - 1)) +
                ", bank " + std::to_string(c.bank) + ", wavefront " + waves) +
            box(0, 0, m_.cell_width, m_.cell_height) +
            label(0, 0, m_.cell_width, m_.cell_height, lane_name(first_lane(c.lanes)));
    if (shared) out_ += "<path class=\"bw-notch\" d=\"M" + std::to_string(right) + " 0v5l-5-5z\"/>";
    out_ += "</g>\n";
  }

  void legend(const int begin) {
    bool shared = false, excess = false;
    for (const picture_wave& w : p_.waves) {
      excess |= w.excess;
      for (const picture_cell& c : w.cells) shared |= (c.lanes & (c.lanes - 1)) != 0;
    }
    for (const picture_row& r : p_.rows)
      for (const picture_word& w : r.words) shared |= (w.lanes & (w.lanes - 1)) != 0;
    int x = begin;
    const auto item = [&](const char* kind, bool notch, std::string_view what) {
      const int needed = 20 + static_cast<int>(what.size()) * 6 + 12;
      if (x != begin && x + needed > width_) x = begin, y_ += 18;
      out_ +=
          std::string("<g class=\"") + kind + "\">" + "<rect" + attribute("x", x) + attribute("y", y_) +
          " width=\"14\" height=\"13\"/>" +
          (notch ? "<path class=\"bw-notch\" d=\"M" + std::to_string(x + 14) + " " + std::to_string(y_) + "v5l-5-5z\"/>"
                 : "") +
          "</g>\n" + text_at(x + 20, y_ + 11, "bw-note", what) + "\n";
      x += needed;
    };
    item("bw-key", false, "a lane gets its word");
    if (shared) item("bw-key", true, "several lanes share the word");
    if (excess) item("bw-key excess", false, "!  more wavefronts than the words need");
  }

  const picture& p_;
  const access_report& r_;
  svg_form form_;
  metrics m_;
  int width_ = 0, x_ = 0, y_ = 0;
  std::string out_;
};

}  // namespace

std::string to_svg(const picture& p, const access_report& r, svg_form form) { return drawing(p, r, form).text(); }

// Returns the style sheet. Normal cells are light and excess cells are dark, so that they differ even in black and
// white.
std::string svg_style() {
  return R"css(.bw{font:10px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--bw-ink,#1b2733)}
.bw text{fill:currentColor}
.bw .bw-page{fill:var(--bw-paper,#fff)}
.bw-beside .bw-cell,.bw-beside .bw-num{font-size:9px}
.bw .bw-title{font-size:14px;font-weight:bold}
.bw .bw-head{font-size:12px;font-weight:bold}
.bw .bw-note{fill:var(--bw-soft,#52606d)}
.bw .bw-mid{text-anchor:middle;font-size:9px;fill:var(--bw-soft,#52606d)}
.bw .bw-num{text-anchor:end;fill:var(--bw-soft,#52606d)}
.bw .bw-more{fill:var(--bw-excess,#a63c06);font-weight:bold}
.bw .bw-line{fill:none;stroke:var(--bw-soft,#52606d)}
.bw .bw-idle{fill:none;stroke:var(--bw-line,#b8c2cc);stroke-width:2;stroke-linecap:round}
.bw .bw-cell rect,.bw .bw-lane rect,.bw .bw-key rect{fill:var(--bw-cell,#cfe2f3);stroke:var(--bw-accent,#2b6ca3);stroke-width:.75}
.bw .bw-cell text,.bw .bw-lane text{text-anchor:middle}
.bw .bw-notch{fill:var(--bw-accent,#2b6ca3)}
.bw .excess rect{fill:var(--bw-excess,#a63c06);stroke:var(--bw-excess,#a63c06)}
.bw .excess text{fill:var(--bw-on-excess,#fff);font-weight:bold}
.bw .excess .bw-notch{fill:var(--bw-on-excess,#fff)}
.bw .off rect{fill:none;stroke:var(--bw-line,#b8c2cc)}
.bw .off text{fill:var(--bw-soft,#52606d)}
.bw .retried rect{fill:none;stroke-dasharray:2 2}
.bw.bw-dim .bw-cell:not(.on) rect,.bw.bw-dim .bw-lane:not(.on) rect{fill:var(--bw-paper,#fff);stroke:var(--bw-line,#b8c2cc)}
.bw.bw-dim .bw-cell:not(.on) text,.bw.bw-dim .bw-lane:not(.on) text{fill:var(--bw-soft,#52606d);font-weight:normal}
.bw.bw-dim :not(.on)>.bw-notch{fill:var(--bw-line,#b8c2cc)}
.bw .on rect{stroke:var(--bw-ink,#1b2733);stroke-width:2}
)css";
}

}  // namespace bankwise
