// Lanes over sectors and lines as SVG: for the page, for a phone, or as a separate file. Each element is on a line of
// its own, because redraw.ts depends on that.
#include <algorithm>

#include "base/text.hpp"
#include "report/picture/svg_text.hpp"
#include "report/sectors/sector_picture.hpp"

namespace bankwise {

namespace {

constexpr std::string_view dark_sectors =
    "@media(prefers-color-scheme:dark){.bw{--bw-ink:#e4e7eb;--bw-paper:#14171b;--bw-soft:#a3acb7;--bw-line:#444c56;"
    "--bw-cell:#1d3a5a;--bw-accent:#6ea8e6;--bw-excess:#ffab70;--bw-on-excess:#1b1206}}\n";

std::string number_attribute(const char* name, int value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

std::string words_at(int x, int y, const char* kind, std::string_view text) {
  return "<text" + number_attribute("x", x) + number_attribute("y", y) + " class=\"" + kind + "\">" +
         svg_escaped(text) + "</text>";
}

class sector_drawing {
 public:
  sector_drawing(const sector_picture& p, const sector_report& r, svg_form form)
      : p_(p),
        r_(r),
        form_(form),
        narrow_(form == svg_form::narrow),
        left_(narrow_ ? 30 : 70),
        word_(narrow_ ? 10 : 22) {
    // Addresses of a real program have many digits, so the margin depends on the longest address.
    for (const picture_line& l : p.lines)
      left_ = std::max(left_, 14 + 6 * static_cast<int>(std::to_string(l.byte).size()));
    width_ = std::max(left_ + word_ * 32 + 6, narrow_ ? 360 : 0);
  }

  std::string text() {
    if (form_ == svg_form::file) title();
    lanes();
    lines();
    legend();
    const std::string size = " viewBox=\"0 0 " + std::to_string(width_) + " " + std::to_string(y_) + "\"";
    std::string s = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bw\"" + size +
                    number_attribute("width", width_) + number_attribute("height", y_) + " role=\"img\" aria-label=\"" +
                    svg_escaped(verdict(r_)) + "\">\n";
    if (form_ == svg_form::file)
      s += "<style>" + svg_style() + sector_style() + std::string(dark_sectors) +
           "</style>\n<rect class=\"bw-page\" width=\"100%\" height=\"100%\"/>\n";
    return s + out_ + "</svg>\n";
  }

 private:
  std::string name_of_lane(u32 lane) const {
    return narrow_ ? std::string(1, lane_character(lane)) : std::to_string(lane);
  }
  int word_x(u32 word) const { return left_ + static_cast<int>(word) * word_; }

  static std::string box(int width, int height) {
    return "<rect x=\"0\" y=\"0\"" + number_attribute("width", width) + number_attribute("height", height) + "/>";
  }
  std::string label(const std::string& text) const {
    return "<text" + number_attribute("x", (word_ - 1) / 2) + " y=\"13\">" + text + "</text>";
  }
  // Returns a tooltip for a separate file. A page shows a sentence next to the pointer instead.
  std::string tip(const std::string& text) const {
    return form_ == svg_form::file ? "<title>" + text + "</title>" : "";
  }

  void title() {
    y_ = 24;
    out_ += words_at(8, y_, "bw-title", verdict(r_)) + "\n";
    y_ += 18;
    out_ += words_at(8, y_, "bw-note",
                     (r_.title.size() > 80 ? r_.title.substr(0, 77) + "..." : r_.title) + "   " + r_.op.spelling +
                         "   " + r_.arch + " (" + r_.family + ")") +
            "\n";
    y_ += 8;
  }

  void heading(std::string_view what, std::string_view about) {
    y_ += 6;
    out_ += words_at(8, y_ + 12, "bw-head", what) + "\n";
    out_ += words_at(8 + 7 * static_cast<int>(what.size()) + 10, y_ + 12, "bw-note", about) + "\n";
    y_ += 20;
  }

  void lanes() {
    heading("lanes", narrow_ ? "lanes" : "the 32 lanes of a warp");
    out_ += "<g class=\"bw-who\">\n";
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      const bool on = has_lane(p_.lanes, lane);
      out_ += std::string("<g class=\"bw-lane") + (on ? "" : " off") + "\" data-lanes=\"" + hex(1u << lane) +
              "\" transform=\"translate(" + std::to_string(word_x(lane)) + " " + std::to_string(y_) + ")\">" +
              tip("lane " + std::to_string(lane) +
                  (on ? ": byte " + std::to_string(r_.what.addresses[lane]) : ": inactive")) +
              box(word_ - 1, 17) + label(name_of_lane(lane)) + "</g>\n";
    }
    out_ += "</g>\n";
    y_ += 26;
  }

  void lines() {
    heading("sectors", narrow_ ? "a row is a line of 128 bytes"
                               : "a row is a line of 128 bytes, with four sectors of 32 bytes. A cell is 4 bytes");
    out_ += "<g class=\"bw-words\">\n";
    for (u32 sector = 0; sector < 4; ++sector)
      out_ +=
          words_at(word_x(sector * words_a_sector) + word_ * 4, y_ + 9, "bw-mid", "sector " + std::to_string(sector)) +
          "\n";
    out_ += words_at(left_ - 5, y_ + 9, "bw-num", "byte") + "\n";
    y_ += 13;
    for (const picture_line& l : p_.lines) {
      if (l.skipped != 0) {
        out_ += words_at(left_ + 2, y_ + 11, "bw-note", "... " + count_of(l.skipped, "line") + " further") + "\n";
        y_ += 16;
      }
      out_ += words_at(left_ - 5, y_ + 13, "bw-num", std::to_string(l.byte)) + "\n";
      for (u32 sector = 0; sector < 4; ++sector) draw_sector(l, sector);
      y_ += 20;
    }
    out_ += "</g>\n";
    y_ += 8;
  }

  void draw_sector(const picture_line& l, u32 sector) {
    const u64 first = l.byte + u64{sector} * sector_bytes;
    const std::string bytes = "bytes " + std::to_string(first) + "-" + std::to_string(first + sector_bytes - 1);
    const bool moved = has_lane(l.sectors, sector);
    out_ += std::string("<g class=\"bw-sector") +
            (!moved              ? " unmoved"
             : l.partial[sector] ? " partial"
                                 : "") +
            "\" transform=\"translate(" + std::to_string(word_x(sector * words_a_sector)) + " " + std::to_string(y_) +
            ")\">" + tip("sector of " + bytes + (moved ? ": moved" : ": not moved")) + box(8 * word_ - 2, 18) +
            "</g>\n";
    if (!moved) return;
    partial_ = partial_ || l.partial[sector];
    for (u32 word = sector * words_a_sector; word < (sector + 1) * words_a_sector; ++word)
      if (l.lanes[word] != 0) draw_word(l, word);
  }

  void draw_word(const picture_line& l, u32 word) {
    const u32 lanes = l.lanes[word];
    const u64 byte = l.byte + u64{word} * 4;
    const bool shared = (lanes & (lanes - 1)) != 0;
    shared_ = shared_ || shared;
    out_ += "<g class=\"bw-cell\" data-lanes=\"" + hex(lanes) + "\" data-word=\"" + std::to_string(byte / 4) +
            "\" transform=\"translate(" + std::to_string(word_x(word)) + " " + std::to_string(y_) + ")\">" +
            tip(lane_words(lanes) + ": bytes " + std::to_string(byte) + "-" + std::to_string(byte + 3)) +
            box(word_ - 1, 17) + label(name_of_lane(first_lane(lanes)));
    if (shared) out_ += "<path class=\"bw-notch\" d=\"M" + std::to_string(word_ - 1) + " 0v5l-5-5z\"/>";
    out_ += "</g>\n";
  }

  void legend() {
    int x = 8;
    const auto item = [&](const char* kind, bool notch, std::string_view what) {
      const int needed = 20 + static_cast<int>(what.size()) * 6 + 12;
      if (x != 8 && x + needed > width_) x = 8, y_ += 18;
      out_ +=
          std::string("<g class=\"") + kind + "\"><rect" + number_attribute("x", x) + number_attribute("y", y_) +
          " width=\"14\" height=\"13\"/>" +
          (notch ? "<path class=\"bw-notch\" d=\"M" + std::to_string(x + 14) + " " + std::to_string(y_) + "v5l-5-5z\"/>"
                 : "") +
          "</g>\n" + words_at(x + 20, y_ + 11, "bw-note", what) + "\n";
      x += needed;
    };
    item("bw-key", false, "a lane requests these 4 bytes");
    if (shared_) item("bw-key", true, "several lanes request some of these bytes");
    if (partial_) item("bw-sector partial", false, "bytes that are moved, but not requested");
    item("bw-sector unmoved", false, "not moved");
    y_ += 20;
  }

  const sector_picture& p_;
  const sector_report& r_;
  svg_form form_;
  bool narrow_, shared_ = false, partial_ = false;
  int left_, word_, width_ = 0, y_ = 0;
  std::string out_;
};

}  // namespace

std::string to_svg(const sector_picture& p, const sector_report& r, svg_form form) {
  return sector_drawing(p, r, form).text();
}

std::string sector_style() {
  return R"css(.bw .bw-sector rect{fill:var(--bw-cell,#cfe2f3);fill-opacity:.5;stroke:var(--bw-accent,#2b6ca3)}
.bw .bw-sector rect{stroke-width:.5}
.bw .partial rect{fill:var(--bw-excess,#a63c06);fill-opacity:.3;stroke:var(--bw-excess,#a63c06)}
.bw .unmoved rect{fill:none;stroke:var(--bw-line,#b8c2cc)}
)css";
}

}  // namespace bankwise
