#include "tune/tuned_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "base/text.hpp"
#include "report/sections/time_report.hpp"
#include "report/table/text_table.hpp"
#include "tune/ranked.hpp"

namespace bankwise::tune {

namespace {

constexpr std::size_t most_listed = 20;
constexpr double least_saving = 0.01;  // part of the time; a smaller saving is not shown
constexpr std::size_t most_reason = 300;

std::string time_of(double microseconds) {
  return duration_text(static_cast<std::uint64_t>(std::llround(microseconds * 1000)));
}

std::string remedy_of(const gpu_time& t) {
  if (t.finding.empty()) return "-";
  return t.saving >= t.microseconds * least_saving ? formatted("{}, saves {}", t.finding, time_of(t.saving))
                                                   : t.finding;
}

text_table table_of(const tuned& t, std::size_t gpu, const ranked_rows& ranks, std::size_t listed) {
  text_table table;
  std::vector<std::string> head{"rank"};
  head.insert(head.end(), t.names.begin(), t.names.end());
  head.insert(head.end(), {"time", "interval", "bound by", "registers", "shared", "occupancy", "wavefronts", "sectors",
                           "what would make it faster"});
  table.rows.push_back(head);
  for (std::size_t at = 0; at < listed; ++at) {
    const tuned_row& r = t.rows[ranks.rows[at]];
    const gpu_time& time = r.times[gpu];
    std::vector<std::string> cells{std::to_string(at + 1)};
    cells.insert(cells.end(), r.what.values.begin(), r.what.values.end());
    cells.insert(cells.end(),
                 {time_of(time.microseconds), formatted("{} to {}", time_of(time.low), time_of(time.high)), time.bound,
                  std::to_string(r.registers), grouped(r.shared_bytes), formatted("{}%", time.occupancy),
                  grouped(r.wavefronts), grouped(r.sectors), remedy_of(time)});
    table.rows.push_back(std::move(cells));
  }
  table.left_last = 1;
  return table;
}

// Returns the ranks after the first that cannot be distinguished from it: "2 to 5", "7".
std::vector<std::string> ranks_like_best(const ranking& r) {
  std::vector<std::string> texts;
  for (std::size_t at = 1; at < r.like_best.size(); ++at) {
    if (!r.like_best[at]) continue;
    const std::size_t first = at;
    while (at + 1 < r.like_best.size() && r.like_best[at + 1]) ++at;
    texts.push_back(first == at ? std::to_string(at + 1) : formatted("{} to {}", first + 1, at + 1));
  }
  return texts;
}

std::string sentences_of(const tuned& t, const std::string& gpu, const ranked_rows& ranks) {
  const choice_error& error = measured_choice_error();
  const std::string best = text_of(t.names, t.rows[ranks.rows[0]].what);
  if (ranks.rows.size() == 1) return formatted("best      {}, the only configuration that is ranked\n", best);
  const std::vector<std::string> alike = ranks_like_best(ranks.of);
  const std::string by = formatted("{}%", fixed((error.told_apart - 1) * 100, 0));
  std::string text = formatted("best      {}. ", best);
  text += alike.empty()
              ? formatted(
                    "The prediction separates it from the others, which are at least {} slower or have intervals "
                    "that do not overlap\n",
                    by)
              : formatted("{} {} cannot be distinguished from it: less than {} slower, and the intervals overlap\n",
                          alike.size() == 1 && alike[0].find(' ') == std::string::npos ? "Rank" : "Ranks",
                          enumerated(alike), by);
  text += formatted(
      "try       rank{} on a GPU. With {}%, the best is among them, which held for {} of {} measured spaces\n",
      ranks.of.short_list == 1 ? " 1" : formatted("s 1 to {}", ranks.of.short_list), fixed(short_list_share() * 100, 0),
      error.held, error.spaces);
  if (has_measured_error(gpu)) return text;
  std::vector<std::string> measured;
  for (const std::string& one : measured_gpus()) measured.push_back(with_article(one));
  text += formatted("          These spaces were measured on {}, not on {}\n", enumerated(measured), with_article(gpu));
  return text;
}

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += formatted("{}{}", &cell == &cells[0] ? "" : ",", cell);
  return line + "\n";
}

// Returns the most important line of a reason: the first error of a compiler, or the first line.
std::string first_line(const std::string& text) {
  const auto lines = split(text, '\n');
  for (const std::string_view line : lines)
    if (line.find("error:") != std::string_view::npos) return std::string(trim(line));
  return std::string(trim(lines[0]));
}

// Returns the configurations that are not ranked, with their reasons.
std::string failures_of(const tuned& t, bool all) {
  std::string text;
  std::size_t failed = 0;
  for (const tuned_row& r : t.rows) {
    if (r.is == outcome::ranked) continue;
    if (++failed > most_listed && !all) continue;
    text += formatted("  {}  {}", text_of(t.names, r.what), words_of(r.is));
    // A file that is merged may have no reason.
    if (!trim(r.reason).empty())
      text += formatted(
          ": {}", all ? indented(r.reason, "    ").substr(4) : shortened(first_line(r.reason), most_reason) + "\n");
    else
      text += "\n";
  }
  if (failed == 0) return "";
  if (failed > most_listed && !all) text += formatted("  and {} more\n", failed - most_listed);
  return formatted("\nnot ranked\n{}", text);
}

std::string words_of_comparison(const std::string& compared) {
  return compared == "buffers"  ? ", results compared with those of the first"
         : compared == "output" ? ", output compared with that of the first"
                                : ", results not compared";
}

}  // namespace

