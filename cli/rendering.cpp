#include "rendering.hpp"

#include <algorithm>
#include <cstdio>

#include "output.hpp"
#include "report/report_formats.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace bankwise::cli {

namespace {

std::optional<diagnostic> refuse_root(const arguments& args) {
  const std::string root = args.value("root").value_or(".");
  std::error_code ec;
  if (std::filesystem::is_directory(root, ec)) return std::nullopt;
  return diagnostic{"--root " + root + ": there is no such folder", {}, {}, "root"};
}

}  // namespace

result<std::string> asked_format(const arguments& args) {
  std::vector<std::string> names;
  for (const report_format& f : report_formats()) names.emplace_back(f.name);
  return output_format(args, names.front(), names);
}

result<done> place_findings(const arguments& args, const source_files& sources, std::vector<check::finding>& findings) {
  if (const auto wrong = refuse_root(args)) return *wrong;
  for (check::finding& i : findings) i.path = sources.path_from_root(i.file);
  return done{};
}

result<std::string> render(const arguments& args, const std::string& format, const report& r, const launch_fixes& fixes,
                           source_files& sources, const std::string& input) {
  const report_format& form = *find_report_format(format);
  const auto paint = output_style(args);
  if (!paint) return paint.error();
  if (form.names_paths)
    if (const auto wrong = refuse_root(args)) return *wrong;
  return form.write(r, fixes,
                    {*paint, args.has("all"), !args.has("fix"),
                     [&](const std::string& file, std::uint32_t line) { return sources.line(file, line); },
                     [&](const std::string& file) { return sources.path_from_root(file); }, input});
}

result<checks> read_checks(const arguments& args) {
  if (!args.has("check")) return checks{};
  const auto what = choice(args, "check", "all", {"uninit", "race", "all"});
  if (!what) return what.error();
  return checks{*what != "race", *what != "uninit"};
}

result<bool> read_strict_bounds(const arguments& args) {
  const auto faults = choice(args, "faults", "report", {"report", "stop"});
  if (!faults) return faults.error();
  return *faults == "stop";
}

void tell_out_of_bounds(const report& r) {
  std::size_t n = 0;
  for (const launch_report& l : r.launches) n += l.out_of_bounds.size();
  if (n != 0)
    std::fprintf(stderr, "bankwise: %zu instruction%s out of bounds of global memory; the report says where\n", n,
                 n == 1 ? "" : "s");
}

result<int> status_of(const arguments& args, const report& r) {
  const auto fail_on = choice(args, "fail-on", "never", {"removable", "any", "never"});
  if (!fail_on) return fail_on.error();
  bool removable = false, others = false, hazards = false, out_of_bounds = false;
  for (const launch_report& l : r.launches) {
    removable |= l.sum.removable != 0;
    others |= l.sum.queued != 0 || std::any_of(l.sites.begin(), l.sites.end(), goes_round);
    hazards |= !l.hazards.empty();
    out_of_bounds |= !l.out_of_bounds.empty();
  }
  if (hazards || (*fail_on != "never" && (removable || out_of_bounds)) || (*fail_on == "any" && others))
    return exit_findings;
  if (const early_end partial = early_end_of(r); partial && *fail_on != "never")
    return diagnostic{"--fail-on " + *fail_on + ": the report is partial, " + words_of(partial) +
                          ", and has no findings so far: what was not executed cannot pass",
                      {},
                      "make the report again, to the end of the run"};
  return exit_clean;
}

}  // namespace bankwise::cli
