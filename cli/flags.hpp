// Every verb and every flag, once: parsing and help both read these tables.
#pragma once

#include <span>
#include <string_view>

namespace bankwise::cli {

enum class arity { none, one, many };

struct verb {
  std::string_view name;
  std::string_view usage;    // what stands behind the verb
  std::string_view summary;  // one line
  std::string_view example;
  std::string_view details = {};  // of its help, lines
};

struct flag {
  std::string_view verbs;  // the verbs that take it, separated by blanks
  std::string_view name;   // --long, or -s,--long
  std::string_view value;  // what its value is called; empty for a switch
  arity count;
  std::string_view help;
};

std::span<const verb> verbs();
std::span<const flag> flags();
bool takes(const flag& f, std::string_view verb);

}  // namespace bankwise::cli
