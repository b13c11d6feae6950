#include "report/sections/time_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/names/gpu_names.hpp"
#include "model/instances.hpp"
#include "model/time_bound.hpp"
#include "report/table/text_table.hpp"

namespace bankwise {

std::vector<clock_row> clock_rows(const time_bound& b) {
  std::vector<clock_row> rows = {{"shared pipe", b.shared_cycles, b.shared_cycles_reachable,
                                  b.shared_cycles_reachable < b.shared_cycles
                                      ? formatted("; {}{}", grouped(b.shared_cycles_reachable),
                                                  b.by_data ? " without conflicts" : " with the best layout")
                                      : ""},
                                 {"issue", b.issue_cycles, b.issue_cycles, ", at 4 warp instructions per clock"}};
  if (b.byte_passes != 0)
    rows.insert(rows.begin() + 1, {"bytes moved", b.byte_passes, b.byte_passes,
                                   ", moved by asynchronous copies and tcgen05, at 128 bytes per clock"});
  if (b.tensor_cycles != 0)
    rows.push_back({"tensor cores", b.tensor_cycles, b.tensor_cycles,
                    b.nominal ? ", for tcgen05.mma at its nominal rate" : ", for wgmma at its full rate"});
  return rows;
}

namespace {

struct named_resource {
  std::string_view name, words, unit;
};
constexpr named_resource resources[] = {
#define RESOURCE(name, words, unit, busy, ...) {#name, words, #unit},
#include "model/time/resources.def"
};

struct time_unit {
  const char* name;
  double nanoseconds;
};
constexpr time_unit time_units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
const time_unit& unit_of(std::uint64_t nanoseconds) {
  for (const time_unit& u : time_units)
    if (static_cast<double>(nanoseconds) >= u.nanoseconds) return u;
  return time_units[2];
}
// Returns a time with three digits, because predictions are not more precise than this.
std::string digits_text(std::uint64_t nanoseconds, const time_unit& u) {
  const double n = static_cast<double>(nanoseconds) / u.nanoseconds;
  return fixed(n, n < 9.995 ? 2 : n < 99.95 ? 1 : 0);
}

// Returns the source of the GPU's parameters, or an empty string if this project measured the parameters.
std::string origin_of_numbers(const predicted_time& t) {
  if (!t.parameters.empty())
    return t.is_assumed ? " (bankwise probe measured some of the GPU's numbers, and the other numbers are scaled from "
                          "an H100)"
                        : " (bankwise probe measured the GPU's numbers)";
  if (!t.is_assumed) return "";
  const unsigned all = t.published_parameters + t.assumed_parameters;
  return formatted(
      " ({}the model's{} parameters for this GPU are H100 parameters, scaled with NVIDIA's published specifications)",
      all == 0 ? ""
               : formatted("{} of the {} parameters that matter for this bound are published for this GPU or its "
                           "architecture; ",
                           t.published_parameters, all),
      all == 0 ? "" : " other");
}
std::string short_origin(const predicted_time& t) {
  return std::string(t.caches == "warm" ? " with warm caches" : "") +
         (!t.parameters.empty()         ? ", with parameters that bankwise probe measured"
          : t.published_parameters != 0 ? formatted(", with {} of {} parameters published", t.published_parameters,
                                                    t.published_parameters + t.assumed_parameters)
          : t.is_assumed                ? ", scaled from an H100"
                                        : "");
}

// Returns a text such as "The launch uses 12% of the multiprocessors (issue 12%, pipes 10%) and 83% of memory (L1 83%,
// L2 33%, DRAM 56%)." Returns an empty string if the use is unknown.
std::string use_sentence(const predicted_time& t) {
  if (t.use.empty()) return {};
  const auto of = [&t](const char* name) { return formatted("{}%", percent_of(t.use, name)); };
  return formatted(
      " The launch uses {} of the multiprocessors (issue {}, pipes {}) and {} of memory (L1 {}, L2 {}, DRAM {}).",
      of("sm"), of("issue"), of("pipes"), of("memory"), of("l1"), of("l2"), of("dram"));
}

// Returns the traced part of the launch, such as ", predicted from 24 blocks".
std::string traced_text(const predicted_time& t) {
  if (t.traced_blocks == 0) return {};
  return formatted(", predicted from {}{}", t.traced_in_part ? "the first instructions of " : "",
                   count_of(t.traced_blocks, "block"));
}

// Smaller savings are printed as "saves under 1% of the kernel's time".
constexpr double least_saving = 0.01;
// A line is shown only if warps spend at least this percentage of their time at the line.
constexpr std::uint64_t least_percent_of_line = 3;

}  // namespace

std::string with_article(const std::string& gpu) {
  const bool vowel = !gpu.empty() && std::string_view("AEFHILMNORSX8").find(gpu[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + gpu;
}

std::string duration_text(std::uint64_t nanoseconds) {
  const time_unit& u = unit_of(nanoseconds);
  return formatted("{} {}", digits_text(nanoseconds, u), u.name);
}

std::string range_text(const predicted_time& t) {
  const time_unit& u = unit_of(t.nanoseconds);
  return formatted("{} {} ({} to {})", digits_text(t.nanoseconds, u), u.name,
                   digits_text(nanoseconds_of(t, t.cycles_low), u), digits_text(nanoseconds_of(t, t.cycles_high), u));
}

std::string words_of_resource(const std::string& name) {
  for (const named_resource& r : resources)
    if (r.name == name) return std::string(r.words);
  return name;
}
std::string words_of_bound(const predicted_time& t) { return words_of_resource(t.bound); }

namespace {

// Returns the number in the name of an architecture, such as 90 for "sm_90a", or 0.
std::uint64_t capability_of(std::string_view name) {
  if (!name.starts_with("sm_")) return 0;
  name.remove_prefix(3);
  return parse_size(name.substr(0, name.find_first_not_of("0123456789"))).value_or(0);
}

// Returns where the predicted time applies: "on an A100 80GB SXM" for code for this GPU, "if an RTX 3090 ran this code"
// for other code that this GPU runs, and "if an A100 80GB SXM ran this code for sm_90" for code that it cannot run. A GPU
// runs machine code for its own major version, up to its own minor version.
std::string place_of(const predicted_time& t, std::string_view code) {
  const auto gpu = usual_name(t.gpu.substr(0, t.gpu.find(" at ")));  // "A100 at 1.410 GHz"
  const std::uint64_t of_code = capability_of(code), of_gpu = gpu && *gpu ? capability_of(**gpu) : of_code;
  if (of_code == of_gpu) return formatted("on {}", with_article(t.gpu));
  const bool runs = of_code / 10 == of_gpu / 10 && of_code < of_gpu;
  return formatted("if {} ran this code{}", with_article(t.gpu), runs ? "" : formatted(" for {}", code));
}

// Returns an amount of data with three digits: "12.6 MB".
std::string amount_text(std::uint64_t bytes) {
  constexpr std::pair<const char*, double> units[] = {{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"bytes", 1}};
  const auto* u = std::begin(units);
  while (u + 1 != std::end(units) && static_cast<double>(bytes) < u->second) ++u;
  const double n = static_cast<double>(bytes) / u->second;
  return formatted("{} {}", fixed(n, n < 9.995 && u->second > 1 ? 2 : n < 99.95 && u->second > 1 ? 1 : 0), u->first);
}

// Returns what a launch needs: "12.6 MB of needed data", "the needed arithmetic".
std::string needed_words(const needed_work& w) {
  if (w.is_arithmetic) return "the needed arithmetic";
  const std::uint64_t bytes = w.read_bytes + w.written_bytes;
  if (bytes == 0) return "the launch itself";
  return formatted("{}{} of needed data", w.is_estimated ? "about " : "", amount_text(bytes));
}

}  // namespace

std::string floor_line(const predicted_time& t) {
  constexpr double least = 0.1;  // of the time
  unsigned most = 0;
  std::string_view words;
  for (const named_resource& r : resources)
    if (const unsigned percent = percent_of(t.use, r.unit); percent > most) most = percent, words = r.words;
  // A short launch mostly consists of its own cost, which no unit can shorten.
  constexpr unsigned much_of_launch = 30;  // percent
  if (!t || above_floor(t) < least || percent_of(t.shares, "launch") >= much_of_launch) return {};
  const std::uint64_t busy = t.nanoseconds * most / 100, needed = nanoseconds_of(t, t.needed.cycles);
  std::string text;
  if (most != 0 && idle_part(t) >= least && busy > needed)
    text =
        formatted("about {}, if {} {} always busy", duration_text(busy), words, words.ends_with('s') ? "were" : "was");
  if (t.needed)
    text += formatted("{}{} for {}", text.empty() ? "about " : "; ", duration_text(needed), needed_words(t.needed));
  return text;
}

std::string products_line(const predicted_time& t) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
#define PRODUCT_PART(name, text, meaning) {#name, text},
#include "model/time/product_parts.def"
  };
  std::string line;
  for (const auto& [name, text] : words)
    for (const auto& [part, percent] : t.products)
      if (part == name) line += formatted("{}{} {}%", line.empty() ? "" : ", ", text, percent);
  return line;
}

std::string time_line(const report& r, const launch_report& l, std::uint64_t kinds) {
  switch (l.time_missing) {
    case unpredicted::none: break;
    case unpredicted::total_limit:
      return formatted(
          "not predicted, because predictions for other launches of this program used up the time limit ({} "
          "removes the limit)",
          worded(setting::time_model, "all"));
    case unpredicted::not_traced:
      return "not predicted, because bankwise could not follow the blocks of the launch within the time limit of one "
             "launch";
    case unpredicted::not_executed:
      return "not predicted, because this run did not execute the blocks that a prediction needs, and the host can see "
             "the memory that they would change. A run that executes all blocks predicts the time";
    case unpredicted::other_work:
      return formatted(
          "not predicted, because the launch did other work than the predicted launches of this kernel, and its blocks "
          "were not recorded ({} records the blocks of every launch)",
          worded(setting::time_model, "all"));
  }
  const predicted_time& t = l.time;
  if (!t) return {};
  const time_unit& u = unit_of(t.nanoseconds);
  return formatted("about {} {}{} {} ({} to {}), bound by {}", digits_text(t.nanoseconds, u), u.name,
                   l.count == 1 ? ""
                   : kinds > 1  ? " in all"
                                : " each",
                   place_of(t, r.on.name) + short_origin(t), digits_text(nanoseconds_of(t, t.cycles_low), u),
                   digits_text(nanoseconds_of(t, t.cycles_high), u), words_of_bound(t));
}

std::string predicted_sentence(const predicted_time& t) {
  std::string text =
      formatted("The launch takes about {} cycles ({} to {}), which is {}. This is the time on {} with {} caches{}{}. ",
                grouped(t.cycles), grouped(t.cycles_low), grouped(t.cycles_high), duration_text(t.nanoseconds),
                with_article(t.gpu), t.caches, origin_of_numbers(t), traced_text(t));
  if (t.shares.empty()) return formatted("{}No single resource bounds the launch.{}", text, use_sentence(t));
  text += "Without ";
  for (std::size_t i = 0; i < t.shares.size() && i < 3; ++i)
    text += formatted("{}{}{}{}% less time", i == 0 ? "" : "; without ", words_of_resource(t.shares[i].first),
                      i == 0 ? ", the launch would take " : ", ", t.shares[i].second);
  return formatted("{}.{}", text, use_sentence(t));
}

namespace {

// `before` is the current time as text.
std::string saving_text(const predicted_time& t, std::uint64_t after, const std::string& before) {
  if (!t || t.cycles == 0) return {};
  after = std::min(after, t.cycles);
  const double saved = 1 - static_cast<double>(after) / static_cast<double>(t.cycles);
  if (saved < least_saving)
    return formatted("saves under 1% of this kernel's time, which is bound by {}", words_of_bound(t));
  return formatted("saves {}% of this kernel's time: about {} instead of {}, {}", fixed(std::max(1.0, saved * 100), 0),
                   duration_text(nanoseconds_of(t, after)), before, factor_text(t.cycles, after));
}

}  // namespace

std::string saved_text(const predicted_time& t, std::uint64_t after) {
  return saving_text(t, after, duration_text(t.nanoseconds));
}

std::string saving_of_finding(const check::finding& f) {
  if (!f.time) return {};
  return formatted("removing it {}", saving_text(f.time, f.time.cycles - std::min(f.time.cycles, f.saved_cycles),
                                                 formatted("{} on {}", range_text(f.time), with_article(f.time.gpu))));
}

std::string whole_message(const check::finding& f) {
  const std::string saving = saving_of_finding(f);
  return f.message + (saving.empty() ? "" : formatted("; {}", saving)) +
         (f.fix.empty() ? "" : formatted(". {}", f.fix));
}

std::string factor_text(std::uint64_t before, std::uint64_t after) {
  const bool is_slower = after > before;
  const std::string ratio =
      fine_ratio_text(std::max(before, after), std::max<std::uint64_t>(1, std::min(before, after)));
  return ratio == "1.00" ? "as fast" : ratio + (is_slower ? " times as slow" : " times as fast");
}

std::string change_text(const predicted_time& before, const predicted_time& after) {
  if (!are_comparable(before, after)) return {};
  return formatted("about {} instead of {} on {}, {}", range_text(after), range_text(before), with_article(before.gpu),
                   factor_text(before.cycles, after.cycles));
}

bool is_clearly_slower(const predicted_time& before, const predicted_time& after) {
  return are_comparable(before, after) && is_clearly_slower(before.cycles, after.cycles);
}

std::string saving_of_edit(const std::string& name, const predicted_time& before, const predicted_time& after) {
  if (!are_comparable(before, after)) return {};
  const double longer =
      static_cast<double>(after.cycles) / static_cast<double>(std::max<std::uint64_t>(1, before.cycles)) - 1;
  if (std::abs(longer) < least_change)
    return formatted(
        "{}: the edit saves wavefronts, but less than 1% of this kernel's predicted time, which is bound by {} "
        "on {}.\n",
        name, words_of_bound(before), with_article(before.gpu));
  if (is_clearly_slower(before, after))
    return formatted("{}: predicted to take {}.\n", name, change_text(before, after));
  return formatted("{}: the edit {}, as predicted for {}.\n", name, saved_text(before, after.cycles),
                   with_article(before.gpu));
}

std::string waits_text(const stall_cycles& s) {
  const std::uint64_t all = s.sum();
  std::string text;
  std::size_t shown = 0;
  for (const auto& [reason, cycles] : s.by_reason) {
    constexpr std::size_t most_shown = 3;
    if (reason == "selected" || cycles * 20 < all || shown == most_shown) continue;
    text += formatted("{}{} {}%", text.empty() ? "" : ", ", words_of_stall(reason),
                      fixed(100.0 * static_cast<double>(cycles) / static_cast<double>(all), 0));
    ++shown;
  }
  return text;
}

std::string waiting_text(const launch_report& l, const style& s, const run_text_options& options) {
  const std::uint64_t all = l.time.waits.sum();
  if (all == 0) return {};
  text_table t;
  t.left_last = 2;
  t.left_first = 1;
  t.rows.push_back({"line", "time of warps", "warps wait for", "source"});
  for (const waiting_line& w : l.time.lines) {
    const std::uint64_t cycles = w.waits.sum();
    constexpr std::size_t most_rows = 6;  // largest number of rows in the table, including the header
    if (cycles * 100 < all * least_percent_of_line || (!options.all && t.rows.size() == most_rows)) continue;
    const std::string source = options.source_line ? std::string(trim(options.source_line(w.file, w.line))) : "";
    t.rows.push_back({formatted("{}:{}", base_name(w.file), w.line),
                      formatted("{}%", fixed(100.0 * static_cast<double>(cycles) / static_cast<double>(all), 0)),
                      waits_text(w.waits), cut_in_the_middle(source, 48)});
  }
  if (t.rows.size() == 1) return {};
  return formatted("{}, as predicted\n{}", s.strong("where warps spend their time"), t.text(s));
}

std::string barrier_waits_text(const launch_report& l, const style& s, const run_text_options& options) {
  // Waits that add up to less than this part of the time of all warps are not shown.
  constexpr std::uint64_t least_percent = 3;
  constexpr std::size_t most_rows = 5;
  std::uint64_t at_barriers = 0, of_all = 0;
  for (const auto& [reason, cycles] : l.time.waits.by_reason)
    if (reason == "barrier") at_barriers = cycles;
  for (const barrier_wait& b : l.time.barriers) of_all += b.waited * b.times;
  if (of_all == 0 || at_barriers * 100 < l.time.waits.sum() * least_percent) return {};
  text_table t;
  t.left_last = 2;
  t.rows.push_back({"barrier", "a warp waits", "the first one", "mostly for", "source"});
  for (const barrier_wait& b : l.time.barriers) {
    if (!options.all && (t.rows.size() == most_rows || b.waited * b.times * 20 < of_all)) continue;
    const bool is_one = b.last_percent >= 50;
    const std::string source = options.source_line ? std::string(trim(options.source_line(b.file, b.line))) : "";
    t.rows.push_back({formatted("{}:{}", base_name(b.file), b.line), count_of(b.waited, "cycle"), grouped(b.longest),
                      is_one ? formatted("warp {} ({}%)", b.last_warp, b.last_percent) : "any warp",
                      cut_in_the_middle(source, 40)});
  }
  if (t.rows.size() == 1) return {};
  return formatted("{}, for the warp that arrives last\n{}", s.strong("how long warps wait at barriers"), t.text(s));
}

std::string ratio_text(std::uint64_t before, std::uint64_t after) {
  return fixed(static_cast<double>(before) / static_cast<double>(after), 1);
}

std::string fine_ratio_text(std::uint64_t before, std::uint64_t after) {
  const double ratio = static_cast<double>(before) / static_cast<double>(after);
  return fixed(ratio, ratio < 1.995 ? 2 : 1);
}

namespace {

std::string clocks_sentence(const time_bound& b) {
  if (b.shared_cycles == 0) return "No instruction of this launch uses the shared-memory pipe.";
  const std::uint64_t others = std::max(b.issue_cycles, b.tensor_cycles);
  const std::string longer = longer_part(b.shared_cycles, b.issue_cycles, b.tensor_cycles);
  if (b.shared_cycles_reachable == b.shared_cycles)
    return b.shared_cycles > others
               ? formatted("Shared memory takes longest ({} clocks), and no layout reduces this time.",
                           grouped(b.shared_cycles))
               : formatted("No layout makes this kernel faster, because {}.", longer);
  if (std::max(b.shared_cycles, others) == std::max(b.shared_cycles_reachable, others))
    return formatted("Removing the bank conflicts alone does not make this kernel faster, because {}.", longer);
  return formatted(
      "Shared memory takes longest: {} clocks. Without bank conflicts, shared memory would take {} clocks.",
      grouped(b.shared_cycles), grouped(b.shared_cycles_reachable));
}

}  // namespace

std::string time_sentence(const launch_report& l) {
  const time_bound b = bound_of(l);
  if (!l.time || b.shared_cycles == 0) return clocks_sentence(b);
  if (l.time.cycles_without_conflicts == 0) {
    if (b.shared_cycles_reachable != b.shared_cycles) return clocks_sentence(b);
    return l.sum.queued != 0 ? "No layout makes this kernel faster, because lanes want the same words."
                             : "No layout makes this kernel faster, because the kernel has no bank conflicts.";
  }
  return formatted("Removing the bank conflicts {}.", saved_text(l.time, l.time.cycles_without_conflicts));
}

std::string saved_by_all(const report& r) {
  const predicted_time all = time_of_launches(r);
  if (all.cycles_without_conflicts == 0 || all.cycles == 0) return {};
  std::map<std::string, std::uint64_t> saved;
  std::uint64_t launches = 0;
  for (const launch_report& l : r.launches) {
    const predicted_time& t = l.time;
    if (t.cycles_without_conflicts != 0) saved[shown_name(l)] += (t.cycles - t.cycles_without_conflicts) * l.count;
    launches += l.count;
  }
  const std::uint64_t less = all.cycles - all.cycles_without_conflicts;
  if (static_cast<double>(less) < least_saving * static_cast<double>(all.cycles))
    return formatted(
        "Removing the bank conflicts of all {} launches saves under 1% of the launches' time. The launches take about "
        "{} on {}.",
        grouped(launches), range_text(all), with_article(all.gpu));
  const auto most =
      std::max_element(saved.begin(), saved.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return formatted(
      "Removing the bank conflicts of all {} launches saves {}% of the launches' time: about {} instead of {}, {}. {}% "
      "of the saving is in {}.",
      grouped(launches), fixed(100.0 * static_cast<double>(less) / static_cast<double>(all.cycles), 0),
      duration_text(nanoseconds_of(all, all.cycles_without_conflicts)), range_text(all),
      factor_text(all.cycles, all.cycles_without_conflicts),
      fixed(100.0 * static_cast<double>(most->second) / static_cast<double>(less), 0), most->first);
}

std::string waiting_sentence(const launch_report& l, const std::string& file, std::uint32_t line) {
  const std::uint64_t all = l.time.waits.sum();
  for (const waiting_line& w : l.time.lines) {
    if (all == 0 || w.line != line || w.file != file || w.waits.sum() * 100 < all * least_percent_of_line) continue;
    const std::string waits = waits_text(w.waits);
    return formatted("Warps spend {}% of their time at this line{}.",
                     fixed(100.0 * static_cast<double>(w.waits.sum()) / static_cast<double>(all), 0),
                     waits.empty() ? "" : formatted(". They wait for {}", waits));
  }
  return {};
}

std::string win_sentence(const counts& c, const launch_report& l, std::uint64_t saved_cycles, const std::string& what) {
  const time_bound b = bound_of(l);
  if (removable(c) + queued(c) == 0)
    return formatted("Nothing to save: {} takes the fewest wavefronts that its words allow.", what);
  if (removable(c) == 0)
    return formatted(
        "Lanes queue for one word, which costs {}. No layout can reduce this cost. Combine the values of the lanes "
        "before the access.",
        count_of(queued(c), "wavefront"));
  const std::uint64_t gain = c.cycles - std::min(c.best_cycles, c.cycles);
  if (gain == 0)
    return "A layout can remove wavefronts, but it does not save clocks of the pipe. The passes of the register file, "
           "or the minimum of the operation, take at least as many clocks as the wavefronts.";
  const std::string rest =
      queued(c) == 0 ? ""
                     : formatted(
                           " Another {} wavefronts occur because lanes queue for one word. Combine the values of these "
                           "lanes before the access.",
                           grouped(queued(c)));
  if (l.time)
    return formatted("Removing the conflicts frees {} of the shared pipe and {}.{}", count_of(gain, "clock"),
                     saved_text(l.time, l.time.cycles - std::min(saved_cycles, l.time.cycles)), rest);
  return formatted("Removing the conflicts frees {} of the {} clocks for which the shared pipe is busy.{}",
                   count_of(gain, "clock"), grouped(b.shared_cycles), rest);
}

std::string longer_part(std::uint64_t shared, std::uint64_t issue, std::uint64_t tensor) {
  const std::uint64_t longer = std::max(issue, tensor);
  const std::string text = formatted("{} {}", tensor > issue ? "the tensor cores take" : "issuing instructions takes",
                                     count_of(longer, "clock"));
  return longer == shared ? formatted("{}, and shared memory takes the same number", text)
                          : formatted("{}, and shared memory takes only {}", text, count_of(shared, "clock"));
}

std::string time_text(const launch_report& l, const style& s) {
  const std::vector<clock_row> rows = clock_rows(bound_of(l));
  std::size_t name_width = 12, width = 0;
  for (const clock_row& row : rows) {
    name_width = std::max(name_width, row.name.size() + 1);
    width = std::max(width, grouped(row.clocks).size());
  }
  std::string text = formatted("{}\n", s.strong("clocks of one multiprocessor"));
  for (const clock_row& row : rows)
    text += formatted("  {} {}{}\n", pad_right(row.name, name_width), pad_left(grouped(row.clocks), width), row.says);
  return text;
}

std::string program_sentence(const report& r) {
  if (r.launches.size() == 1) return time_sentence(r.launches[0]);
  std::uint64_t removable = 0, launches = 0;
  for (const launch_report& l : r.launches) {
    removable += l.sum.removable * l.count;
    launches += l.count;
  }
  const std::string all = formatted("of {}", count_of(launches, "launch", "launches"));
  if (const predicted_time time = time_of_launches(r); removable == 0 && time)
    return formatted("The {} take about {} on {}, bound by {}.", count_of(launches, "launch", "launches"),
                     range_text(time), with_article(time.gpu), words_of_bound(time));
  if (removable == 0) return formatted("No padding or swizzle would remove wavefronts in any {}.", all);
  if (const std::string saved = saved_by_all(r); !saved.empty()) return saved;
  return formatted("A layout could remove {} {}.", count_of(removable, "wavefront"), all);
}

}  // namespace bankwise
