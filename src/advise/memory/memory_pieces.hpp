// Pieces of a launch's shared memory. A piece is the memory that the instructions of one web use
// (profile/code/value_flow.hpp). Pieces of one array are joined. They have the same name, or are rounds of an unrolled
// loop.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "advise/memory/named_parts.hpp"
#include "model/report.hpp"

namespace bankwise::advise {

using word_set = std::vector<bool>;  // one bit for each word of the block's shared memory

struct piece {
  shared_array memory;
  word_set touched;
  std::uint32_t width = 16, pitch = 0;
  std::set<std::string> names;  // names that the source lines permit; empty if any name is possible

  bool has_name() const { return names.size() == 1; }
};

bool overlap(const word_set& a, const word_set& b);

void put_together(const launch_report& l, piece& to, const piece& from);
// Finds the name of each piece on the source lines that access the piece. Then joins the pieces of each array.
void join_pieces(const launch_report& l, const named_parts& parts, std::vector<piece>& pieces);

// Returns the distance in bytes from a row to the next row, or 0. The distance is found from neighbouring lanes.
std::uint32_t pitch_of(const std::vector<const recorded_access*>& accesses);

}  // namespace bankwise::advise