std::string to_text(const tuned& t, const style& paint, bool all) {
  const auto ranked = static_cast<std::size_t>(
      std::count_if(t.rows.begin(), t.rows.end(), [](const tuned_row& r) { return r.is == outcome::ranked; }));
  std::string text =
      formatted("{}  {}{}: {} ranked{}\n", paint.strong(t.subject), count_of(t.rows.size(), "configuration"),
                t.part == shard{} ? "" : formatted(" of {} (shard {}/{})", t.size, t.part.number, t.part.of), ranked,
                words_of_comparison(t.compared));
  for (std::size_t g = 0; g < t.gpus.size() && ranked != 0; ++g) {
    const ranked_rows ranks = rank_rows(t, g);
    const std::size_t listed =
        all ? ranks.rows.size() : std::min(ranks.rows.size(), std::max(most_listed, ranks.of.short_list));
    text_table table = table_of(t, g, ranks, listed);
    if (paint.fits) table.fit(paint.width, {"sectors", "wavefronts", "shared", "registers", "occupancy", "interval"});
    text += formatted("\non {}\n{}", with_article(t.gpus[g]), table.text(paint));
    if (listed < ranks.rows.size()) text += formatted("  and {} more\n", ranks.rows.size() - listed);
    text += "\n" + sentences_of(t, t.gpus[g], ranks);
  }
  return text + failures_of(t, all);
}

std::string to_csv(const tuned& t) {
  std::vector<std::string> head{"gpu", "rank"};
  for (const std::string& name : t.names) head.push_back(csv_text(name));
  for (const char* name : {"outcome", "microseconds", "low", "high", "bound", "registers", "shared_bytes", "occupancy",
                           "wavefronts", "sectors", "finding", "saving", "like_best", "short_list", "reason"})
    head.emplace_back(name);
  const std::size_t columns = head.size();
  std::string out = joined(head);
  for (std::size_t g = 0; g < t.gpus.size(); ++g) {
    const auto begin = [&](const tuned_row& r, const std::string& rank) {
      std::vector<std::string> cells{csv_text(t.gpus[g]), rank};
      for (const std::string& value : r.what.values) cells.push_back(csv_text(value));
      cells.emplace_back(name_of(r.is));
      return cells;
    };
    const ranked_rows ranks = rank_rows(t, g);
    for (std::size_t at = 0; at < ranks.rows.size(); ++at) {
      const tuned_row& r = t.rows[ranks.rows[at]];
      const gpu_time& time = r.times[g];
      std::vector<std::string> cells = begin(r, std::to_string(at + 1));
      cells.insert(cells.end(), {fixed(time.microseconds, 3), fixed(time.low, 3), fixed(time.high, 3),
                                 csv_text(time.bound), std::to_string(r.registers), std::to_string(r.shared_bytes),
                                 std::to_string(time.occupancy), std::to_string(r.wavefronts),
                                 std::to_string(r.sectors), csv_text(time.finding), fixed(time.saving, 3),
                                 ranks.of.like_best[at] ? "1" : "0", at < ranks.of.short_list ? "1" : "0", ""});
      out += joined(cells);
    }
    for (const tuned_row& r : t.rows) {
      if (r.is == outcome::ranked) continue;
      std::vector<std::string> cells = begin(r, "");
      cells.resize(columns - 1);
      cells.push_back(csv_text(first_line(r.reason)));
      out += joined(cells);
    }
  }
  return out;
}

}  // namespace bankwise::tune
