// bankwise tune: predicts the time of each configuration of a space, and ranks them.
#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/scratch_folder.hpp"
#include "cli/line/error_form.hpp"
#include "cli/line/output.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/tune/merge_tuned.hpp"
#include "cli/tune/search.hpp"
#include "cli/tune/tune_cache.hpp"
#include "cli/tune/tune_list.hpp"
#include "cli/tune/tune_request.hpp"
#include "tune/tuned_json.hpp"
#include "tune/tuned_text.hpp"

namespace bankwise::cli {

namespace {

constexpr answer_format<tune::tuned> tune_formats[] = {
    {"text", [](const tune::tuned& t, const answer_look& how) { return tune::to_text(t, how.paint, how.all); }},
    {"json", [](const tune::tuned& t, const answer_look&) { return tune::to_json(t); }},
    {"csv", [](const tune::tuned& t, const answer_look&) { return tune::to_csv(t); }},
};

}  // namespace

result<int> tune_kernels(const arguments& args) {
  const auto format = asked_format(args, tune_formats);
  if (!format) return format.error();
  if (const auto wrong = refuse_outputs(args)) return *wrong;
  std::optional<tune::tuned> found;
  if (args.has("merge")) {
    auto merged = merge_tuned_files(args.positional);
    if (!merged) return merged.error();
    found = std::move(*merged);
  } else {
    const auto r = read_tune_request(args);
    if (!r) return r.error();
    if (args.has("list")) {
      const auto lines = list_launches(*r);
      if (!lines) return lines.error();
      const auto listed = write_file(args.value("output").value_or(""), *lines);
      if (!listed) return listed.error();
      return exit_clean;
    }
    const auto cache = tune_cache::open(args.value("cache"));
    if (!cache) return cache.error();
    const stop_on_signals stops;
    remove_abandoned_folders();
    auto searched = search(*r, *cache);
    if (!searched && stop_signal().load() != 0) {
      tell_error(searched.error());
      return exit_of(static_cast<int>(stop_signal().load()));
    }
    if (!searched) return searched.error();
    found = std::move(*searched);
  }
  const auto written = write_answer(args, **format, *found);
  if (!written) return written.error();
  const bool any = std::any_of(found->rows.begin(), found->rows.end(),
                               [](const tune::tuned_row& row) { return row.is == tune::outcome::ranked; });
  return any || found->rows.empty() ? exit_clean : exit_failed;
}

}  // namespace bankwise::cli
