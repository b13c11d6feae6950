#include "report/forms/diff_comment.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "check/saturate.hpp"
#include "report/forms/markdown_text.hpp"
#include "report/sections/finding_words.hpp"
#include "report/table/text_table.hpp"
#include "report/text/diff_report.hpp"

namespace bankwise {

namespace {

using check::diff_row;
using check::kernel_diff;

constexpr std::size_t most_rows = 30;  // largest number of rows in a table of the comment

std::string time_verdict(const check::report_diff& d) {
  predicted_time a = d.time_a, b = d.time_b;
  for (predicted_time* t : {&a, &b}) {
    t->gpu = plain_or_code(t->gpu);
    t->caches = plain_or_code(t->caches);
  }
  return time_verdict_of(a, b);
}

// Draws the worst access of the line whose removable wavefronts increased most. Returns an empty string if no line has
// an increase.
std::string worst_drawn(const check::report_diff& d, const report& b) {
  const kernel_diff* of = nullptr;
  const diff_row* worst = nullptr;
  constexpr measure m = measure::removable;
  std::int64_t most = 0;
  for (const kernel_diff& k : d.kernels)
    for (const diff_row& r : k.rows)
      if (r.in_b && check::minus(r.b[m].is, r.a[m].is) > most) {
        most = check::minus(r.b[m].is, r.a[m].is);
        of = &k;
        worst = &r;
      }
  const site* drawn = nullptr;
  for (const launch_report& l : b.launches)
    for (const site& s : l.sites)
      if (worst != nullptr && l.kernel == of->kernel && s.line == worst->line_b && base_name(s.file) == worst->file &&
          s.op.spelling == worst->operation && (drawn == nullptr || removable(s) > removable(*drawn)))
        drawn = &s;
  if (drawn == nullptr) return "";
  const access_report access = explained(*drawn, b.on);
  const std::string picture = formatted("{}\n\n{}", verdict(access), collision_text(access, {}, 5));
  std::string fence = "```";
  while (picture.find(fence) != std::string::npos) fence += '`';
  return formatted(
      "\n<details open><summary>The worst access of the line whose removable wavefronts grew "
      "most</summary>\n\n{}\n\n{}text\n{}{}\n\n</details>\n",
      code_span(formatted("{}:{}", worst->file, worst->line_b)), fence, picture, fence);
}

// Returns a table of the lines of one kind of memory. Lines that became worse come first, then lines that became
// better. Sets `same` to the number of lines with equal cost.
std::string lines_table(const check::report_diff& d, std::vector<diff_row> kernel_diff::*rows, const measure_row& cost,
                        std::size_t& same) {
  struct changed_line {
    const kernel_diff* of;
    const diff_row* row;
  };
  std::vector<changed_line> changed;
  for (const kernel_diff& k : d.kernels)
    for (const diff_row& r : k.*rows)
      if (r.in_a && r.in_b && r.a == r.b)
        ++same;
      else
        changed.push_back({&k, &r});
  if (changed.empty()) return {};
  const auto change = [&](const changed_line& l) {
    const auto of = [&](measure m) { return check::minus(l.row->b[m].is, l.row->a[m].is); };
    return std::pair{of(cost.waste), of(cost.is)};
  };
  std::stable_sort(changed.begin(), changed.end(),
                   [&](const changed_line& x, const changed_line& y) { return change(x) > change(y); });
  std::string text = formatted(
      "\n| | line | access | {} before | after | {} before | after | kernel | source |\n"
      "|---|---|---|--:|--:|--:|--:|---|---|\n",
      cost.head, row_of(cost.waste).head);
  for (std::size_t i = 0; i < std::min(changed.size(), most_rows); ++i) {
    const auto& [k, r] = changed[i];
    const auto [second, first] = change(changed[i]);
    const bool worse = second > 0 || (second == 0 && first > 0), equal = second == 0 && first == 0;
    const auto number = [](bool is_there, std::uint64_t n) { return is_there ? grouped(n) : std::string(); };
    text +=
        markdown_row({std::string(!r->in_a   ? "new"
                                  : !r->in_b ? "gone"
                                  : equal    ? ""
                                  : worse    ? "worse"
                                             : "better"),
                      code_span(line_numbers_of(*r, true)), code_span(r->operation), number(r->in_a, r->a[cost.is].is),
                      number(r->in_b, r->b[cost.is].is), number(r->in_a, r->a[cost.waste].is),
                      number(r->in_b, r->b[cost.waste].is), code_span(k->instance), code_span(r->text)});
  }
  if (changed.size() > most_rows)
    text += formatted("\n{} changed. `bankwise diff` lists all changed lines.\n",
                      count_of(changed.size() - most_rows, "more line"));
  return text;
}

}  // namespace

std::string to_markdown(const check::report_diff& d, const report& b) {
  std::string text = formatted("**bankwise: {}**\n", verdict_of(d));
  if (const std::string time = time_verdict(d); !time.empty()) text += formatted("\nPredicted time: {}.\n", time);
  for (const auto& [name, failure] : {std::pair{"before", d.failure_a}, std::pair{"after", d.failure_b}})
    if (!failure.empty())
      text += formatted("\nThe program failed {} the change: {}\n", name, escaped_sentence(failure));
  if (!d.unfinished.empty())
    text += "\nNot compared, because a program ended before all launches of these kernels had run:\n\n";
  for (const std::string& kernel : unfinished_of(d)) text += formatted("- {}\n", code_span(kernel));
  for (const auto& [name, partial, failure] :
       {std::tuple{"before", d.partial_a, d.failure_a}, std::tuple{"after", d.partial_b, d.failure_b}})
    if (partial && failure.empty())
      text += formatted("\nThe report from {} the change is partial ({}).\n", name,
                        words_of(early_end{partial.why, plain_or_code(partial.signal)}));
  for (const std::string& kernel : d.uncounted)
    text += formatted("\nOnly one of the two reports has sectors of global memory for {}.\n", code_span(kernel));
  if (const std::uint64_t apart = check::plus(d.a[measure::removable].apart, d.b[measure::removable].apart);
      d.estimated_a || d.estimated_b)
    text += formatted(
        "\nThe counts are estimates. A difference of up to {} removable wavefronts may be an error of the estimates.\n",
        grouped(apart));
  std::size_t same = 0;
  text += lines_table(d, &kernel_diff::rows, row_of(measure::wavefronts), same);
  text += lines_table(d, &kernel_diff::global_rows, row_of(measure::sectors), same);
  if (same != 0) text += formatted("\n{}{} the same.\n", grouped(same), same == 1 ? " line costs" : " lines cost");
  return text + worst_drawn(d, b);
}

}  // namespace bankwise
