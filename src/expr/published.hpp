// Numbers that others measured and published (data/published/). Each row has an access, a number with its source, and
// the rule's number.
//
//     arch,gpu,op,type,where,access,counted,unit,published,source,note
//     sm_110,Jetson AGX Thor,ld,float,,t * 32,wavefronts,32768,1048576,vernier,the same in 14 launches
//
// By the rule, each of the 32,768 instructions takes 32 wavefronts. The sum, 1,048,576, equals the published number.
//
// An access that copies to shared memory may name its source: "t from t * 8". Without a type, addresses are in bytes.
// The name of the operation then contains the width, as in "st.64".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/named_access.hpp"

namespace bankwise {

// What the published number counts.
enum class published_quantity {
  wavefronts,  // number of wavefronts of `unit` instructions
  conflicts,
  milliseconds,  // time of a loop in which a wavefront takes `unit` milliseconds
  // latency of `unit` instructions, in cycles or ticks. Only its rank is checked: latencies of the same operation must
  // rise with their wavefronts.
  latency,
};

// How the rule's number compares with the published number:
//   equal     Counts are equal.
//   near      Counts differ by at most 3 % of the wavefronts, or by 5 % for up to 8 wavefronts per instruction. This is
//             expected, because L1's counters also count conflicts between warps. Times differ by at most 10 %, because
//             times include other instructions.
//   in_order  Latencies rise with the wavefronts. Latencies for equal numbers of wavefronts differ by at most 5 %.
enum class agreement { equal, near, in_order, differs };

struct published_source {
  std::string name, title;
  std::string url, date;  // address and date of the source; empty if unknown
};

struct published_access {
  std::string arch, gpu;
  std::vector<named_access> accesses;  // the accesses of each instruction
  published_quantity counted = published_quantity::wavefronts;
  double unit = 1, published = 0;
  std::size_t source = 0;  // index into published_table::sources
  std::string note;
  // for a latency: whether the latencies of its operation rise with the wavefronts of the rule
  bool in_order = false;

  double rule() const;
  agreement holds() const;
};

struct published_table {
  std::vector<published_source> sources;
  std::vector<published_access> rows;
};

// Reads the two tables. Errors contain the line and the column.
result<published_table> read_published(std::string_view rows, const std::string& rows_name, std::string_view sources,
                                       const std::string& sources_name);
// Returns the tables that the program contains. If `arch` is given, returns only the rows of this architecture.
result<published_table> published_table_of_this(std::string_view arch = {});

// Returns a summary such as "15 rows of 1 source, all equal" or "11 rows of 2 sources: 8 equal, 2 near, 1 differs".
// Returns an empty text if there are no rows.
std::string summary(const published_table& t, std::string_view arch, std::optional<rule_group> group = {});

// Returns the evidence for an answer. If the rule is based on published numbers, the text begins with a summary of
// their rows: "30 rows of 2 sources, all equal; Guide, compute capabilities 10.x and 12.x".
std::string basis_of(const published_table& t, std::string_view arch, rule_group group, const rule_source& rule);
std::string basis_of(const machine& m, operation op);

}  // namespace bankwise
