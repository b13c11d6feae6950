// Every flag of every verb. The table is read by the parser, help, completion and the manual.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace bankwise::cli {

enum class arity { none, one, many };

struct flag {
  std::string_view verbs;  // verbs that accept the flag, separated by spaces
  std::string_view name;   // names of the flag: "--long" or "-s,--long"
  std::string_view value;  // name of the value in help; empty if the flag has no value
  arity count;
  std::string_view help;
  std::string_view words = {};  // possible values for completion, separated by spaces
  std::string_view also = {};   // further --long names, separated by spaces, for users of other verbs and tools
};

std::span<const flag> flags();
// Returns the long name without dashes.
std::string_view long_name(const flag& f);
// Returns the short name, such as 'o' for "-o,--output". Returns 0 if the flag has no short name.
char short_name(const flag& f);
// Returns the names of the architectures whose rule is known.
std::vector<std::string_view> architecture_names();
// Returns the possible values of a flag. Returns an empty list if a flag also accepts other values.
std::vector<std::string_view> values_of(const flag& f);
bool takes(const flag& f, std::string_view verb);

// The flags of a verb in the order of help and manual. Common flags come first, then flags grouped by purpose.
struct flag_group {
  std::string_view title;  // title of the group; empty if the verb has so few flags that they form one group
  std::vector<const flag*> flags;
};
std::vector<flag_group> groups_of(std::string_view verb);

}  // namespace bankwise::cli
