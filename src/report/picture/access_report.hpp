// The answer of `bankwise explain` about one access: its cost and the reasons, as text and as JSON.
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
#include "report/table/style.hpp"

namespace bankwise {

struct access_report : named_access {
  explanation why{};
  rule_source rule{};
  std::string basis;  // source of the rule, and published evidence if any (expr/published.hpp)
};

access_report report_access(named_access a);

// A bank that serves more than one word in a phase.
struct collision {
  u32 phase = 0, bank = 0, wavefronts = 0;
  struct word {
    std::string turns;  // number of the wavefront: "1", or "1-4" for lanes that queue for the word
    u32 word = 0;
    std::string bytes;  // bytes that lanes want, such as "bytes 0-3"
    std::string lanes;  // lanes that want the word, such as "lanes 0-3, one after another"
  };
  std::vector<word> words;  // words in the order in which the bank serves them
};
// Returns all collisions. The collision with the highest cost is first.
std::vector<collision> collisions_of(const access_report& r);
// Returns the reasons why the banks collide, one sentence for each.
std::vector<std::string> reasons_of(const access_report& r, const std::vector<collision>& list);

// Colours a text according to the cost of the access.
std::string paint_by_cost(const access_report& r, const style& s, const std::string& text);
// Returns the picture of the wavefronts and the list of the collisions. The list and each phase of the picture have at
// most `most_lines` lines.
std::string collision_text(const access_report& r, const style& s, std::size_t most_lines);

// The parts of a verdict: "32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable". All parts
// except the cause may be empty.
struct verdict_words {
  std::string count;    // "32 wavefronts"
  std::string article;  // "a ", for texts that put the cause into a sentence
  std::string cause;    // "32-way bank conflict on bank 0"
  std::string rest;     // "1 is reachable, 31 removable"
};
verdict_words verdict_words_of(const access_report& r);
// Returns the verdict as a sentence.
std::string verdict(const access_report& r);
// With `all`, lists every collision. Otherwise, lists only the worst collisions.
std::string to_text(const access_report& r, const style& s, bool all);
// Writes the answer as JSON. Its schema is bankwise.explain/1, docs/reference/explain.schema.json.
std::string to_json(const access_report& r);

}  // namespace bankwise
