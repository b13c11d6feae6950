// Numbers that others measured and published: data/published/. Each row has an access, a number with its source, and
// the rule's number.
//
//     arch,gpu,op,type,where,access,counted,unit,published,source,note
//     sm_110,Jetson AGX Thor,ld,float,,t * 32,wavefronts,32768,1048576,vernier,the same in 14 launches
//
// the rule: 32 wavefronts for each of 32,768 instructions are 1,048,576, which equals the published number
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "expr/named_access.hpp"

namespace bankwise {

// The unit of the published number.
enum class published_quantity {
  wavefronts,    // of `unit` instructions
  conflicts,     // wavefronts beyond one for each phase, of `unit` instructions
  milliseconds,  // of a loop in which `unit` wavefronts take one
};

// How the rule's number agrees with the published one. Counters of the L1 also count the time that warps wait for each
// other, and times include other instructions: `near` is within 3 % of the wavefronts, or 10 % of the time.
enum class agreement { equal, near, differs };

struct published_source {
  std::string name, title, url;
  std::string date;  // empty if unknown
};

struct published_access {
  std::string arch, gpu;
  std::vector<named_access> accesses;  // an instruction each
  published_quantity counted = published_quantity::wavefronts;
  double unit = 1, published = 0;
  std::size_t source = 0;  // index into published_table::sources
  std::string note;

  double rule() const;
  agreement holds() const;
};

struct published_table {
  std::vector<published_source> sources;
  std::vector<published_access> rows;
};

// Errors name the line and the column.
result<published_table> read_published(std::string_view rows, const std::string& rows_name, std::string_view sources,
                                       const std::string& sources_name);
// The tables that are embedded in the program.
result<published_table> published_table_of_this();

// "15 rows of 1 source, all equal"; "11 rows of 2 sources: 8 equal, 2 near, 1 differs". Empty if there are none.
std::string summary(const published_table& t, std::string_view arch);

}  // namespace bankwise
