#include "cli/fix/run_comparison.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::cli {

namespace {

// Returns the words of a line, without the blanks between them.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

bool holds_number(std::string_view word) { return word.find_first_of("0123456789") != std::string_view::npos; }

// Returns the unit in a word: "time" in "Time:", "ms" in "(ms)" and "0.3ms,", "gb/s" in "GB/s".
std::string unit_in(std::string_view word) {
  std::string unit;
  for (const char c : word) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if ((lower >= 'a' && lower <= 'z') || (lower == '/' && !unit.empty())) unit += lower;
  }
  return unit;
}

bool is_unit(std::string_view word) {
  static constexpr std::string_view units[] = {
      "s",           "ms",           "us",          "ns",          "sec",    "secs",    "second",
      "seconds",     "msec",         "msecs",       "usec",        "usecs",  "nsec",    "milliseconds",
      "millisecond", "microseconds", "microsecond", "nanoseconds", "min",    "minutes", "hz",
      "khz",         "mhz",          "ghz",         "fps",         "clocks", "cycles",  "ticks",
      "flops",       "mflops",       "gflops",      "tflops",      "iops",   "gteps",   "gups"};
  const std::string unit = unit_in(word);
  return std::find(std::begin(units), std::end(units), unit) != std::end(units) || unit.ends_with("/s") ||
         unit.ends_with("/sec") || unit.ends_with("/second");
}

bool names_time(std::string_view word) {
  static constexpr std::string_view names[] = {"time",       "times",   "elapsed", "duration", "bandwidth",
                                               "throughput", "latency", "runtime", "walltime", "performance"};
  const std::string name = unit_in(word);
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Whether the word at index `at` contains a time or a rate, as in "0.3 ms", "0.3ms", "time (ms): 0.3" or "Elapsed time
// of a step = 0.3".
bool is_time(const std::vector<std::string_view>& words, std::size_t at) {
  if (is_unit(words[at])) return true;
  if (at + 1 < words.size() && !holds_number(words[at + 1]) && is_unit(words[at + 1])) return true;
  // The label of the number begins after the previous number or after a comma.
  std::size_t first = at;
  while (first > 0 && !holds_number(words[first - 1]) && !words[first - 1].ends_with(',') &&
         !words[first - 1].ends_with(';'))
    --first;
  if (first > 0 && holds_number(words[first - 1]) && first < at && is_unit(words[first]))
    ++first;  // skips the unit of the previous number
  const auto is_sign = [](std::string_view w) { return unit_in(w).empty(); };
  std::size_t last = at;
  while (last > first && is_sign(words[last - 1])) --last;
  if (last == first) {
    // In words such as "time:0.3" and "time=0.3", the label is before the sign.
    const std::size_t sign = words[at].find_first_of("=:");
    return sign != std::string_view::npos &&
           (names_time(words[at].substr(0, sign)) || is_unit(words[at].substr(0, sign)));
  }
  return names_time(words[last - 1]) || names_time(words[first]) ||
         (is_unit(words[last - 1]) && words[last - 1].find_first_of("([/") != std::string_view::npos);
}

// Returns a sentence about the first differing copy from the device.
std::string copy_difference(const std::vector<std::string>& before, const std::vector<std::string>& after,
                            const std::vector<std::string>& again) {
  // A program that ends by _exit writes no list of copies, so there is nothing to compare.
  if (before.empty() || after.empty()) return "";
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const std::string was = i < before.size() ? before[i] : "", is = i < after.size() ? after[i] : "",
                      other = i < again.size() ? again[i] : "";
    if (was == is || is != other) continue;
    const auto words = split(is.empty() ? was : is, ' ');
    const std::string bytes = words.size() > 1 ? grouped(parse_size(words[1]).value_or(0)) : "";
    if (words[0] == "shared")
      return formatted("stores different values in {} bytes of memory that host and device share", bytes);
    return formatted("copies different values to the host, in copy {} ({} bytes)", grouped(i + 1), bytes);
  }
  return "";
}

}  // namespace

text_comparison compare_texts(const std::string& before, const std::string& after, const std::string& again) {
  text_comparison found;
  const auto a = split(before, '\n'), b = split(after, '\n'), c = split(again, '\n');
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string_view was = i < a.size() ? a[i] : std::string_view(),
                           is = i < b.size() ? b[i] : std::string_view();
    if (was == is) continue;
    const auto w = words_of(was), n = words_of(is), o = words_of(i < c.size() ? c[i] : std::string_view());
    bool same = w.size() == n.size();
    for (std::size_t k = 0; same && k < w.size(); ++k) {
      if (w[k] == n[k]) continue;
      const bool varies = n.size() == o.size() && n[k] != o[k];
      same = holds_number(w[k]) && holds_number(n[k]) && (varies || (is_time(w, k) && is_time(n, k)));
    }
    if (!same) {
      found.difference = formatted("line {} is '{}' instead of '{}'", i + 1, is, was);
      return found;
    }
    if (w != n) found.ignored.push_back(i + 1);
  }
  return found;
}

bool are_equal(const measured_run& a, const measured_run& b) {
  return a.said == b.said && a.told == b.told && a.files == b.files && a.copies == b.copies;
}

run_comparison compare_runs(const measured_run& before, const measured_run& after, const measured_run& again) {
  run_comparison found;
  const auto compare = [&](const std::string& a, const std::string& b, const std::string& c, const std::string& where,
                           const std::string& what) {
    const text_comparison t = compare_texts(a, b, c);
    if (!t.difference.empty() && found.difference.empty()) found.difference = formatted("{}: {}", what, t.difference);
    std::string lines;
    for (const std::size_t line : t.ignored) lines += (lines.empty() ? "" : ", ") + std::to_string(line);
    if (!lines.empty())
      found.ignored.push_back(formatted("{}{} of {}", t.ignored.size() == 1 ? "line " : "lines ", lines, where));
  };
  compare(before.said, after.said, again.said, "its output", "prints different output");
  compare(before.told, after.told, again.told, "its standard error", "prints different output to standard error");
  const auto miss = [&](std::string what) {
    if (!found.difference.empty()) return;
    found.difference = std::move(what);
    found.is_of_file_list = true;
  };
  for (const auto& [path, content] : before.files) {
    const auto now = after.files.find(path), other = again.files.find(path);
    if (now == after.files.end())
      miss(formatted("no longer writes {}", path));
    else
      compare(content, now->second, other == again.files.end() ? std::string() : other->second, path,
              formatted("writes different contents to {}", path));
  }
  for (const auto& [path, content] : after.files)
    if (!before.files.contains(path) && again.files.contains(path))
      miss(formatted("writes {}, which it did not write before the edit", path));
  if (found.difference.empty()) found.difference = copy_difference(before.copies, after.copies, again.copies);
  return found;
}

std::vector<std::string> drop_unsteady_files(measured_run& before, measured_run& after, measured_run& again,
                                             const file_contents& unedited) {
  std::set<std::string> names;
  for (const auto& [path, content] : before.files)
    if (!unedited.contains(path)) names.insert(path);
  for (const auto& [path, content] : unedited)
    if (!before.files.contains(path)) names.insert(path);
  for (const std::string& path : names)
    for (measured_run* run : {&before, &after, &again}) run->files.erase(path);
  return {names.begin(), names.end()};
}

}  // namespace bankwise::cli
