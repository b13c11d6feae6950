// The answer of `bankwise explain`: one access, what it costs and why, as text and as JSON.
//
//     32 wavefronts: a 32-way bank conflict on bank 0; 1 is reachable, 31 removable
//
//       machine     sm_90 (Hopper): 32 banks of 4 bytes
//       ...         and the picture of picture.hpp
#pragma once

#include <string>

#include "bankwise/wavefronts.hpp"
#include "expr/question.hpp"
#include "report/style.hpp"

namespace bankwise {

struct access_report : question {
  explanation why{};
  rule_source rule{};
};

access_report report_access(question q);

// Colours a verdict or anything like it by what it says.
std::string paint_by_cost(const access_report& r, const style& s, const std::string& text);
// The picture of the wavefronts and the list of the collisions, at most `most_lines` of the list and of each phase.
std::string collision_text(const access_report& r, const style& s, std::size_t most_lines);

// One sentence: the wavefronts, the conflict, what is reachable.
std::string verdict(const access_report& r);
// `all`: list every collision instead of the worst.
std::string to_text(const access_report& r, const style& s, bool all);
// Schema bankwise.explain/1, docs/reference/explain.schema.json.
std::string to_json(const access_report& r);

}  // namespace bankwise
