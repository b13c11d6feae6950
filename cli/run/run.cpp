// bankwise run: executes one kernel or a complete program on the CPU.
#include "base/format.hpp"
#include "base/system/scratch_folder.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/asked_architecture.hpp"
#include "cli/run/batch.hpp"
#include "cli/run/present.hpp"
#include "cli/run/run_kernel.hpp"
#include "cli/run/run_program.hpp"
#include "cli/run/run_settings.hpp"

namespace bankwise::cli {

result<int> run_kernel_or_program(const arguments& given) {
  if (given.has("batch")) return run_batch(given);
  for (const char* flag : {"jobs", "stop-above", "key"})
    if (given.has(flag))
      return diagnostic{
          formatted("--{} is for a list of launches, --batch FILE", flag),
          {},
          flag == std::string_view("jobs") ? "--threads is the number of thread blocks that run at the same time" : ""};
  arguments args = given;
  if (const auto arch = args.value("arch")) args.values["arch"] = {arch_as_nvcc_has_it(*arch)};
  const bool whole_program = runs_program(args);
  auto how = read_report_request(args, whole_program      ? report_goes::beside_program
                                       : args.has("sass") ? report_goes::nowhere
                                                          : report_goes::out);
  if (!how) return how.error();
  const auto sm = number_of(args.value("arch"));
  if (!sm) return sm.error();
  auto settings = read_run_settings(args);
  if (!settings) return settings.error();
  // A page has fixes even without --fix. If a whole program runs, this search has a short time limit, so that the page
  // is not delayed.
  if (how->is_page()) settings->keeps_accesses = true;
  if (!whole_program && how->is_page()) how->fix = true;
  if (how->fix && args.has("no-fix")) return diagnostic{"pass either --fix or --no-fix"};
  how->looks = settings->looks = how->shows_fixes() && !how->fix && !how->accesses && !args.has("no-fix") &&
                                 !args.has("try-warps") && !args.has("sass");
  if (whole_program) {
    how->program = args.positional;
    how->program.insert(how->program.end(), args.of_program.begin(), args.of_program.end());
  }
  if (whole_program && args.has("try-warps"))
    return diagnostic{"--try-warps needs a single kernel, not a whole program",
                      {},
                      "bankwise run FILE -k KERNEL --grid X,Y,Z --block X,Y,Z --arg ... --try-warps"};
  if (whole_program && args.has("try-input"))
    return diagnostic{
        "--try-input needs a single kernel, not a whole program",
        {},
        "save a report of each input with --accesses --format json, and run bankwise fix one.json --try-input "
        "other.json"};
  auto question = read_kernel_question(args, *settings);
  if (!question) return question.error();
  const stop_on_signals stops;
  remove_abandoned_folders();
  return whole_program ? run_program(args, *how, *settings, *sm)
                       : run_kernel(args, *how, *settings, std::move(*question), *sm);
}

}  // namespace bankwise::cli
