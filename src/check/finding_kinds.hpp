// The kinds of findings, by number. The command line, SARIF and the page of all findings use this table.
#pragma once

#include <span>
#include <string_view>

#include "bankwise/access.hpp"

namespace bankwise::check {

enum class severity { note, warning, error };
std::string_view name_of(severity s);

// An example of one or two accesses, before and after a change. The example does not store wavefronts. The rule counts
// them when the page is made.
struct kind_example {
  std::string_view before_code, after_code;
  access (*before)() = nullptr;
  access (*after)() = nullptr;  // null if the example has only one access
};

struct finding_kind {
  std::string_view id;    // example: "BW101"
  std::string_view name;  // example: "RemovableBankConflict"
  severity level = severity::warning;
  std::string_view title;  // one line without a full stop
  std::string_view what;   // paragraphs of the page about the kind
  std::string_view why;
  std::string_view fix;
  std::string_view ignore;  // when users can ignore such a finding
  kind_example example = {};
};

std::span<const finding_kind> finding_kinds();
// Whether a project may accept a finding. It may not accept an exceeded budget or a wrong suppression.
bool can_be_ignored(const finding_kind& k);
// Finds a kind by its number, in upper or lower case. Returns null if there is no such kind.
const finding_kind* find_kind(std::string_view id);

inline constexpr std::string_view removable_conflict = "BW101", word_queue = "BW102", copy_past_l1 = "BW103",
                                  retry_loop = "BW104", contention = "BW105", over_budget = "BW201",
                                  lost_budget = "BW202", bad_suppression = "BW301", idle_suppression = "BW302",
                                  out_of_bounds = "BW401", uninitialised_read = "BW402", race = "BW403",
                                  wrong_synchronisation = "BW404", doubtful_synchronisation = "BW405",
                                  other_results = "BW406", wrong_call = "BW407", doubtful_call = "BW408",
                                  uncoalesced = "BW501", misaligned = "BW502", local_memory = "BW503",
                                  strided = "BW504", used_in_parts = "BW505", loaded_again = "BW506",
                                  local_in_loop = "BW507", many_launches = "BW614";
// The kinds of delays, which have the numbers of delays.def.
#define DELAY(name, id) inline constexpr std::string_view name = id;
#include "model/time/delays.def"

}  // namespace bankwise::check
