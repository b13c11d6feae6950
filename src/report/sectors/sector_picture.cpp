#include "report/sectors/sector_picture.hpp"

#include "base/text.hpp"

namespace bankwise {

namespace {

// A margin of 16 columns and two columns for each of 32 words make 80 columns.
constexpr std::size_t sector_margin = 16;

// Returns a mark such as "7 ", or "7+" if several lanes access the word.
std::string word_mark(u32 lanes) {
  return std::string(1, lane_character(first_lane(lanes))) + ((lanes & (lanes - 1)) != 0 ? "+" : " ");
}

std::string byte_label(u64 byte) { return byte < 100000000 ? "  byte " + std::to_string(byte) : " 0x" + hex(byte); }

std::string without_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

sector_picture draw_sectors(const sector_report& r) {
  sector_picture p;
  p.lanes = r.what.mask;
  for (u32 i = 0; i < r.why.lines; ++i) {
    const wanted_line& l = r.why.line_at[i];
    picture_line row;
    row.byte = l.line * line_bytes;
    row.skipped = i == 0 ? 0 : l.line - r.why.line_at[i - 1].line - 1;
    for (u32 k = l.first_sector; k < l.first_sector + l.sectors; ++k) {
      const wanted_sector& w = r.why.sector_at[k];
      const auto place = static_cast<u32>(w.sector % 4);
      row.sectors |= 1u << place;
      row.partial[place] = w.bytes != full_mask;
    }
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      if (!has_lane(l.lanes, lane)) continue;
      const auto first = static_cast<u32>(r.what.addresses[lane] % line_bytes);
      for (u32 word = first / 4; word * 4 < first + r.what.width_bytes && word < words_a_line; ++word)
        row.lanes[word] |= 1u << lane;
    }
    p.lines.push_back(row);
  }
  return p;
}

std::string to_text(const sector_picture& p, const style& s, std::size_t most_lines) {
  std::string header = pad_right("  sector", sector_margin);
  for (const char* number : {"0", "1", "2", "3"}) header += pad_right(number, 2 * words_a_sector);
  std::string text = s.strong("each row is a line of 128 bytes, and each column is 4 bytes") + "\n" +
                     s.dim(without_blanks(header)) + "\n";
  bool shared = false, idle = false, unmoved = false, letters = false;
  std::size_t shown = 0;
  for (const picture_line& l : p.lines) {
    if (shown++ >= most_lines) continue;
    if (l.skipped != 0) text += s.dim("  ... " + count_of(l.skipped, "line") + " further") + "\n";
    std::string row;
    for (u32 word = 0; word < words_a_line; ++word) {
      const u32 sector = word / words_a_sector, lanes = l.lanes[word];
      if (!has_lane(l.sectors, sector)) {
        row += "  ";
        unmoved = true;
      } else if (lanes == 0) {
        row += ". ";
        idle = true;
      } else {
        row += l.partial[sector] ? s.bad(word_mark(lanes)) : s.good(word_mark(lanes));
        shared = shared || (lanes & (lanes - 1)) != 0;
        letters = letters || first_lane(lanes) > 9;
      }
    }
    text += pad_right(byte_label(l.byte), sector_margin) + without_blanks(row) + "\n";
  }
  if (p.lines.size() > most_lines)
    text += s.dim("  ... and " + count_of(p.lines.size() - most_lines, "more line")) + "\n";
  std::string legend;
  const auto mean = [&](bool is_there, const char* what) {
    if (is_there) legend += (legend.empty() ? "" : "; ") + std::string(what);
  };
  mean(letters, "a-v lanes 10-31");
  mean(shared, "+ several lanes share the word");
  mean(idle, ". bytes that are moved, but not requested");
  mean(unmoved, "blank: bytes that are not moved");
  return legend.empty() ? text : text + s.dim("  " + legend) + "\n";
}

}  // namespace bankwise
