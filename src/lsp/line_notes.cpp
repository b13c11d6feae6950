#include "lsp/line_notes.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "check/findings.hpp"

namespace bankwise::lsp {

namespace {

// Number of bytes of a line that every report keeps.
constexpr std::size_t kept_bytes = 200;

std::string comparable(std::string_view line) {
  std::string s(line.substr(0, 4 * kept_bytes));
  std::replace(s.begin(), s.end(), '\t', ' ');
  return check::code_of(printable(trim(s))).substr(0, kept_bytes);
}

struct line_before {
  std::string text;    // text of the line; empty if unknown
  std::string kernel;  // kernel with this line; empty for several kernels or a device function
  line_note note;
};

template <class Site>
bool is_own_code(const Site& s) {
  return s.function.empty() && (s.outer_line == 0 || (s.outer_line == s.line && s.outer_file == s.file));
}

// Finds the lines of reports in the current text. Equal lines keep their order.
class line_finder {
 public:
  explicit line_finder(const document& text) {
    std::string head;  // first line of the kernel that contains the current line
    for (std::size_t i = 0; i < text.lines(); ++i) {
      const std::string_view line = text.line(i);
      if (line.find("__global__") != std::string_view::npos) {
        head.clear();
        for (std::size_t n = i; n < i + most_head_lines && head.find('(') == std::string::npos; ++n)
          head += formatted("{} ", text.line(n));
      }
      where_[comparable(line)].push_back({i, head});
    }
    lines_ = text.lines();
  }

  // Finds the line of a note in the current text. If `kernel` is not empty, the line must be in this kernel, because
  // other kernels may contain an equal line.
  std::optional<std::size_t> find(std::uint32_t line, const std::string& text, const std::string& kernel) {
    const std::ptrdiff_t wanted = static_cast<std::ptrdiff_t>(line) - 1 + moved_;
    if (text.empty()) {
      const bool is_there = wanted >= 0 && static_cast<std::size_t>(wanted) < lines_;
      return is_there ? std::optional(static_cast<std::size_t>(wanted)) : std::nullopt;
    }
    const auto same = where_.find(text);
    if (same == where_.end()) return std::nullopt;
    // Searches from the expected position in both directions. Even among thousands of equal lines, the nearest line is
    // almost always the right line.
    const auto& equal = same->second;
    const auto line_at = [](const auto& one) { return static_cast<std::ptrdiff_t>(one->first); };
    auto after = std::lower_bound(equal.begin(), equal.end(), wanted, [](const auto& one, std::ptrdiff_t at) {
      return static_cast<std::ptrdiff_t>(one.first) < at;
    });
    auto before = after;
    while (before != equal.begin() || after != equal.end()) {
      const bool goes_back = after == equal.end() || (before != equal.begin() &&
                                                      wanted - line_at(std::prev(before)) <= line_at(after) - wanted);
      const auto& [i, head] = goes_back ? *--before : *after++;
      if (taken_.contains(i) || (!kernel.empty() && !head.empty() && head.find(kernel) == std::string::npos)) continue;
      taken_.insert(i);
      moved_ = static_cast<std::ptrdiff_t>(i) - (static_cast<std::ptrdiff_t>(line) - 1);
      return i;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_head_lines = 8;

  std::map<std::string, std::vector<std::pair<std::size_t, std::string>>>
      where_;  // key: text; value: lines with this text, each with the first line of its kernel
  std::set<std::size_t> taken_;
  std::size_t lines_ = 0;
  std::ptrdiff_t moved_ = 0;  // number of lines by which the last found line has moved
};

bool has_more_sectors(const noted_global_site& a, const noted_global_site& b) {
  return std::tuple(excess_sectors(*a.what), a.what->sectors) > std::tuple(excess_sectors(*b.what), b.what->sectors);
}

bool is_worse(const noted_site& a, const noted_site& b) {
  const site &x = *a.what, &y = *b.what;
  return std::tuple(removable(x), queued(x), x.worst_cost.wavefronts, x.wavefronts) >
         std::tuple(removable(y), queued(y), y.worst_cost.wavefronts, y.wavefronts);
}

}  // namespace

std::string fingerprint_of_text(std::string_view text) {
  return check::fingerprint_of({std::string(without_mark(text))});
}

source_notes notes_of(const folder_reports& known, const std::string& path, const document& text) {
  source_notes notes;
  std::map<std::uint32_t, line_before> before;
  const auto is_here = [&](const std::string& file) {
    const auto at = known.paths.find(file);
    return at != known.paths.end() && at->second == path;
  };
  const auto line_of = [&](std::uint32_t line, const std::string& of_line) -> line_before& {
    line_before& b = before[line];
    if (b.text.empty()) b.text = comparable(of_line);
    b.note.line_before = line;
    return b;
  };
  const std::string now = fingerprint_of_text(text.text());
  for (const known_report& r : known.reports) {
    bool is_of_it = false;
    for (const launch_report& l : r.what.launches) {
      const auto note_at = [&](const auto& s) -> line_note& {
        line_before& b = line_of(s.line, s.text);
        const std::string kernel = is_own_code(s) ? l.name : "";
        if (b.note.sites.empty() && b.note.global_sites.empty()) b.kernel = kernel;
        if (b.kernel != kernel) b.kernel.clear();
        return b.note;
      };
      for (const site& s : l.sites) {
        if (s.line == 0 || !is_here(s.file)) continue;
        is_of_it = true;
        if (is_access(s)) note_at(s).sites.push_back({&r, &l, &s});
      }
      for (const global_site& s : l.global_sites) {
        if (s.line == 0 || !is_here(s.file)) continue;
        is_of_it = true;
        note_at(s).global_sites.push_back({&l, &s});
      }
    }
    const auto made_of = r.made_of.find(path);
    if (is_of_it && (made_of == r.made_of.end() || made_of->second != now)) notes.stale.push_back(r.name);
  }
  for (const check::finding& f : known.verdict.findings)
    if (f.line != 0 && is_here(f.file)) line_of(f.line, f.text).note.findings.push_back(&f);

  line_finder finder(text);
  for (auto& [line, b] : before) {
    const auto at = finder.find(line, b.text, b.kernel);
    if (!at) {
      ++notes.gone;
      continue;
    }
    b.note.line = *at;
    std::stable_sort(b.note.sites.begin(), b.note.sites.end(), is_worse);
    std::stable_sort(b.note.global_sites.begin(), b.note.global_sites.end(), has_more_sectors);
    notes.lines.push_back(std::move(b.note));
  }
  std::stable_sort(notes.lines.begin(), notes.lines.end(),
                   [](const line_note& a, const line_note& b) { return a.line < b.line; });
  return notes;
}

}  // namespace bankwise::lsp
