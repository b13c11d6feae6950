#include "base/diagnostic.hpp"

namespace bankwise {

namespace {

std::string place(const location& l) {
  std::string s = l.file;
  if (l.line != 0) {
    s += (s.empty() ? "line " : ":") + std::to_string(l.line);
    if (l.column != 0) s += ":" + std::to_string(l.column);
  } else if (l.column != 0) {
    s += (s.empty() ? "column " : ": column ") + std::to_string(l.column);
  }
  if (l.byte) s += (s.empty() ? "byte " : ": byte ") + std::to_string(*l.byte);
  return s;
}

}  // namespace

std::string to_text(const diagnostic& d) {
  std::string s = "error: " + d.message;
  if (const std::string p = place(d.where); !p.empty()) s += "\n  --> " + p;
  if (!d.where.source_line.empty()) {
    s += "\n   | " + d.where.source_line;
    if (d.where.column != 0) {
      s += "\n   | ";
      // Tabs are kept, so that the caret is below the right character for any tab width.
      for (std::uint32_t i = 1; i < d.where.column; ++i)
        s += i <= d.where.source_line.size() && d.where.source_line[i - 1] == '\t' ? '\t' : ' ';
      s.append(d.where.length == 0 ? 1 : d.where.length, '^');
    }
  }
  for (const std::string& step : d.trail) s += "\n      " + step;
  if (!d.hint.empty()) s += "\nhelp: " + d.hint;
  return s;
}

}  // namespace bankwise
