// The settings of a run or a question, by name. Messages of the library contain the names of settings. The front end
// determines the written form: a flag of the command line, or an argument of a Python function.
//
//                                               command line                   Python
//     worded(setting::fix)                      --fix                          fix=True
//     worded(setting::total_budget)             --total-budget                 total_budget
//     worded(setting::let, "pitch=33")          --let pitch=33                 let={"pitch": 33}
//     worded(setting::array, "float s[32]")     --array 'float s[32]'          array="float s[32]"
//     spelled("say which, as {arch=sm_100}")    say which, as --arch sm_100    say which, as arch="sm_100"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bankwise {

enum class setting : std::uint8_t {
  all,
  arch,
  array,
  baseline,
  block,
  budget,
  check,
  ctas,
  faults,
  fix,
  format,
  global,
  grid,
  let,
  mask,
  op,
  pad,
  phases,
  seed,
  shared,
  source,
  stack,
  swizzle,
  threads,
  time,
  time_model,
  total_budget,
  trace,
  type,
  update_baseline,
  update_budgets,
  warp,
  where,
  width,
  zfill,
};
inline constexpr unsigned setting_count = static_cast<unsigned>(setting::zfill) + 1;

// Returns the name, for example "update-baseline".
std::string_view name_of(setting s);

// How settings are written. The editor and the page also use `flags`. In the editor, users write flags in the command
// of a [[run]]. The page replaces each flag by the name of its field.
enum class wording : std::uint8_t { flags, python };
// Sets the wording for all threads of this process. Call this function before anything is printed. The default is
// `flags`.
void speak(wording w);

std::string worded(setting s);
// Returns the setting with a value, in a form that users can copy.
std::string worded(setting s, std::string_view value);
// Returns how a flag is written. `name` has no dashes. This function is for code that reads flag_values.
std::string worded_name(std::string_view name);
// Replaces the settings in a constant sentence: {fix} is a setting, and {arch=sm_100} is a setting with a value.
std::string spelled(std::string_view sentence);

}  // namespace bankwise
