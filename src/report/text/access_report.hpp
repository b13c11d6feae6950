// The answer of `bankwise explain`: the cost of one access and the reasons, as text and as JSON.
//
//     32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable
//
//       machine     sm_90 (Hopper): 32 banks of 4 bytes
//       ...         and the picture of picture.hpp
#pragma once

#include <string>
#include <vector>

#include "bankwise/wavefronts.hpp"
#include "expr/named_access.hpp"
#include "report/text/style.hpp"

namespace bankwise {

struct access_report : named_access {
  explanation why{};
  rule_source rule{};
  std::string basis;  // the source of the rule, with more evidence if it exists (expr/published.hpp)
};

access_report report_access(named_access a);

// A bank that serves more than one word in a phase.
struct collision {
  u32 phase = 0, bank = 0, wavefronts = 0;
  struct word {
    std::string turns;  // number of the wavefront: "1", or "1-4" for lanes that queue for the word
    u32 word = 0;
    std::string bytes;  // example: "bytes 0-3"
    std::string lanes;  // example: "lanes 0-3, one after another"
  };
  std::vector<word> words;  // in the order in which the bank serves the words
};
// All collisions, most expensive first.
std::vector<collision> collisions_of(const access_report& r);
// Why the banks collide, with one sentence for each reason.
std::vector<std::string> reasons_of(const access_report& r, const std::vector<collision>& list);

// Colours a text by the cost of the access.
std::string paint_by_cost(const access_report& r, const style& s, const std::string& text);
// The picture of the wavefronts and the list of the collisions. The list has at most `most_lines` lines, and so has
// each phase of the picture.
std::string collision_text(const access_report& r, const style& s, std::size_t most_lines);

// One sentence: the number of wavefronts, the conflict, and the reachable number.
std::string verdict(const access_report& r);
// If `all` is set, lists every collision, not only the worst ones.
std::string to_text(const access_report& r, const style& s, bool all);
// Writes the schema bankwise.explain/1, docs/reference/explain.schema.json.
std::string to_json(const access_report& r);

}  // namespace bankwise
