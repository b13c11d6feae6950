// Every flag of every verb, once: parsing, help, completion and the manual all read this table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace bankwise::cli {

enum class arity { none, one, many };

struct flag {
  std::string_view verbs;  // names of the verbs that accept the flag, separated by blanks
  std::string_view name;   // "--long" or "-s,--long"
  std::string_view value;  // the name of the flag's value in help; empty for a switch
  arity count;
  std::string_view help;
  std::string_view words = {};  // possible values, separated by blanks, for completion
  std::string_view also = {};   // another accepted --long name, from other verbs and tools
};

std::span<const flag> flags();
// The long name without dashes.
std::string_view long_name(const flag& f);
// The short name: 'o' for "-o,--output". 0 if there is no short name.
char short_name(const flag& f);
// Names of the architectures whose rule is known.
std::vector<std::string_view> architecture_names();
// The possible words of a flag's value. Empty if they are unknown, or if the value is not a word.
std::vector<std::string_view> values_of(const flag& f);
bool takes(const flag& f, std::string_view verb);

// The flags of a verb in the order of help and manual: common flags first, then flags grouped by purpose.
struct flag_group {
  std::string_view title;  // empty if the verb has few flags, which are then one group
  std::vector<const flag*> flags;
};
std::vector<flag_group> groups_of(std::string_view verb);

}  // namespace bankwise::cli
