// No GPU was asked about the instructions in unmeasured.def, and about those that sm_90 does not have. meaning_test
// compares this with the probes.
#include "sass/meaning.hpp"

#include <vector>

#include "sass/opcode.hpp"

namespace bankwise::sass {

namespace {

struct unmeasured_row {
  opcode op;
  meaning level;
};
constexpr unmeasured_row unmeasured[] = {
#define UNMEASURED(name, level) {opcode::name, meaning::level},
#include "sass/unmeasured.def"
#undef UNMEASURED
};

meaning find_meaning(opcode op) {
  for (const unmeasured_row& row : unmeasured)
    if (row.op == op) return row.level;
  for (const opcode_info& row : all_rows())
    if (row.op == op && row.first <= isa::hopper && row.last >= isa::hopper) return meaning::measured;
  // An operation of the uniform datapath is taken for the one that lanes have.
  return traits_of(op).twin != opcode::count ? meaning::assumed : meaning::documented;
}

}  // namespace

const char* name_of(meaning m) {
  switch (m) {
    case meaning::assumed: return "assumed";
    case meaning::documented: return "documented";
    case meaning::measured: return "measured";
  }
  return "?";
}

meaning meaning_of(opcode op) {
  static const std::vector<meaning> all = [] {
    std::vector<meaning> found;
    for (unsigned n = 0; n < static_cast<unsigned>(opcode::count); ++n)
      found.push_back(find_meaning(static_cast<opcode>(n)));
    return found;
  }();
  return all[static_cast<std::size_t>(op)];
}

}  // namespace bankwise::sass
