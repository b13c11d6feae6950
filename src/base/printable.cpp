#include "base/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "base/text.hpp"

namespace bankwise {

namespace {

struct range {
  std::uint32_t first, last;
};
// Characters that change how other characters are displayed, or that do not occur in text: controls, bidirectional
// marks, line separators, a byte order mark, tags, noncharacters.
constexpr range hidden[] = {{0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
                            {0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}};

bool is_hidden(std::uint32_t c) {
  return c < ' ' || (c & 0xfffe) == 0xfffe ||
         std::any_of(std::begin(hidden), std::end(hidden), [&](range r) { return c >= r.first && c <= r.last; });
}

bool is_plain(char c) { return c >= ' ' && c <= '~'; }

struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 if no UTF-8 character begins here
};

character decode(std::string_view s) {
  const auto lead = static_cast<unsigned char>(s[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || s.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if ((c & 0xc0) != 0x80) return {};
    code = code << 6 | (c & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes};
}

std::string spelled(std::string_view bytes, const character& c) {
  if (c.bytes == 0) return "\\x" + hex(static_cast<unsigned char>(bytes[0]), 2);
  if (c.code == '\n') return "\\n";
  if (c.code == '\t') return "\\t";
  if (c.code == '\r') return "\\r";
  return c.code < 0x80 ? "\\x" + hex(c.code, 2) : c.code < 0x10000 ? "\\u" + hex(c.code, 4) : "\\U" + hex(c.code, 8);
}

// Returns the length of a colour sequence from style(), such as ESC [ 1;31 m. Returns 0 if the text begins with
// something else.
std::size_t color_bytes(std::string_view s) {
  if (!s.starts_with("\x1b[")) return 0;
  const std::size_t end = s.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && s[end] == 'm' ? end + 1 : 0;
}

bool begins_command(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with("::") || line.starts_with("##[");
}

}  // namespace

bool is_printable(std::string_view name) {
  while (!name.empty()) {
    const character c = decode(name);
    if (c.bytes == 0 || is_hidden(c.code)) return false;
    name.remove_prefix(c.bytes);
  }
  return true;
}

std::string printable(std::string_view name) {
  if (std::all_of(name.begin(), name.end(), is_plain)) return std::string(name);
  std::string out;
  while (!name.empty()) {
    const character c = decode(name);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    out += c.bytes == 0 || is_hidden(c.code) ? spelled(name, c) : std::string(name.substr(0, bytes));
    name.remove_prefix(bytes);
  }
  return out;
}

std::string printable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), [](char c) { return is_plain(c) || c == '\n'; }) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const character c = decode(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    const bool stays = c.bytes != 0 && (c.code == '\t' || c.code == '\r' || !is_hidden(c.code));
    out += stays ? std::string(text.substr(0, bytes)) : spelled(text, c);
    text.remove_prefix(bytes);
  }
  return out;
}

std::string printable_lines(std::string_view text, colors painted) {
  std::string out;
  out.reserve(text.size());
  bool at_begin = true;
  while (!text.empty()) {
    if (at_begin && begins_command(text.substr(0, text.find('\n')))) {
      const std::size_t blanks = text.find_first_not_of(" \t");
      out.append(text.substr(0, blanks)).append("\\x").append(hex(static_cast<unsigned char>(text[blanks]), 2));
      text.remove_prefix(blanks + 1);
    }
    at_begin = false;
    const std::size_t plain =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t color = painted == colors::kept ? color_bytes(text) : 0;
    const character c = decode(text);
    const std::size_t bytes = color != 0 ? color : std::max<std::size_t>(c.bytes, 1);
    const bool stays = color != 0 || c.code == '\t' || c.code == '\n' || (c.bytes != 0 && !is_hidden(c.code));
    out += stays ? std::string(text.substr(0, bytes)) : spelled(text, c);
    at_begin = c.code == '\n';
    text.remove_prefix(bytes);
  }
  return out;
}

void tell(std::string_view text) { std::fprintf(stderr, "bankwise: %s\n", printable_lines(text).c_str()); }

}  // namespace bankwise
