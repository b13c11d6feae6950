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
  std::string basis;  // the evidence for the rule: its source, or more (expr/published.hpp)
};

access_report report_access(named_access a);

// A bank that serves more than one word in a phase.
struct collision {
  u32 phase = 0, bank = 0, wavefronts = 0;
  struct word {
    std::string turns;  // the turn: "1", or "1-4" for lanes that queue for it
    u32 word = 0;
    std::string bytes;  // "bytes 0-3"
    std::string lanes;  // "lanes 0-3, one after another"
  };
  std::vector<word> words;  // in the order in which the bank serves them
};
// The worst first.
std::vector<collision> collisions_of(const access_report& r);
// Why the banks collide, one sentence for each reason.
std::vector<std::string> reasons_of(const access_report& r, const std::vector<collision>& list);

// Colours a verdict or a similar text by its meaning.
std::string paint_by_cost(const access_report& r, const style& s, const std::string& text);
// The picture of the wavefronts and the list of the collisions. The list, and each phase, has at most `most_lines`
// lines.
std::string collision_text(const access_report& r, const style& s, std::size_t most_lines);

// One sentence: the wavefronts, the conflict, the reachable number.
std::string verdict(const access_report& r);
// With `all`, lists every collision instead of only the worst.
std::string to_text(const access_report& r, const style& s, bool all);
// Schema bankwise.explain/1, docs/reference/explain.schema.json.
std::string to_json(const access_report& r);

}  // namespace bankwise
