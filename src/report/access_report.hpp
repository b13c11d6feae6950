// The answer of `bankwise explain`: one access, what it costs and why, as text and as JSON.
//
//     32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable
//
//       words wanted from each bank
//       bank        0 1 2 3 4 5 6 7 8 9101112131415161718192021222324252627282930 31
//       phase 0    32 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .
//                   |
//                   +-- 32 different words: 32 wavefronts, while the other banks idle
#pragma once

#include <string>

#include "bankwise/wavefronts.hpp"
#include "expr/names.hpp"
#include "report/style.hpp"

namespace bankwise {

struct access_report {
  std::string title;      // what was asked: the expression, or "32 addresses"
  std::string operation;  // ld.b128
  machine on;
  access what{};
  explanation why{};
  rule_source rule{};
};

access_report report_access(std::string title, const named_operation& op, const machine& on, const access& what);

// Colours a verdict or anything like it by what it says.
std::string paint_by_cost(const access_report& r, const style& s, const std::string& text);
// The bank map and the collisions alone; at most `most_lines` lines of those.
std::string picture(const access_report& r, const style& s, std::size_t most_lines);

// One sentence: the wavefronts, the conflict, what is reachable.
std::string verdict(const access_report& r);
// `all`: list every collision instead of the worst.
std::string to_text(const access_report& r, const style& s, bool all);
// Schema bankwise.explain/1, docs/reference/explain.schema.json.
std::string to_json(const access_report& r);

}  // namespace bankwise
